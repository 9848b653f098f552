import { compact } from '../compact.ts';
import { refKey, type Address } from '../ids.ts';
import type { CheckpointRef, LineageRow, StoreId } from '../model.ts';
import { normaliseMessage } from './normalise.ts';

/** Where nothing before a failure is good: the same words on every face. */
export const NO_LAST_GOOD = 'No earlier good checkpoint';

/** By what people call it. */
export interface FailedStep {
  readonly seq: number;
  readonly stepIndex?: number;
  readonly description?: string;
}

/** One failed checkpoint. */
export interface Failure {
  /** The run completed, and a check in its state failed. */
  readonly outcome?: 'check_failed';
  readonly at: Address & { readonly store: StoreId };
  readonly title: string;
  readonly system: string;
  readonly agentId?: string;
  /** In the words of the store; absent where it says none. */
  readonly message?: string;
  /** ISO 8601 UTC. */
  readonly time?: string;
  /** The step that failed. */
  readonly step?: FailedStep;
  /** True when this failure is the task's latest checkpoint. */
  readonly current: boolean;
  /** Last good by the store's record: the nearest readable ancestor that did not fail, or `at` where the failed step saved none. */
  readonly lastNotFailed?: Address & { readonly store: StoreId };
}

/** The failures of one task in a group. */
export interface FailedTask {
  readonly store: StoreId;
  readonly task: string;
  readonly title: string;
  readonly system: string;
  readonly agentId?: string;
  readonly count: number;
  /** True when such a failure is the task's latest checkpoint. */
  readonly current: boolean;
  /** Its newest failure of this kind. */
  readonly failed: Failure['at'];
  readonly lastNotFailed?: Failure['at'];
  readonly step?: FailedStep;
  readonly time?: string;
  readonly message?: string;
}

/** Failures of one kind: `count` checkpoints in `tasks`. */
export interface FailureGroup {
  /** Checks that failed, in runs that completed: never in one group with errors. */
  readonly outcome?: 'check_failed';
  /** Stable: of the message without what differs, in lower case. Empty where no message is stored. */
  readonly key: string;
  /** `API timeout after <n> s` */
  readonly pattern: string;
  readonly count: number;
  /** Tasks with a current failure come first, then the newest. */
  readonly tasks: readonly FailedTask[];
  /** How many of them are current. */
  readonly current: number;
  readonly firstSeen?: string;
  readonly lastSeen?: string;
  /** How many in each of the last 24 hours, the oldest hour first; failures without a time are in none. */
  readonly hours: readonly number[];
  /** The newest one in its own words, and where it is. */
  readonly example: { readonly at: Failure['at']; readonly message?: string };
}

/**
 * Failures by the kind of their message: groups with current failures first, then the newest, then the largest.
 * @param failures in any order
 * @param now ends the last of the 24 hours
 */
export function groupFailures(failures: Iterable<Failure>, now = Date.now()): readonly FailureGroup[] {
  const kinds = new Map<string, { pattern: string; failures: Failure[] }>();
  for (const failure of failures) {
    const { key: words, pattern } = normaliseMessage(failure.message ?? '');
    const key = failure.outcome === undefined ? words : `${failure.outcome}: ${words}`;
    const kind = kinds.get(key) ?? { pattern, failures: [] };
    kind.failures.push(failure);
    kinds.set(key, kind);
  }
  return [...kinds]
    .map(([key, kind]) => toGroup(key, kind.pattern, kind.failures.sort(newestFirst), now))
    .sort(groupOrder);
}

const HOUR_MS = 3_600_000;
const HOURS = 24;

function hoursOf(times: readonly string[], now: number): readonly number[] {
  const hours = Array.from({ length: HOURS }, () => 0);
  for (const time of times) {
    // A clock that is ahead of ours counts as now.
    const at = HOURS - 1 - Math.floor(Math.max(0, now - Date.parse(time)) / HOUR_MS);
    const before = hours[at];
    if (before !== undefined) hours[at] = before + 1;
  }
  return hours;
}

function toGroup(key: string, pattern: string, failures: readonly Failure[], now: number): FailureGroup {
  const times = failures.flatMap(({ time }) => time ?? []);
  const [lastSeen, firstSeen] = [times[0], times.at(-1)];
  const newest = failures.find(({ current }) => current) ?? failures[0];
  if (newest === undefined) throw new RangeError('A group needs at least one failure.');
  const tasks = tasksOf(failures);
  return {
    ...compact({ outcome: newest.outcome }),
    key,
    pattern,
    count: failures.length,
    tasks,
    current: tasks.filter(({ current }) => current).length,
    ...compact({ firstSeen, lastSeen }),
    hours: hoursOf(times, now),
    example: compact({ at: newest.at, message: newest.message }),
  };
}

/** Failures come newest first, so the first of a task is its newest; the one it is at now goes before it. */
function tasksOf(failures: readonly Failure[]): FailedTask[] {
  const byTask = new Map<string, Failure[]>();
  for (const failure of failures) {
    const key = JSON.stringify([failure.at.store, failure.at.task]);
    const own = byTask.get(key);
    if (own) own.push(failure);
    else byTask.set(key, [failure]);
  }
  const tasks = [...byTask.values()].flatMap((own): FailedTask[] => {
    const shown = own.find(({ current }) => current) ?? own[0];
    if (shown === undefined) return [];
    const { at, title, system, agentId, current, lastNotFailed, step, time, message } = shown;
    const { store, task } = at;
    const count = own.length;
    return [
      compact({ store, task, title, system, agentId, count, current, failed: at, lastNotFailed, step, time, message }),
    ];
  });
  return tasks.sort((a, b) => Number(b.current) - Number(a.current) || byTime(a.time, b.time));
}

function groupOrder(a: FailureGroup, b: FailureGroup): number {
  const standing = Number(b.current > 0) - Number(a.current > 0);
  return standing || byTime(timeOf(a), timeOf(b)) || b.count - a.count || (a.key < b.key ? -1 : 1);
}

/** A failure that its task continued from does not move a group at which another one stands. */
function timeOf({ current, tasks, lastSeen }: FailureGroup): string | undefined {
  return current > 0 ? tasks[0]?.time : lastSeen;
}

function newestFirst(a: Failure, b: Failure): number {
  return byTime(a.time, b.time);
}

/** Newest first; what has no time comes last. Times are ISO 8601 UTC, some with microseconds. */
function byTime(a: string | undefined, b: string | undefined): number {
  return (b === undefined ? 0 : Date.parse(b)) - (a === undefined ? 0 : Date.parse(a));
}

/**
 * The way back from a failed checkpoint over its parents, nearest first: those that did not fail. The first of them
 * is the last good one; the next are for when it cannot be read. A cycle or a parent that is gone ends the way.
 * @param rowOf the rows of the task by ref
 * @example const [good] = goodAncestors(failed, (ref) => rows.get(refKey(ref)));
 */
export function* goodAncestors(
  failed: LineageRow,
  rowOf: (ref: CheckpointRef) => LineageRow | undefined,
): Generator<CheckpointRef, void> {
  const seen = new Set<string>();
  for (let ref = failed.parent; ref !== undefined && !seen.has(refKey(ref));) {
    seen.add(refKey(ref));
    const row = rowOf(ref);
    if (row === undefined) return;
    if (row.status !== 'failed') yield ref;
    ref = row.parent;
  }
}
