/** What a store holds, counted through the contract only. */
import { setImmediate as turn } from 'node:timers/promises';
import { everyPage, MAX_LIMIT } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource, PageQuery, StoreId, Task } from '@checkpoint-inspector/core';
import { askEach, everyTask, within } from '../stores/task-lists.ts';
import type { StoreService } from '../stores/types.ts';

type Counts = Readonly<Record<string, number>>;

export interface HeldMetrics {
  readonly store: StoreId;
  readonly system: string;
  readonly tasks: number;
  readonly checkpoints: number;
  readonly unreadable: number;
  readonly tasksByStatus: Counts;
  /** The rest is about the `n` checkpoints that were counted one by one, of all. */
  readonly counted: { readonly n: number; readonly of: number };
  readonly bytes: number;
  readonly averageBytes?: number;
  readonly byStatus: Counts;
  /** Checkpoints whose system records no trigger are under `none`. */
  readonly byTrigger: Counts;
}

interface HeldLimits {
  /** Checkpoints counted one by one. */
  readonly maxCounted: number;
  readonly timeMs: number;
}

const COUNTING: HeldLimits = { maxCounted: 20_000, timeMs: 2000 };
const STORE_LIMIT_MS = 3000;

/** What each open store holds, by their ids; one that fails or is too slow is named in `failures`. */
export async function readHeld(stores: StoreService) {
  const sources = stores.list().map(({ id }) => stores.source(id));
  const { answers, failures } = await askEach(sources, (source) => within(heldIn(source, COUNTING), STORE_LIMIT_MS));
  return { stores: answers.toSorted((a, b) => (a.store < b.store ? -1 : 1)), failures };
}

export async function heldIn(source: CheckpointSource, limits: HeldLimits): Promise<HeldMetrics> {
  const tasks: Task[] = [];
  for await (const task of everyTask(source)) tasks.push(task);
  const byStatus: Record<string, number> = {};
  const byTrigger: Record<string, number> = {};
  let n = 0;
  let bytes = 0;
  for await (const meta of checkpointsOf(source, tasks, limits)) {
    n += 1;
    bytes += meta.sizeBytes;
    add(byStatus, meta.status);
    add(byTrigger, meta.trigger ?? 'none');
  }
  const tasksByStatus: Record<string, number> = {};
  for (const task of tasks) add(tasksByStatus, task.status);
  const checkpoints = sum(tasks, (task) => task.checkpointCount);
  return {
    store: source.info.id,
    system: source.info.system,
    tasks: tasks.length,
    checkpoints,
    unreadable: sum(tasks, (task) => task.unreadable),
    tasksByStatus,
    counted: { n, of: Math.max(n, checkpoints) },
    bytes,
    ...(n === 0 ? {} : { averageBytes: bytes / n }),
    byStatus,
    byTrigger,
  };
}

/** Newest tasks first, until a limit is met. Other requests get their turn between the pages. */
async function* checkpointsOf(
  source: CheckpointSource,
  tasks: readonly Task[],
  { maxCounted, timeMs }: HeldLimits,
): AsyncIterable<CheckpointMeta> {
  const end = Date.now() + timeMs;
  let left = maxCounted;
  const isOver = () => left <= 0 || Date.now() >= end;
  for (const { id } of tasks) {
    if (isOver()) return;
    const read = (at: PageQuery) => source.checkpoints(id, { ...at, limit: Math.min(MAX_LIMIT, left) });
    for await (const { items } of everyPage(read)) {
      yield* items;
      left -= items.length;
      await turn();
      if (isOver()) return;
    }
  }
}

function add(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

const sum = (tasks: readonly Task[], of: (task: Task) => number): number =>
  tasks.reduce((total, task) => total + of(task), 0);
