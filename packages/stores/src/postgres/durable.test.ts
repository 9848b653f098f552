import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { savedState } from '../testing/child.ts';
import { Fidelity } from '../testing/fidelity.ts';
import { defectsAfterKills } from '../testing/kills.ts';
import { bundleChild, removeChild, startChild } from '../testing/processes.ts';
import { TABLES } from './schema.ts';
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

  it('is there though the process was killed while it saved, removed and collected (S37)', async () => {
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

  it('is saved while others read without a break, who hold nothing that VACUUM has to leave (S42)', async () => {
    const place = { url: db.url, schema: 'read' };
    const store = await openPostgresStore(place);
    await store.save({ task: 'gone', id: 'c', value: 'x'.repeat(100_000) });
    const child = startChild({ place, task: 't', from: 0, until: 200 });
    // A line each: it is over when all are told, or when it has failed.
    const saves = child.ended.catch((error: unknown) => error);
    while (child.lines().length < 200 && !child.isOver()) {
      const { items } = await store.checkpoints('t', { limit: 50 });
      for (const { id } of items.slice(0, 5)) await store.state({ task: 't', id });
    }
    expect(await saves).toHaveLength(200);
    const held =
      "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state ~ '^idle in transaction'";
    expect(await db.run(held)).toEqual([]);
    for (const task of ['t', 'gone']) await store.removeTask(task);
    // Statistics that the server gathers by itself may hold it up for a moment.
    const bytesLeft = async () => {
      await db.run('VACUUM read.checkpoints');
      return db.run("SELECT pg_relation_size('read.checkpoints')::int AS bytes");
    };
    await expect.poll(bytesLeft, { timeout: 10_000 }).toEqual([{ bytes: 0 }]);
    await store.close();
  }, 60_000);

  it('is copied at one moment while others save (S43)', async () => {
    const [place, copy] = ['copied', 'copy'].map((schema) => ({ url: db.url, schema }));
    if (!place || !copy) throw new Error('No places.');
    for (const one of [place, copy]) await (await openPostgresStore(one)).close();
    const child = startChild({ place, task: 't', from: 0, removes: true });
    const saved = () => child.lines().filter((line) => line.startsWith('s')).length;
    const more = async (count: number) => {
      const from = saved();
      await expect.poll(saved, { timeout: 30_000 }).toBeGreaterThanOrEqual(from + count);
    };
    await more(20);
    const session = await db.session();
    // As pg_dump does, one table after the other.
    await session.run('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const before = saved();
    let after: number | undefined;
    for (const table of TABLES) {
      await session.run(`TRUNCATE copy.${table}`);
      await session.run(`INSERT INTO copy.${table} SELECT * FROM copied.${table}`);
      await more(3);
      after ??= saved();
    }
    await session.run('COMMIT');
    child.kill();
    await child.ended;
    await session.close();
    expect(await tablesOf(db, 'copy').damage()).toEqual([]);
    expect(await tablesOf(db, 'copy').miscounted()).toEqual([]);
    const store = await openPostgresStore({ ...copy, readOnly: true });
    let last = -1;
    for await (const { id } of store.lineage('t')) {
      last = Number(id.slice(1));
      expect((await store.state({ task: 't', id }))?.text).toBe(JSON.stringify(savedState(last)));
    }
    await store.close();
    expect(last).toBeGreaterThanOrEqual(before - 1);
    expect(last).toBeLessThan(after ?? 0);
  }, 60_000);
});
