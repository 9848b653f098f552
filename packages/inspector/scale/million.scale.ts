/** Our own store with 1,000,000 checkpoints, in one task and in 20,000: what lists, trees, lookups and plans cost. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { milliseconds } from '@checkpoint-inspector/config/measure';
import type { CheckpointRef } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { openSqliteStore, type SqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { writeMany, type Shape } from '@checkpoint-inspector/stores/scale/many';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { defaultRegistry } from '../src/stores/registry.ts';
import { createStoreService } from '../src/stores/service.ts';
import { createTrees } from '../src/stores/trees.ts';

const MILLION = 1_000_000;
const FEW = 10_000;
const LONG: Shape = { tasks: 1, each: MILLION };
const WIDE: Shape = { tasks: 20_000, each: 50 };
const COLUMNS = `SELECT seq, id, parent_task, parent_id, step_index, status, description, created_at FROM checkpoints
  WHERE task = ? ORDER BY seq`;
const ROUNDS = 31;
const CALLS = 20;
/** Of the same call on the small store. */
const MOST = 1.5;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scale-million-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function filled(shape: Shape): Promise<string> {
  const path = join(folder, `${shape.tasks}-${shape.each}.db`);
  if (!existsSync(path)) await writeMany(path, shape);
  return path;
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The lower quartile: the rest has more of what others do on the machine. */
const typical = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 2] ?? NaN;

type Work = (store: SqliteStore, ref: CheckpointRef) => Promise<unknown>;
const WORKS: Readonly<Record<string, Work>> = {
  page: (store, { task }) => store.checkpoints(task, { limit: 100 }),
  'page around': (store, around) => store.checkpoints(around.task, { limit: 100, around }),
  find: (store, { id }) => store.find(id),
  meta: (store, ref) => store.meta(ref),
  state: (store, ref) => store.state(ref),
  latest: (store, { task }) => store.latest(task),
  'plan of a restore': (store, ref) => store.plan({ kind: 'restore', ref }),
  'plan of a fork': (store, ref) => store.plan({ kind: 'fork', ref, targetTask: 'new' }),
  'plan of a delete': (store, ref) => store.plan({ kind: 'delete', refs: [ref] }),
};

/** Checkpoints spread over a store. */
function refsOf({ tasks, each }: Shape): CheckpointRef[] {
  return Array.from({ length: CALLS }, (_, at) => {
    const n = Math.floor((tasks * each * (at + 0.5)) / CALLS);
    return { task: `t-${n % tasks}`, id: `c-${n}` };
  });
}

describe.each([
  ['one task', LONG, { tasks: 1, each: FEW }],
  ['20,000 tasks', WIDE, { tasks: FEW / 50, each: 50 }],
])('1,000,000 checkpoints in %s', (_name, large, small) => {
  let sides: { readonly store: SqliteStore; readonly shape: Shape }[];
  beforeAll(async () => {
    sides = [];
    for (const shape of [small, large])
      sides.push({ store: await openSqliteStore({ path: await filled(shape), readOnly: true }), shape });
  }, 300_000);
  afterAll(async () => {
    for (const { store } of sides) await store.close();
  });

  it('lookups and plans cost what they cost with 10,000', async () => {
    const slow: string[] = [];
    for (const [what, work] of Object.entries(WORKS)) {
      const took: [number[], number[]] = [[], []];
      for (let round = -2; round < ROUNDS; round++) {
        for (const [at, { store, shape }] of sides.entries()) {
          const refs = refsOf(shape);
          const before = cpu();
          for (const ref of refs) await work(store, ref);
          if (round >= 0) took[at]?.push((cpu() - before) / CALLS);
        }
      }
      const [few = NaN, many = NaN] = took.map(typical);
      console.log(
        `measured: ${what}: ${few.toFixed(3)} ms of ${FEW}, ${many.toFixed(3)} ms: ${(many / few).toFixed(2)} times`,
      );
      if (!(many <= few * MOST)) slow.push(what);
    }
    expect(slow).toEqual([]);
  });

  it('a page of 100 takes less than 0.5 ms', async () => {
    const store = sides[1]?.store;
    const times: number[] = [];
    for (let n = 0; n < 501; n++) times.push(await milliseconds(() => store?.checkpoints('t-0', { limit: 100 })));
    console.log(`measured: a page of 100: ${typical(times).toFixed(3)} ms`);
    expect(typical(times)).toBeLessThan(0.5);
  });

  it('the first list comes within a second of processor time after the start', async () => {
    const path = await filled(large);
    const stores = createStoreService({ registry: defaultRegistry() });
    onTestFinished(() => stores.closeAll());
    const before = cpu();
    await stores.open(path);
    expect((await stores.tasks({ limit: 50 })).items).toHaveLength(Math.min(50, large.tasks));
    const took = cpu() - before;
    console.log(`measured: first list ${took.toFixed(0)} ms of processor time`);
    expect(took).toBeLessThan(1_000);
  });

  it.runIf(large.tasks > 1)('after a commit the list costs a 20th of reading all of it', async () => {
    const path = await filled(large);
    const agent = await openSqliteStore({ path });
    onTestFinished(() => agent.close());
    const stores = createStoreService({ registry: defaultRegistry() });
    onTestFinished(() => stores.closeAll());
    const events: unknown[] = [];
    stores.onEvent((event) => events.push(event));
    const list = () => stores.tasks({ limit: 50 });
    let before = cpu();
    await stores.open(path);
    while ((await list()).reading !== undefined) await sleep(200);
    const all = cpu() - before;
    const later: number[] = [];
    for (let n = 0; n < 7; n++) {
      const seen = events.length;
      await agent.save({ task: 't-7', id: `new-${n}`, value: n });
      while (events.length === seen) await sleep(20);
      before = cpu();
      await list();
      later.push(cpu() - before);
    }
    console.log(`measured: all tasks ${all.toFixed(0)} ms, a list after a commit ${typical(later).toFixed(1)} ms`);
    expect(typical(later)).toBeLessThan(all / 20);
  });

  it.runIf(large.tasks === 1)('its tree costs little more than its columns read row by row', async () => {
    const path = await filled(large);
    const stores = createStoreService({ registry: defaultRegistry() });
    onTestFinished(() => stores.closeAll());
    const [info] = await stores.open(path);
    if (!info) throw new Error('No store.');
    const db = openSqlite(path, { readOnly: true });
    onTestFinished(() => db.close());
    const bare = db.prepare<readonly unknown[]>(COLUMNS, { arrays: true });
    const took: [number[], number[]] = [[], []];
    for (let round = 0; round < 5; round++) {
      let before = cpu();
      expect((await createTrees(stores).columns(info.id, 't-0')).length).toBeGreaterThan(MILLION);
      took[0].push(cpu() - before);
      before = cpu();
      let count = 0;
      for (const row of bare.iterate('t-0')) count += row.length;
      expect(count).toBe(8 * MILLION);
      took[1].push(cpu() - before);
    }
    const [ours, rows] = [typical(took[0]), typical(took[1])];
    console.log(`measured: tree ${ours.toFixed(0)} ms of processor time, its columns row by row ${rows.toFixed(0)} ms`);
    expect(ours).toBeLessThan(rows * 2.5);
  });
});
