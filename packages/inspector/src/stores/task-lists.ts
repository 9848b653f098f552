import {
  compact,
  DEFAULT_LIMIT,
  encodeCursor,
  everyItem,
  InspectorError,
  readCursor,
} from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource, Page, StoreId, Task } from '@checkpoint-inspector/core';
import { brief } from '../errors.ts';
import type { StoreFailure } from './types.ts';

interface Entry {
  readonly tasks: Promise<readonly Task[]>;
  readonly since: number;
  /** Set once the source has answered: when it is read again. */
  until: number;
}

export type TaskLists = ReturnType<typeof createTaskLists>;

const UNWATCHED_MS = 1000;
/** A watcher tells of changes sooner; this is for what it may miss. */
const WATCHED_MS = 5000;

/**
 * Task lists per store, kept until the store changes. A reading that takes too
 * long continues, and answers a later call.
 */
export function createTaskLists(timeLimitMs: number) {
  const entries = new Map<StoreId, Map<string | undefined, Entry>>();

  const start = (source: CheckpointSource, text: string | undefined): Entry => {
    const ofStore = entries.get(source.info.id) ?? new Map<string | undefined, Entry>();
    // Searches are many and cheap to repeat: only the last one is kept beside the whole list.
    for (const key of ofStore.keys()) if (key !== undefined) ofStore.delete(key);
    const tasks = allTasks(source, text);
    const entry: Entry = { tasks, since: Date.now(), until: Infinity };
    const answered = () => {
      entry.until = Date.now() + (source.watch === undefined ? UNWATCHED_MS : WATCHED_MS);
    };
    const failed = () => {
      if (ofStore.get(text) === entry) ofStore.delete(text);
    };
    tasks.then(answered, failed);
    entries.set(source.info.id, ofStore.set(text, entry));
    return entry;
  };

  return {
    /** @throws InspectorError busy when the store takes longer than the limit, else what the store throws */
    read(source: CheckpointSource, text: string | undefined): Promise<readonly Task[]> {
      const known = entries.get(source.info.id)?.get(text);
      const entry = known !== undefined && known.until > Date.now() ? known : start(source, text);
      // Whoever comes later does not wait for the whole time once more.
      return within(entry.tasks, timeLimitMs, entry.since);
    },
    forget: (store: StoreId) => void entries.delete(store),
  };
}

/** @throws InspectorError busy when the work takes longer; it continues. */
export async function within<T>(work: Promise<T>, limitMs: number, since = Date.now()): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => {
        reject(
          new InspectorError('busy', `This store did not answer within ${limitMs / 1000} s; it is still being read.`),
        );
      },
      since + limitMs - Date.now(),
    );
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export interface NamedTarget {
  readonly location: string;
  readonly name?: string;
}

interface OpenEachOptions {
  readonly open: (location: string, name: string | undefined) => Promise<unknown>;
  readonly isAnyOpen: () => boolean;
  /** How long the next one waits for one that is slow. */
  readonly patienceMs: number;
  /** Told of each that could not be opened, unless that is the end of all. */
  readonly onFailure: (location: string, name: string | undefined, error: unknown) => void;
}

/** As a start opens several stores: in their order, without waiting for a slow one for long. */
export async function openEach(
  targets: readonly NamedTarget[],
  { open, isAnyOpen, patienceMs, onFailure }: OpenEachOptions,
): Promise<void> {
  const errors: unknown[] = [];
  const running: Promise<void>[] = [];
  for (const { location, name } of targets) {
    let isWaitedFor = true;
    let wrong: InspectorError | undefined;
    const work = open(location, name).then(
      () => undefined,
      (error: unknown) => {
        errors.push(error);
        if (isWaitedFor && isWrongTarget(error)) wrong = error;
        else onFailure(location, name, error);
      },
    );
    running.push(work);
    await within(work, patienceMs).catch(() => undefined);
    isWaitedFor = false;
    if (wrong) throw wrong;
  }
  if (isAnyOpen()) return;
  await Promise.all(running);
  if (!isAnyOpen() && errors.length > 0) throw errors[0];
}

/** What the user named is missing, or has no store: that is told at once. */
const isWrongTarget = (error: unknown): error is InspectorError =>
  InspectorError.is(error) && (error.code === 'no_store' || error.code === 'invalid_input');

/** Every task of a source. */
export async function allTasks(source: CheckpointSource, text: string | undefined): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for await (const task of everyItem((query) => source.tasks({ ...query, ...compact({ text }) }))) tasks.push(task);
  return tasks;
}

/** A task's place in the merged list: failed first, then newest, ties by store and id. */
type Place = readonly [rank: number, updatedAt: string, store: string, id: string];

function placeOf(task: Task): Place {
  return [task.status === 'failed' ? 0 : 1, task.updatedAt ?? '', task.store, task.id];
}

function compare(a: Place, b: Place): number {
  return a[0] - b[0] || order(b[1], a[1]) || order(a[2], b[2]) || order(a[3], b[3]);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** One page in merged order. @throws InspectorError invalid_input for a cursor that is not ours */
export function pageOfTasks(tasks: readonly Task[], query: { limit?: number; cursor?: string }): Page<Task> {
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  const rest = tasks
    .map((task) => ({ task, place: placeOf(task) }))
    .filter(({ place }) => after === undefined || compare(place, after) > 0)
    .toSorted((a, b) => compare(a.place, b.place));
  const shown = rest.slice(0, query.limit ?? DEFAULT_LIMIT);
  const last = shown.at(-1);
  const items = shown.map(({ task }) => task);
  return last === undefined || shown.length === rest.length ? { items } : { items, cursor: encodeCursor(last.place) };
}

function decodeCursor(cursor: string): Place {
  const value = readCursor(cursor);
  if (!isPlace(value)) throw new InspectorError('invalid_input', "This cursor isn't from this list.");
  return value;
}

function isPlace(value: unknown): value is Place {
  return (
    Array.isArray(value) &&
    value.length === 4 &&
    value.every((part, at) => typeof part === (at === 0 ? 'number' : 'string'))
  );
}

export const everyTask = (source: CheckpointSource): AsyncGenerator<Task> => everyItem((query) => source.tasks(query));

export const everyRow = (source: CheckpointSource, task: string): AsyncGenerator<CheckpointMeta> =>
  everyItem((query) => source.checkpoints(task, query));

/** Asks every source; one that fails is named, and does not keep anyone from the others. */
export async function askEach<T>(
  sources: readonly CheckpointSource[],
  ask: (source: CheckpointSource) => Promise<T>,
): Promise<{ readonly answers: T[]; readonly failures: StoreFailure[] }> {
  const failures: StoreFailure[] = [];
  const answers = await Promise.all(
    sources.map(async (source) => {
      try {
        return [await ask(source)];
      } catch (error) {
        failures.push({ store: source.info.id, error: brief(error) });
        return [];
      }
    }),
  );
  return { answers: answers.flat(), failures };
}
