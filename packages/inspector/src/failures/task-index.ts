/** Something worked out per task over all open stores: in the background, failed tasks first, again where a task changed. */
import { everyPage, InspectorError, createPause, type Pause } from '@checkpoint-inspector/core';
import type { CheckpointRef, CheckpointSource, StoreId, Task, Unwatch } from '@checkpoint-inspector/core';
import { brief } from '../errors.ts';
import type { StoreFailure, StoreService } from '../stores/types.ts';
import { findTask } from '../stores/lookup.ts';
import { noTask } from '../stores/no-task.ts';

/** What waits for a person, and what a task ended with, is one state per task. */
export const LATEST_BYTES = 4 * 1024 * 1024;
/** Unreadable ancestors are passed by, but not without end. */
export const ANCESTORS = 50;

export interface TaskQuery {
  readonly store?: StoreId;
  readonly task?: string;
}

/** Of answers about single checkpoints. */
export interface SinceQuery extends TaskQuery {
  /** Only what was saved at this time or later, ISO 8601; what has no time in UTC is left out. */
  readonly since?: string;
}

/** How much was searched, in checkpoints. */
export interface Coverage {
  readonly n: number;
  readonly of: number;
  /** Of them, rows that nobody can read: whether they failed is unknown. */
  readonly unreadable: number;
  /** False while something is still being read. */
  readonly complete: boolean;
}

export interface Found<T> {
  readonly values: readonly { readonly task: Task; readonly value: T }[];
  readonly coverage: Coverage;
  readonly failures: readonly StoreFailure[];
}

interface TaskIndex<T> {
  /** What is known after waiting at most `waitMs`; what is not yet known is read on. @throws InspectorError not_found */
  read(query: TaskQuery, waitMs: number): Promise<Found<T>>;
  close(): void;
}

export type Look<T> = (source: CheckpointSource, task: Task, before: T | undefined, pause: Pause) => Promise<T>;

interface Entry<T> {
  readonly task: Task;
  readonly value: T;
  /** A task that takes long to look through and changes all the time is looked at now and then. */
  readonly notBefore: number;
}

interface OpenIndex<T> {
  readonly source: CheckpointSource;
  readonly entries: Map<string, Entry<T>>;
  /** Tasks that a change named. */
  readonly touched: Set<string>;
  /** Tasks that were asked for alone and are being looked at. */
  readonly alone: Map<string, Promise<void>>;
  tasks: readonly Task[];
  failure?: StoreFailure['error'];
  /** When the list of tasks is read again. */
  until: number;
  run?: Promise<void>;
}

/** A watcher tells of changes sooner; this is for what it may miss. */
const AGAIN_MS = 5000;
/** A task is looked at for at most a twentieth of the time. */
const SHARE = 20;

const NONE = { values: [], coverage: { n: 0, of: 0, unreadable: 0, complete: true }, failures: [] };

/** @param isMeant of a store that is left out nothing is listed or read */
export function createTaskIndex<T>(
  stores: StoreService,
  look: Look<T>,
  now: () => number = Date.now,
  isMeant: (source: CheckpointSource) => boolean = () => true,
): TaskIndex<T> {
  const open = new Map<StoreId, OpenIndex<T>>();
  const unwatch: Unwatch = stores.onEvent((event) => {
    if (event.kind !== 'change') return;
    const index = open.get(event.store);
    if (!index) return;
    index.until = 0;
    if (event.task !== undefined) index.touched.add(event.task);
  });

  const indexOf = (store: StoreId): OpenIndex<T> => {
    const source = stores.source(store);
    const known = open.get(store);
    if (known?.source === source) return known;
    const sets = { entries: new Map(), touched: new Set<string>(), alone: new Map() };
    const fresh: OpenIndex<T> = { source, ...sets, tasks: [], until: 0 };
    open.set(store, fresh);
    return fresh;
  };

  const start = (store: StoreId): Promise<void> | undefined => {
    const index = indexOf(store);
    if (index.run === undefined && index.until <= now()) {
      index.until = now() + AGAIN_MS;
      index.run = refresh(stores, store, index, look, now)
        .catch((error: unknown) => {
          index.failure = brief(error);
        })
        .finally(() => {
          delete index.run;
        });
    }
    return index.run;
  };

  /** One task is looked at without the others of its store. */
  const readOne = async (store: StoreId, id: string, waitMs: number): Promise<Found<T>> => {
    const index = indexOf(store);
    const task = await findTask(index.source, id);
    const known = index.entries.get(id);
    if (!known || !sameTask(known.task, task) || index.touched.has(id)) {
      const running = index.alone.get(id) ?? lookAt(index, task, look).finally(() => index.alone.delete(id));
      index.alone.set(id, running);
      await atMost([running], waitMs);
    }
    const entry = index.entries.get(id);
    const complete = !index.alone.has(id);
    const { checkpointCount: of, unreadable } = task;
    const n = entry ? Math.min(of, entry.task.checkpointCount) : 0;
    return {
      values: entry ? [{ task, value: entry.value }] : [],
      coverage: { n, of, unreadable, complete },
      failures: [],
    };
  };

  return {
    async read(query, waitMs) {
      if (query.store !== undefined && !isMeant(stores.source(query.store))) return NONE;
      if (query.store !== undefined && query.task !== undefined) return readOne(query.store, query.task, waitMs);
      const every = stores.list().map(({ id }) => id);
      const asked = query.store === undefined ? every.filter((id) => isMeant(stores.source(id))) : [query.store];
      for (const store of open.keys()) if (!every.includes(store)) open.delete(store);
      await atMost(
        asked.flatMap((store) => start(store) ?? []),
        waitMs,
      );
      const indexes = asked.flatMap((store) => open.get(store) ?? []);
      const found = gathered(indexes, query.task);
      if (query.task !== undefined) assertThere(query.task, indexes, found);
      return found;
    },
    close: unwatch,
  };
}

async function lookAt<T>(index: OpenIndex<T>, task: Task, look: Look<T>): Promise<void> {
  index.touched.delete(task.id);
  const value = await look(index.source, task, index.entries.get(task.id)?.value, createPause());
  index.entries.set(task.id, { task: await counted(index.source, task), value, notBefore: 0 });
}

/** Looking through a task may have counted its checkpoints: that isn't a change, so it isn't looked at again. */
async function counted(source: CheckpointSource, task: Task): Promise<Task> {
  return task.atLeast ? findTask(source, task.id) : task;
}

async function refresh<T>(
  stores: StoreService,
  store: StoreId,
  index: OpenIndex<T>,
  look: Look<T>,
  now: () => number,
): Promise<void> {
  const tasks = await listTasks(stores, store);
  const touched = new Set(index.touched);
  index.touched.clear();
  index.tasks = tasks;
  delete index.failure;
  const there = new Set(tasks.map(({ id }) => id));
  for (const id of index.entries.keys()) if (!there.has(id)) index.entries.delete(id);
  const pause = createPause();
  for (const task of tasks) {
    await pause();
    const known = index.entries.get(task.id);
    if (known && sameTask(known.task, task) && !touched.has(task.id)) continue;
    const began = now();
    if (known && began < known.notBefore) {
      // Later, without being forgotten.
      index.touched.add(task.id);
      index.until = Math.min(index.until, known.notBefore);
      continue;
    }
    try {
      const value = await look(index.source, task, known?.value, pause);
      const ended = now();
      const seen = await counted(index.source, task);
      index.entries.set(task.id, { task: seen, value, notBefore: ended + (ended - began) * SHARE });
    } catch (error) {
      index.failure = brief(error);
    }
  }
}

/** Failed first, then newest. A store that fails here is named by what it says. */
async function listTasks(stores: StoreService, store: StoreId): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for await (const { items, failures } of everyPage((at) => stores.tasks({ ...at, store }))) {
    const failure = failures.find((one) => one.store === store);
    if (failure && items.length === 0) throw InspectorError.fromWire(failure.error);
    tasks.push(...items);
  }
  return tasks;
}

/** What a save, a change or a key would alter. */
export function sameTask(a: Task, b: Task): boolean {
  return (
    a.checkpointCount === b.checkpointCount &&
    a.latestId === b.latestId &&
    a.latestNamespace === b.latestNamespace &&
    a.updatedAt === b.updatedAt &&
    a.sizeBytes === b.sizeBytes &&
    a.status === b.status &&
    a.lastError === b.lastError &&
    a.unreadable === b.unreadable
  );
}

function gathered<T>(indexes: readonly OpenIndex<T>[], task: string | undefined): Found<T> {
  const values: { task: Task; value: T }[] = [];
  const failures: StoreFailure[] = [];
  let [n, of, unreadable, complete] = [0, 0, 0, true];
  for (const { source, tasks, entries, failure, run } of indexes) {
    const asked = task === undefined ? tasks : tasks.filter(({ id }) => id === task);
    for (const one of asked) {
      const entry = entries.get(one.id);
      of += one.checkpointCount;
      unreadable += one.unreadable;
      if (!entry) continue;
      n += Math.min(one.checkpointCount, entry.task.checkpointCount);
      values.push({ task: one, value: entry.value });
    }
    if (failure) failures.push({ store: source.info.id, error: failure });
    if (run) complete = false;
  }
  return { values, coverage: { n, of, unreadable, complete: complete && n === of }, failures };
}

/** Once every store has been read, an answer without the task would be an all-clear. @throws InspectorError not_found */
function assertThere<T>(task: string, indexes: readonly OpenIndex<T>[], { coverage, failures }: Found<T>): void {
  if (!coverage.complete || failures.length > 0) return;
  const names = indexes.flatMap(({ tasks }) => tasks.map(({ id }) => id));
  if (!names.includes(task)) throw noTask(task, names);
}

async function atMost(work: readonly Promise<void>[], waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  await Promise.race([Promise.all(work), late]);
  clearTimeout(timer);
}

/** A state that cannot be read says nothing here; the row itself tells why. */
export async function readable<T>(
  source: CheckpointSource,
  ref: CheckpointRef,
  mostCharacters: number,
  look: (text: string) => T,
): Promise<T | undefined> {
  try {
    const state = await source.state(ref, { mostCharacters });
    return state && look(state.text);
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}
