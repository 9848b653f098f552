import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesRead } from '@checkpoint-inspector/config/measure';
import { openSqlite } from '@checkpoint-inspector/io';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeMany } from '../../scale/many.ts';
import { openSqliteStore, type SqliteStore } from './index.ts';

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
