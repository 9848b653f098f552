import type { Task } from '@checkpoint-inspector/core';
import { sameTask } from '../failures/task-index.ts';

/** A task that is known of a store. */
export interface Known {
  readonly task: Task;
  /** Which part of the first reading brought it: a list that is read on is paged part by part. */
  readonly part: number;
  /** The last reading that has met it. */
  readonly seen: number;
}

/** What the order within one rank is decided by. */
export type Timed = Pick<Task, 'updatedAt' | 'id' | 'store'>;

export const RANKS = [0, 1] as const;
export type Rank = (typeof RANKS)[number];

export const rankOf = ({ status }: Task): Rank => (status === 'failed' ? 0 : 1);

/** Newest first, ties by store and id. */
export function byTime(a: Timed, b: Timed): number {
  return order(b.updatedAt ?? '', a.updatedAt ?? '') || order(a.store, b.store) || order(a.id, b.id);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The tasks of one store that are known so far, in order: failed ones, and the others. */
export class TaskOrder {
  /** Ids of tasks that are new, others than before or gone, until it is cleared. */
  readonly found = new Set<string>();
  readonly #known = new Map<string, Known>();
  #ranks: readonly [Known[], Known[]] = [[], []];

  get size(): number {
    return this.#known.size;
  }

  of(rank: Rank): readonly Known[] {
    return this.#ranks[rank];
  }

  /** A task that is known keeps its part. */
  put(tasks: readonly Task[], part: number, seen: number): void {
    const fresh: [Known[], Known[]] = [[], []];
    for (const task of new Map(tasks.map((one) => [one.id, one])).values()) {
      const before = this.#known.get(task.id);
      const known = { task, part: before?.part ?? part, seen };
      this.#known.set(task.id, known);
      if (before === undefined || !sameTask(before.task, task)) this.found.add(task.id);
      const at = before === undefined ? -1 : this.#placeOf(before);
      const rows = this.#ranks[rankOf(task)];
      if (before && rankOf(before.task) === rankOf(task) && byTime(before.task, task) === 0) rows[at] = known;
      else {
        if (before) this.#ranks[rankOf(before.task)].splice(at, 1);
        fresh[rankOf(task)].push(known);
      }
    }
    this.#ranks = [merged(this.#ranks[0], fresh[0]), merged(this.#ranks[1], fresh[1])];
  }

  /** Those that a reading has not met are gone: all of them, or those that come before the last one it met. */
  dropUnseen(since: number, last?: Timed): void {
    const met = (rows: readonly Known[]): Known[] => {
      const end = last === undefined ? rows.length : firstAfter(rows, last);
      const kept: Known[] = [];
      for (const known of rows.slice(0, end)) {
        if (known.seen >= since) kept.push(known);
        else {
          this.#known.delete(known.task.id);
          this.found.add(known.task.id);
        }
      }
      return kept.concat(rows.slice(end));
    };
    this.#ranks = [met(this.#ranks[0]), met(this.#ranks[1])];
  }

  #placeOf({ task }: Known): number {
    return firstAfter(this.#ranks[rankOf(task)], task) - 1;
  }
}

/** How many come before it or are it. */
export function firstAfter(rows: readonly Known[], place: Timed): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = rows[middle];
    if (other && byTime(other.task, place) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Two lists in one, both in order then. What a source lists next usually comes behind all that is known. */
function merged(rows: Known[], fresh: Known[]): Known[] {
  if (fresh.length === 0) return rows;
  const sorted = fresh.toSorted((a, b) => byTime(a.task, b.task));
  const [last, first] = [rows.at(-1), sorted[0]];
  if (last === undefined || (first && byTime(last.task, first.task) < 0)) {
    for (const known of sorted) rows.push(known);
    return rows;
  }
  const parts: (readonly Known[])[] = [];
  let from = 0;
  for (const known of sorted) {
    const to = firstAfter(rows, known.task);
    parts.push(rows.slice(from, to), [known]);
    from = to;
  }
  return [...parts, rows.slice(from)].flat();
}
