/** Filter, sort and count tasks. Counts of a facet are over all tasks that the other facets leave. */
import { outcomeOf, type Task, type TaskOutcome } from '@checkpoint-inspector/core';
import type { Sort } from '../../lib/search.ts';

export const STATUS_ORDER: readonly TaskOutcome[] = [
  'failed',
  'check_failed',
  'interrupted',
  'running',
  'pending',
  'completed',
  'unknown',
];

interface TaskFilter {
  readonly status?: readonly string[] | undefined;
  readonly store?: readonly string[] | undefined;
  readonly problem?: 'unreadable' | undefined;
}

export type FacetName = keyof TaskFilter;

/** Without archived tasks, unless they are asked for; the open one stays in any case. */
export function listed(
  tasks: readonly Task[],
  archived: '1' | undefined,
  open?: Pick<Task, 'id'> & { readonly store: string },
): readonly Task[] {
  if (archived !== undefined) return tasks;
  return tasks.filter((task) => task.kind !== 'archived' || (task.id === open?.id && task.store === open.store));
}

export const countArchived = (tasks: readonly Task[]): number =>
  tasks.filter((task) => task.kind === 'archived').length;

const TESTS: Record<FacetName, (task: Task, filter: TaskFilter) => boolean> = {
  status: (task, { status }) => !status || status.length === 0 || status.includes(outcomeOf(task)),
  store: (task, { store }) => !store || store.length === 0 || store.includes(task.store),
  problem: (task, { problem }) => problem === undefined || task.unreadable > 0,
};
const FACETS: readonly FacetName[] = ['status', 'store', 'problem'];

export function filterTasks(tasks: readonly Task[], filter: TaskFilter, except?: FacetName): Task[] {
  return tasks.filter((task) => FACETS.every((facet) => facet === except || TESTS[facet](task, filter)));
}

/** How many tasks each facet alone takes away: for the sentence of an empty list. */
export function removedBy(tasks: readonly Task[], filter: TaskFilter): { facet: FacetName; count: number }[] {
  return FACETS.map((facet) => ({ facet, count: tasks.filter((task) => !TESTS[facet](task, filter)).length })).filter(
    ({ count }) => count > 0,
  );
}

export function countBy<K extends string>(tasks: readonly Task[], keyOf: (task: Task) => K): Map<K, number> {
  const counts = new Map<K, number>();
  for (const task of tasks) counts.set(keyOf(task), (counts.get(keyOf(task)) ?? 0) + 1);
  return counts;
}

const byTime = (a: Task, b: Task): number => (b.updatedAt ?? '').localeCompare(a.updatedAt ?? '');
const rank = (task: Task): number => STATUS_ORDER.indexOf(outcomeOf(task));

const COMPARE: Record<Sort, (a: Task, b: Task) => number> = {
  failed: (a, b) => rank(a) - rank(b) || byTime(a, b),
  newest: byTime,
  name: (a, b) => a.title.localeCompare(b.title),
  size: (a, b) => (b.sizeBytes ?? 0) - (a.sizeBytes ?? 0),
  checkpoints: (a, b) => b.checkpointCount - a.checkpointCount,
};

/** Stable: ties keep the order of the server. */
export const sortTasks = (tasks: readonly Task[], sort: Sort): Task[] => [...tasks].sort(COMPARE[sort]);

interface TaskGroup {
  readonly status: TaskOutcome;
  readonly tasks: readonly Task[];
}

/** Groups by status, failed first; empty groups are left out. */
export function groupTasks(tasks: readonly Task[]): TaskGroup[] {
  return STATUS_ORDER.map((status) => ({ status, tasks: tasks.filter((task) => outcomeOf(task) === status) })).filter(
    (group) => group.tasks.length > 0,
  );
}

const NUMBERS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'];

export const countOf = (tasks: readonly Task[], outcome: TaskOutcome): number =>
  tasks.filter((task) => outcomeOf(task) === outcome).length;

/** The answer first. @example headline(tasks) // 'Three tasks failed' */
export function headline(tasks: readonly Task[]): string {
  const count = (outcome: TaskOutcome): number => countOf(tasks, outcome);
  const say = (n: number, words: string): string => `${NUMBERS[n] ?? n} ${n === 1 ? 'task' : 'tasks'} ${words}`;
  const failed = count('failed');
  if (failed > 0) return say(failed, 'failed');
  const checks = count('check_failed');
  if (checks > 0) return say(checks, checks === 1 ? 'has a failed check' : 'have failed checks');
  const waiting = count('interrupted');
  if (waiting > 0) return say(waiting, waiting === 1 ? 'is interrupted' : 'are interrupted');
  const running = count('running');
  if (running > 0) return say(running, running === 1 ? 'is running' : 'are running');
  return tasks.length === 0 ? 'No tasks' : 'No task failed';
}
