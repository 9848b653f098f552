/** The order of the list: worked out again with each answer, and held while somebody is at the list. */
import type { Task, TaskOutcome } from '@checkpoint-inspector/core';
import { useRef, useState } from 'react';
import { groupTasks } from './facets.ts';

export type TaskRow =
  | { readonly kind: 'head'; readonly status: TaskOutcome; readonly count: number }
  | { readonly kind: 'task'; readonly task: Task };

export const taskKey = (task: Pick<Task, 'store' | 'id'>): string => `${task.store}/${task.id}`;

export const rowKey = (row: TaskRow): string => (row.kind === 'head' ? `head ${row.status}` : taskKey(row.task));

/** Groups by status with a head each; a flat list where another order is asked for. */
export function taskRows(tasks: readonly Task[], grouped = true): readonly TaskRow[] {
  if (!grouped) return tasks.map((task) => ({ kind: 'task', task }));
  return groupTasks(tasks).flatMap((group) => [
    { kind: 'head' as const, status: group.status, count: group.tasks.length },
    ...group.tasks.map((task) => ({ kind: 'task' as const, task })),
  ]);
}

/** The held rows with what is known of their tasks now: nothing comes, goes or moves. */
export function refreshed(held: readonly TaskRow[], now: readonly TaskRow[]): readonly TaskRow[] {
  const known = new Map(now.flatMap((row) => (row.kind === 'task' ? [[taskKey(row.task), row]] : [])));
  return held.map((row) => (row.kind === 'head' ? row : (known.get(taskKey(row.task)) ?? row)));
}

/** How many tasks would be elsewhere, come or go. @example movedBetween(held, now) // 1 */
export function movedBetween(held: readonly TaskRow[], now: readonly TaskRow[]): number {
  const [before, after] = [placesOf(held), placesOf(now)];
  const common = [...after.keys()].filter((key) => before.has(key));
  const stays = longestRise(common.map((key) => before.get(key) ?? 0));
  return Math.max(before.size, after.size) - stays;
}

/** Task and group -> place among the tasks: in another group it is another one. */
function placesOf(rows: readonly TaskRow[]): Map<string, number> {
  const places = new Map<string, number>();
  let group = '';
  for (const row of rows) {
    if (row.kind === 'head') group = row.status;
    else places.set(`${group} ${taskKey(row.task)}`, places.size);
  }
  return places;
}

/** The length of the longest rising part of a sequence: so many can stay where they are. */
function longestRise(numbers: readonly number[]): number {
  const ends: number[] = [];
  for (const number of numbers) {
    const at = ends.findIndex((end) => end >= number);
    ends[at < 0 ? ends.length : at] = number;
  }
  return ends.length;
}

/** `hold` while pointer or focus is in the list; `reorder` brings the rows into their order at once. */
export function useHeldRows(now: readonly TaskRow[], shownBy: string) {
  const [held, setHeld] = useState<{ readonly rows: readonly TaskRow[]; readonly shownBy: string }>();
  const latest = useRef({ now, shownBy });
  latest.current = { now, shownBy };
  // Another filter or order is the reader's own wish.
  const kept = held?.shownBy === shownBy ? held.rows : undefined;
  const take = (): void => setHeld({ rows: latest.current.now, shownBy: latest.current.shownBy });
  return {
    rows: kept ? refreshed(kept, now) : now,
    moved: kept ? movedBetween(kept, now) : 0,
    isHeld: held !== undefined,
    hold: (): void => setHeld((before) => before ?? { rows: latest.current.now, shownBy: latest.current.shownBy }),
    release: (): void => setHeld(undefined),
    reorder: take,
  };
}
