/** Pages of the tasks of several stores. A list that is still being read is paged part by part, so that no task is missed. */
import { DEFAULT_LIMIT, encodeCursor, foreignCursor, InspectorError, readCursor } from '@checkpoint-inspector/core';
import type { Task } from '@checkpoint-inspector/core';
import type { StoreTasks } from './store-tasks.ts';
import { byTime, firstAfter, rankOf, RANKS, type Known, type Rank, type Timed } from './task-order.ts';

/** What a page continues with: a task's place, in tasks that were known when its part of the list was begun. */
export interface TaskCursor {
  /** Absent at the start of a further part. */
  readonly after?: Timed & { readonly rank: Rank };
  /** The part of each store that was last in what is listed already; absent for all stores in the first part. */
  readonly from?: Parts;
  /** The last part of each store that is listed now; absent where its end is. */
  readonly to?: Parts;
}

/** By store: the name of the reading, and the number of its part. */
export type Parts = Readonly<Record<string, readonly [name: string, part: number]>>;

interface Page {
  readonly items: readonly Task[];
  /** More follow in the same part. */
  readonly more: boolean;
}

/** Of these lists, by their store. */
export type Lists = ReadonlyMap<string, StoreTasks>;

/** The parts that are known now; of stores that are known whole none. */
export function partsOf(lists: Lists): Parts {
  const parts: Record<string, readonly [string, number]> = {};
  for (const [store, list] of lists) if (list.lastPart !== undefined) parts[store] = [list.name, list.lastPart];
  return parts;
}

/** @throws InspectorError invalid_input where a list was read again since the cursor was given */
export function pageOf(
  lists: Lists,
  { after, from, to = {} }: TaskCursor,
  isWanted: (task: Task) => boolean,
  limit = DEFAULT_LIMIT,
): Page {
  const items: Task[] = [];
  const taking = [...lists].filter(([store]) => from === undefined || Object.hasOwn(from, store));
  const inPart = taking.map(([store, list]) => {
    const [low, high] = [partIn(from, store, list) ?? -1, partIn(to, store, list) ?? Infinity];
    return { list, isListed: ({ task, part }: Known) => part > low && part <= high && isWanted(task) };
  });
  for (const rank of RANKS) {
    if (after !== undefined && after.rank > rank) continue;
    const heads = inPart.map(({ list, isListed }) => {
      const rows = list.order.of(rank);
      return nextOf({ rows, isListed, at: after?.rank === rank ? firstAfter(rows, after) : 0 });
    });
    for (;;) {
      const first = firstOf(heads);
      if (first?.now === undefined) break;
      if (items.length === limit) return { items, more: true };
      items.push(first.now.task);
      first.at++;
      nextOf(first);
    }
  }
  return { items, more: false };
}

interface Head {
  readonly rows: readonly Known[];
  readonly isListed: (known: Known) => boolean;
  at: number;
  now?: Known | undefined;
}

function nextOf(head: Head): Head {
  while (head.at < head.rows.length) {
    const known = head.rows[head.at];
    if (known && head.isListed(known)) break;
    head.at++;
  }
  head.now = head.rows[head.at];
  return head;
}

function firstOf(heads: readonly Head[]): Head | undefined {
  let first: Head | undefined;
  for (const head of heads) {
    if (head.now && (first?.now === undefined || byTime(head.now.task, first.now.task) < 0)) first = head;
  }
  return first;
}

function partIn(parts: Parts | undefined, store: string, list: StoreTasks): number | undefined {
  if (parts === undefined || !Object.hasOwn(parts, store)) return undefined;
  const [name, part] = parts[store] ?? [];
  if (name === list.name) return part;
  throw new InspectorError('invalid_input', 'This list was read again from the beginning since its first page.', {
    remedy: 'Request the first page again, without a cursor.',
  });
}

export function cursorAfter(task: Task, { from, to }: TaskCursor): string {
  const place = [rankOf(task), task.updatedAt ?? '', task.store, task.id];
  const isWhole = from === undefined && Object.keys(to ?? {}).length === 0;
  return encodeCursor(isWhole ? place : [...place, JSON.stringify([from ?? null, to ?? {}])]);
}

/** Of what was not known yet. */
export const cursorFrom = (from: Parts): string => encodeCursor(['more', JSON.stringify(from)]);

/** @throws InspectorError invalid_input for a cursor that is not ours */
export function taskCursor(cursor: string): TaskCursor {
  const value = readCursor(cursor);
  if (!Array.isArray(value)) throw foreignCursor();
  const [rank, updatedAt, store, id, parts]: unknown[] = value;
  if (rank === 'more' && value.length === 2) return { from: partsIn(parsed(updatedAt)) };
  const isPlace = typeof updatedAt === 'string' && typeof store === 'string' && typeof id === 'string';
  if ((rank !== 0 && rank !== 1) || !isPlace || value.length > 5) throw foreignCursor();
  const after: TaskCursor['after'] = { rank, updatedAt, id, store: storeIdSaid(store) };
  if (parts === undefined) return { after };
  const both = parsed(parts);
  if (!Array.isArray(both)) throw foreignCursor();
  const [from, to]: unknown[] = both;
  return { after, to: partsIn(to), ...(from === null ? {} : { from: partsIn(from) }) };
}

/** Only compared with the ids of stores, never looked up. */
const storeIdSaid = (text: string): Task['store'] => text as Task['store'];

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    throw foreignCursor();
  }
}

function partsIn(value: unknown): Parts {
  if (typeof value !== 'object' || value === null) throw foreignCursor();
  return Object.fromEntries(
    Object.entries(value).map(([store, part]: [string, unknown]) => {
      if (!Array.isArray(part)) throw foreignCursor();
      const [name, number]: unknown[] = part;
      if (typeof name !== 'string' || typeof number !== 'number') throw foreignCursor();
      return [store, [name, number] as const];
    }),
  );
}
