import { everyItem, InspectorError } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource, StoreId, Task } from '@checkpoint-inspector/core';
import { brief } from '../errors.ts';
import { StoreTasks } from './store-tasks.ts';
import type { StoreFailure } from './types.ts';

export type TaskLists = ReturnType<typeof createTaskLists>;

/** What has to be known before a page is made of it. */
export interface Wanted {
  readonly text: string | undefined;
  readonly limit: number;
  /** All of it. */
  readonly isWhole?: boolean;
  /** The reading that a cursor names, and the part that must be followed by another one. */
  readonly beyond?: readonly [name: string, part: number | undefined] | undefined;
}

/** Task lists per store: kept, read on in the background, and looked at again when the store changes. */
export function createTaskLists(timeLimitMs: number, onFound: (store: StoreId, tasks: readonly string[]) => void) {
  const entries = new Map<StoreId, Map<string | undefined, StoreTasks>>();

  const listOf = (source: CheckpointSource, { text, beyond }: Wanted): StoreTasks => {
    const ofStore = entries.get(source.info.id) ?? new Map<string | undefined, StoreTasks>();
    entries.set(source.info.id, ofStore);
    const [whole, own] = [ofStore.get(undefined), ofStore.get(text)];
    // A list that is known whole needs no search, unless a search is paged that was begun before.
    if (whole?.isWhole && !(own && beyond?.[0] === own.name)) return whole;
    if (own) return own;
    // Searches are many and cheap to repeat: only the last one is kept beside the whole list.
    for (const [key, list] of ofStore) {
      if (key === undefined || text === undefined) continue;
      list.close();
      ofStore.delete(key);
    }
    const list = new StoreTasks(source, text, (tasks) => onFound(source.info.id, tasks));
    ofStore.set(text, list);
    return list;
  };
  const drop = (store: StoreId, list: StoreTasks): void => {
    const ofStore = entries.get(store);
    list.close();
    for (const [key, one] of ofStore ?? []) if (one === list) ofStore?.delete(key);
  };
  const ready = async (list: StoreTasks, { limit, isWhole = false, beyond }: Wanted) => {
    const part = beyond?.[1] ?? -1;
    // Whoever comes later does not wait for the whole time once more.
    await within(list.refresh(limit), timeLimitMs, list.since);
    const isKnown = (): boolean => list.isWhole || (!isWhole && (list.lastPart ?? part) > part);
    while (!isKnown()) await within(list.more(), timeLimitMs);
  };

  return {
    /** @throws InspectorError busy when nothing comes within the limit, else what the store throws */
    async read(source: CheckpointSource, wanted: Wanted): Promise<StoreTasks> {
      const list = listOf(source, wanted);
      try {
        await ready(list, wanted);
        return list;
      } catch (error) {
        if (list.isFailed) drop(source.info.id, list);
        throw error;
      }
    },
    /** Something in it has changed. */
    touch: (store: StoreId): void => entries.get(store)?.forEach((list) => list.touch()),
    forget(store: StoreId): void {
      entries.get(store)?.forEach((list) => list.close());
      entries.delete(store);
    },
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
  /** Told of each that could not be opened. */
  readonly onFailure: (location: string, name: string | undefined, error: unknown) => void;
}

/** As a start opens several stores: in their order, without waiting for a slow one for long; one that fails stops none. */
export async function openEach(
  targets: readonly NamedTarget[],
  { open, isAnyOpen, patienceMs, onFailure }: OpenEachOptions,
): Promise<void> {
  const errors: unknown[] = [];
  const running: Promise<void>[] = [];
  for (const { location, name } of targets) {
    const work = open(location, name).then(
      () => undefined,
      (error: unknown) => {
        errors.push(error);
        onFailure(location, name, error);
      },
    );
    running.push(work);
    await within(work, patienceMs).catch(() => undefined);
  }
  if (isAnyOpen()) return;
  await Promise.all(running);
  if (!isAnyOpen() && errors.length > 0) throw errors[0];
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
