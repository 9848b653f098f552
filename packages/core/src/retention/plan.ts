import { stepNameOf, type StepName } from '../change/index.ts';
import { refOfMeta } from '../ids.ts';
import { eachInSteps, toEnd, type InSteps } from '../in-steps.ts';
import type { CheckpointMeta, CheckpointRef } from '../model.ts';
import { checkedPolicy, matchReason, type RetentionPolicy } from './match.ts';
import { forkPoints, ownReasons } from './protect.ts';

export interface RetentionItem {
  readonly ref: CheckpointRef;
  /** In words: why it goes, stays or is left out. */
  readonly reason: string;
  readonly sizeBytes: number;
  readonly step: StepName;
}

export interface RetentionOptions {
  readonly now: Date;
  /** Why this row stays whatever the policy says (a bookmark), in words; absent: the policy decides. */
  readonly protectedBy?: (row: CheckpointMeta) => string | undefined;
}

/** Every row is in exactly one of the lists, or is one of `others`. */
export interface RetentionPlan {
  readonly drop: readonly RetentionItem[];
  /** What the policy names and what stays all the same; the latest always is here. */
  readonly keep: readonly RetentionItem[];
  /** What cannot be read, and so is neither named nor counted. */
  readonly skipped: readonly RetentionItem[];
  /** How many readable rows the policy does not name. */
  readonly others: number;
}

/**
 * What a policy deletes of one task. `rows` are all rows of the task in resume order, newest first, as
 * `checkpoints(task)` lists them. Whatever a stricter policy drops, a wider one drops too.
 * @throws InspectorError invalid_input: the policy names nothing
 * @example planRetention(rows, { olderThanDays: 30 }, { now: new Date() }).drop
 */
export const planRetention = (
  rows: readonly CheckpointMeta[],
  policy: RetentionPolicy,
  options: RetentionOptions,
): RetentionPlan => toEnd(planRetentionInSteps(rows, policy, options));

/** As `planRetention`, with stops: a task may have very many rows. */
export function* planRetentionInSteps(
  rows: readonly CheckpointMeta[],
  policy: RetentionPolicy,
  { now, protectedBy = () => undefined }: RetentionOptions,
): InSteps<RetentionPlan> {
  const wanted = checkedPolicy(policy);
  const readable = rows.filter((row) => row.problem === undefined);
  const matched = new Map<CheckpointMeta, string>();
  yield* eachInSteps(readable, (row, rank) => {
    const reason = matchReason(row, rank, wanted, now);
    if (reason !== undefined) matched.set(row, reason);
  });
  const own = yield* ownReasons(readable, protectedBy);
  const points = yield* forkPoints(
    rows,
    rows.filter((row) => !matched.has(row) || own.has(row)),
  );
  const drop: RetentionItem[] = [];
  const keep: RetentionItem[] = [];
  yield* eachInSteps(readable, (row) => {
    const [named, stays] = [matched.get(row), own.get(row) ?? points.get(row)];
    if (stays === undefined && named !== undefined) drop.push(itemOf(row, named));
    else if (stays !== undefined && (named !== undefined || row.isLatest)) keep.push(itemOf(row, stays));
  });
  const skipped = rows.flatMap((row) => (row.problem === undefined ? [] : [itemOf(row, row.problem.message)]));
  return { drop, keep, skipped, others: readable.length - drop.length - keep.length };
}

function itemOf(row: CheckpointMeta, reason: string): RetentionItem {
  return { ref: refOfMeta(row), reason, sizeBytes: row.sizeBytes, step: stepNameOf(row) };
}
