import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fidelity } from '../testing/fidelity.ts';
import { defectsAfterKills } from '../testing/kills.ts';
import { bundleChild, removeChild } from '../testing/processes.ts';
import { openPostgresStore } from './store.ts';
import { tablesOf } from './testing/tables.ts';

const ROUNDS = 20;
const RUNS = 40;

describeWithPostgres('what was saved to PostgreSQL', () => {
  let db: TestPostgres;
  beforeAll(async () => {
    await bundleChild();
    db = await postgresForTests();
  });
  afterAll(async () => {
    removeChild();
    await db.close();
  });

  it('is there though the process was killed while it saved, removed and collected', async () => {
    const place = { url: db.url, schema: 'killed' };
    await (await openPostgresStore(place)).close();
    const { damage } = tablesOf(db, 'killed');
    const { acknowledged, defects } = await defectsAfterKills(place, ROUNDS, damage, () => db.alone());
    expect(defects).toEqual([]);
    expect(acknowledged).toBeGreaterThan(ROUNDS);
  }, 120_000);

  it('reads as it was saved, by two writers and with collections in between', async () => {
    await new Fidelity({ url: db.url, schema: 'fidelity' }, tablesOf(db, 'fidelity')).runs(1, RUNS);
  }, 120_000);
});
