import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesRead } from '@checkpoint-inspector/config/measure';
import { openSqlite } from '@checkpoint-inspector/io';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeMany } from '../../scale/many.ts';
import { openSqliteStore, type SqliteStore } from './index.ts';
import { writeFormat1 } from './testing/format-1.ts';

const MANY = 20_000;

async function filled(each: number): Promise<{ path: string; store: SqliteStore }> {
  const folder = mkdtempSync(join(tmpdir(), 'place-'));
  const path = join(folder, 'agent.db');
  await writeMany(path, { tasks: 1, each });
  const store = await openSqliteStore({ path });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return { path, store };
}

const ref = (n: number) => ({ task: 't-0', id: `c-${n}` });
const placeOf = async (store: SqliteStore, n: number) => (await store.meta(ref(n)))?.seq;

describe('a task of many checkpoints', () => {
  it('tells the place of each, also after saves, removals, and rows that are put back', async () => {
    const { path, store } = await filled(MANY);
    const places = () => Promise.all([0, 1_999, 2_000, 9_000, MANY - 1].map((n) => placeOf(store, n)));
    const all = [1, 2_000, 2_001, 9_001, MANY];
    expect(await places()).toEqual(all);
    await store.save({ task: 't-0', id: 'new', value: 1 });
    expect(await places()).toEqual(all);
    const other = openSqlite(path, { readOnly: false });
    onTestFinished(() => other.close());
    other.exec("CREATE TEMP TABLE gone AS SELECT * FROM checkpoints WHERE id = 'c-5'");
    await store.remove(ref(5));
    expect(await places()).toEqual([1, 1_999, 2_000, 9_000, MANY - 1]);
    other.exec('INSERT INTO checkpoints SELECT * FROM gone');
    expect(await places()).toEqual(all);
  });

  it('tells the place of each in a file of the first format too, whatever an agent does there meanwhile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'place-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'first.db');
    await writeFormat1(
      path,
      Array.from({ length: 300 }, (_, n) => ({ task: 't-0', id: `c-${n}`, text: `{"n":${n}}` })),
    );
    const store = await openSqliteStore({ path, readOnly: true });
    onTestFinished(() => store.close());
    const agent = openSqlite(path, { readOnly: false });
    onTestFinished(() => agent.close());
    const places = async () => {
      const found: unknown[] = [];
      for (const n of [299, 5, 299, 100, 299]) found.push(await placeOf(store, n));
      return [...found, (await store.checkpoints('t-0', { limit: 1 })).items[0]?.seq];
    };
    expect(await places()).toEqual([300, 6, 300, 101, 300, 300]);
    agent.exec("DELETE FROM checkpoints WHERE id = 'c-3'");
    expect(await places()).toEqual([299, 5, 299, 100, 299, 299]);
    agent.exec(`INSERT INTO checkpoints (task, id, text, state_hash, size_bytes, created_at)
      SELECT task, 'later', text, state_hash, size_bytes, created_at FROM checkpoints WHERE id = 'c-9'`);
    expect(await places()).toEqual([299, 5, 299, 100, 299, 300]);
  });

  it.each(['restore', 'delete'] as const)('the plan of a %s reads no more than in a small one', async (kind) => {
    const read = async (each: number): Promise<number> => {
      const { path, store } = await filled(each);
      await store.close();
      const fresh = await openSqliteStore({ path, readOnly: true });
      onTestFinished(() => fresh.close());
      const at = ref(each >> 1);
      return bytesRead(() => fresh.plan(kind === 'delete' ? { kind, refs: [at] } : { kind, ref: at }));
    };
    expect(await read(MANY)).toBeLessThanOrEqual((await read(MANY / 100)) * 3);
  });
});
