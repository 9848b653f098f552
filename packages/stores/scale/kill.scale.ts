import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openPostgresStore } from '../src/postgres/store.ts';
import { tablesOf } from '../src/postgres/testing/tables.ts';
import { damageIn } from '../src/sqlite/testing/damage.ts';
import { defectsAfterKills } from '../src/testing/kills.ts';
import type { StorePlace } from '../src/testing/places.ts';
import { bundleChild, removeChild } from '../src/testing/processes.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 200);
const TITLE = `${ROUNDS} kills of a process that saves lose nothing that was acknowledged`;

beforeAll(() => bundleChild());
afterAll(removeChild);

async function measure(
  name: string,
  place: StorePlace,
  ...looks: [damage: () => Promise<readonly string[]>, settled?: () => Promise<void>]
): Promise<void> {
  const { acknowledged, defects } = await defectsAfterKills(place, ROUNDS, ...looks);
  console.log(`measured: ${name}: ${ROUNDS} kills, ${acknowledged} acknowledged, ${defects.length} defects`);
  expect(defects).toEqual([]);
}

it(`SQLite: ${TITLE}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'scale-kill-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.db');
  await measure('SQLite', { path }, () => damageIn(path));
}, 1_800_000);

describeWithPostgres('PostgreSQL', () => {
  it(
    TITLE,
    async () => {
      const db = await postgresForTests();
      onTestFinished(() => db.close());
      const place = { url: db.url, schema: 'killed' };
      await (await openPostgresStore(place)).close();
      await measure('PostgreSQL', place, tablesOf(db, 'killed').damage, () => db.alone());
    },
    1_800_000,
  );
});
