/**
 * What looking at a store costs, against its size: one table for our own stores, LangGraph's and folders. Processor
 * time; sizes by SCALE_SIZES, as in SCALE_SIZES=10000,100000.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isChangeable,
  type CheckpointRef,
  type CheckpointSource,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { createSearch } from '@checkpoint-inspector/search';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { writeMany } from '@checkpoint-inspector/stores/scale/many';
import {
  kaizenId,
  langgraphId,
  langgraphWriter,
  writeKaizenFile,
  writeManyFiles,
  writeManyThreads,
} from '@checkpoint-inspector/systems/scale/many';
import { afterAll, expect, it } from 'vitest';
import { openHistory } from '../src/history/lines.ts';
import { defaultRegistry } from '../src/stores/registry.ts';
import { createStoreService } from '../src/stores/service.ts';
import { createTrees } from '../src/stores/trees.ts';
import type { StoreService } from '../src/stores/types.ts';

const AN_HOUR = 3_600_000;
const SIZES = (process.env['SCALE_SIZES'] ?? '10000,100000,1000000').split(',').map(Number);
const MOST_FILES = 100_000;
const EACH = 50;
const ROUNDS = 15;
const CALLS = 10;
const COMMITS = 5;
const STARTS = 3;
/** A page, a lookup and a plan cost the same whatever lies beside them; more than this is a failure. */
const MOST = 1.5;
/** The first list of a database, at any size. */
const FIRST_MS = 1_000;
/** A work that takes long is done less often, so that all of it has an end. */
const BUDGET_MS = 3_000;
const LEAST_ROUNDS = 3;
/** Of the first list, which a list after a commit may cost at the largest size. */
const AFTER_COMMIT = 1 / 50;

interface Kind {
  readonly name: string;
  readonly most: number;
  fill(path: string, size: number): Promise<void> | void;
  ref(n: number, size: number): CheckpointRef;
  /** Saves one more, the nth. */
  commit(path: string, n: number, size: number): Promise<unknown>;
  /** What stays the same, or changes, on the way of a task. */
  readonly path: string;
  readonly word: string;
  /** Work that the system's own rule makes of all that there is, and why: it may grow as the store does, not faster. */
  readonly grows?: Readonly<Record<string, string>>;
}

const native = (name: string, tasksOf: (size: number) => number): Kind => ({
  name,
  most: Number.POSITIVE_INFINITY,
  fill: (path, size) => writeMany(path, { tasks: tasksOf(size), each: size / tasksOf(size) }),
  ref: (n, size) => ({ task: `t-${n % tasksOf(size)}`, id: `c-${n}` }),
  async commit(path, n) {
    const agent = await openSqliteStore({ path });
    await agent.save({ task: 't-0', id: `new-${n}`, value: n });
    await agent.close();
  },
  path: '$.n',
  word: 'text',
});

const langgraph = (name: string, tasksOf: (size: number) => number, grows: NonNullable<Kind['grows']>): Kind => ({
  name,
  grows,
  most: Number.POSITIVE_INFINITY,
  fill: (path, size) => writeManyThreads(path, { threads: tasksOf(size), each: size / tasksOf(size) }),
  ref: (n, size) => ({ task: `thread-${n % tasksOf(size)}`, id: langgraphId(n) }),
  async commit(path, n, size) {
    const { database, save } = langgraphWriter(path, { threads: tasksOf(size) });
    save(n);
    database.close();
  },
  path: '$.count',
  word: 'text',
});

const kaizen = (name: string, agentsOf: (size: number) => number): Kind => ({
  name,
  most: MOST_FILES,
  fill: (path, size) => writeManyFiles(join(path, '.kaizen/checkpoints'), size, agentsOf(size)),
  ref: (n, size) => ({ task: `agent_${n % agentsOf(size)}`, id: kaizenId(n) }),
  commit: (path, n, size) => writeKaizenFile(join(path, '.kaizen/checkpoints'), n, agentsOf(size)),
  path: '$.checkpoint_id',
  word: 'ckpt',
});

const FOLDERS = [
  kaizen('Kaizen folder, 2 agents', () => 2),
  kaizen(`Kaizen folder, agents of ${EACH}`, (size) => size / EACH),
];

const KINDS = [
  native('native, one task', () => 1),
  native(`native, tasks of ${EACH}`, (size) => size / EACH),
  langgraph('LangGraph, one thread', () => 1, {
    'plan of a fork': 'copies the thread up to the checkpoint, row by row',
  }),
  langgraph(`LangGraph, threads of ${EACH}`, (size) => size / EACH, {
    find: 'the file has no index of ids alone: one look for each thread',
  }),
  ...FOLDERS,
];

const folder = mkdtempSync(join(tmpdir(), 'scale-work-'));
const table: string[] = [];
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  console.log(`measured: processor time in ms against the number of checkpoints\n${table.join('\n')}`);
});

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = cpu();
  await work();
  return cpu() - before;
}

/** The lower quartile: the rest has more of what others do on the machine. */
const typical = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 2] ?? NaN;

interface Side {
  readonly size: number;
  readonly path: string;
  readonly stores: StoreService;
  readonly source: CheckpointSource;
  readonly refs: readonly CheckpointRef[];
}

/** What is done once on each side. */
async function opened(kind: Kind, size: number, costs: Map<string, number>): Promise<Side> {
  const path = join(folder, `${KINDS.indexOf(kind)}-${size}`);
  await kind.fill(path, size);
  const firsts: number[] = [];
  let stores = createStoreService({ registry: defaultRegistry() });
  for (let start = 0; start < STARTS; start++) {
    await stores.closeAll();
    stores = createStoreService({ registry: defaultRegistry() });
    const first = async (): Promise<void> => {
      await stores.open(path);
      await stores.tasks({ limit: 50 });
    };
    firsts.push(await cost(first));
  }
  const rest = await cost(async () => {
    while ((await stores.tasks({ limit: 50 })).reading !== undefined) await sleep(200);
  });
  // The first of all also loads the program.
  costs.set('first tasks', typical(firsts));
  costs.set('all tasks', typical(firsts) + rest);
  const [info] = stores.list();
  if (info === undefined) throw new Error(`No store in ${path}.`);
  const refs = Array.from({ length: CALLS }, (_, at) => kind.ref(Math.floor((size * (at + 0.5)) / CALLS), size));
  return { size, path, stores, source: stores.source(info.id), refs };
}

const plan = async (source: CheckpointSource, request: SystemRequest): Promise<unknown> =>
  isChangeable(source) ? source.plan(request) : undefined;

/** Done in turns with the other sides, and often. */
const REPEATED: Readonly<Record<string, (source: CheckpointSource, ref: CheckpointRef) => Promise<unknown>>> = {
  'page of 100': (source, { task }) => source.checkpoints(task, { limit: 100 }),
  'page around': (source, around) => source.checkpoints(around.task, { limit: 100, around }),
  meta: (source, ref) => source.meta(ref),
  find: (source, { id }) => source.find(id),
  state: (source, ref) => source.state(ref),
  latest: (source, { task }) => source.latest(task),
  'plan of a restore': (source, ref) => plan(source, { kind: 'restore', ref }),
  'plan of a fork': (source, ref) => plan(source, { kind: 'fork', ref, targetTask: 'new' }),
  'plan of a delete': (source, ref) => plan(source, { kind: 'delete', refs: [ref] }),
};

async function repeated(sides: readonly Side[], work: (typeof REPEATED)[string]): Promise<number[][]> {
  const took = sides.map((): number[] => []);
  const began = cpu();
  for (let round = -1; round < ROUNDS && (round < LEAST_ROUNDS || cpu() - began < BUDGET_MS); round++) {
    for (const [at, { source, refs }] of sides.entries()) {
      const all = async (): Promise<void> => {
        for (const ref of refs) await work(source, ref);
      };
      const ms = await cost(all);
      if (round >= 0) took[at]?.push(ms / CALLS);
    }
  }
  return took;
}

async function commitCost(kind: Kind, { size, path, stores }: Side): Promise<number> {
  const later: number[] = [];
  const told: unknown[] = [];
  const unwatch = stores.onEvent((event) => told.push(event));
  for (let n = 0; n < COMMITS; n++) {
    const seen = told.length;
    await kind.commit(path, size + n, size);
    for (let waits = 0; told.length === seen && waits < 150; waits++) await sleep(20);
    later.push(await cost(() => stores.tasks({ limit: 50 })));
  }
  unwatch();
  return typical(later);
}

/** Begins with nothing indexed: how long until the newest can be found. */
async function firstHit({ word }: Kind, { stores }: Side): Promise<void> {
  const search = createSearch({ stores });
  for (let isOver = false; !isOver; await sleep(5)) {
    const { items, coverage } = await search.search(word, { limit: 1 });
    isOver = items.length > 0;
    if (!isOver)
      expect(
        coverage.some(({ isSettled }) => !isSettled),
        `nothing holds "${word}"`,
      ).toBe(true);
  }
  await search.close();
}

async function historyPage(kind: Kind, { source, size }: Side): Promise<void> {
  let rows = 0;
  for await (const { kind: row } of await openHistory(source, { task: kind.ref(0, size).task, path: kind.path }))
    if (row !== 'progress' && ++rows === 100) break;
}

it.each(KINDS)(
  '$name: what is looked at costs the same whatever lies beside it',
  async (kind) => {
    const sizes = [...new Set(SIZES.map((size) => Math.min(size, kind.most)))];
    const costs = new Map(sizes.map((size) => [size, new Map<string, number>()]));
    const noted = (size: number): Map<string, number> => costs.get(size) ?? new Map();
    const sides: Side[] = [];
    for (const size of sizes) sides.push(await opened(kind, size, noted(size)));
    for (const [what, work] of Object.entries(REPEATED)) {
      const took = await repeated(sides, work);
      for (const [at, { size }] of sides.entries()) noted(size).set(what, typical(took[at] ?? []));
    }
    for (const side of sides) {
      const { size, stores, source } = side;
      const task = kind.ref(0, size).task;
      noted(size).set('tree', await cost(() => createTrees(stores).columns(source.info.id, task)));
      noted(size).set('first rows of a history', await cost(() => historyPage(kind, side)));
      noted(size).set('list after a commit', await commitCost(kind, side));
      noted(size).set('search, first hit', await cost(() => firstHit(kind, side)));
      await stores.closeAll();
      rmSync(side.path, { recursive: true, force: true });
    }
    const failures = report(kind, sizes, costs);
    expect(failures).toEqual([]);
  },
  AN_HOUR,
);

/** Adds its part of the table; what grew where it must not. */
function report(
  { name, grows = {} }: Kind,
  sizes: readonly number[],
  costs: ReadonlyMap<number, ReadonlyMap<string, number>>,
) {
  const last = sizes.at(-1) ?? NaN;
  const [small, large] = [costs.get(sizes[0] ?? NaN), costs.get(last)];
  const failures: string[] = [];
  table.push([name.padEnd(26), ...sizes.map((size) => size.toLocaleString('en').padStart(11)), '      ratio'].join(''));
  for (const what of large?.keys() ?? []) {
    const ratio = (large?.get(what) ?? NaN) / (small?.get(what) ?? NaN);
    const cells = sizes.map((size) => (costs.get(size)?.get(what) ?? NaN).toFixed(3).padStart(11));
    const isFlat = Object.hasOwn(REPEATED, what);
    // Less than the clock can tell of a plan that there is not.
    const why = grows[what];
    const most = why === undefined ? MOST : (MOST * last) / (sizes[0] ?? NaN);
    const isOver = isFlat && ratio > most && (large?.get(what) ?? 0) > 0.05;
    if (isOver) failures.push(`${what}: ${ratio.toFixed(2)} times`);
    table.push(
      [`  ${what}`.padEnd(26), ...cells, ratio.toFixed(2).padStart(11), isOver ? '  too much' : why && `  ${why}`].join(
        '',
      ),
    );
  }
  const first = large?.get('first tasks') ?? NaN;
  if (!FOLDERS.some((folder) => folder.name === name) && !(first <= FIRST_MS))
    failures.push(`first tasks: ${first.toFixed(0)} ms`);
  const share = (large?.get('list after a commit') ?? NaN) / (large?.get('all tasks') ?? NaN);
  // A store of few tasks has nothing to save there.
  if (name.includes(` of ${EACH}`) && last >= 1_000_000 && !(share <= AFTER_COMMIT))
    failures.push(`list after a commit: 1/${(1 / share).toFixed(0)} of the first`);
  return failures;
}
