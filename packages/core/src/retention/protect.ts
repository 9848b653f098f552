/** What stays although a policy names it. */
import { refKey, refOfMeta } from '../ids.ts';
import { eachInSteps, mapInSteps, type InSteps } from '../in-steps.ts';
import type { CheckpointMeta, Trigger } from '../model.ts';

/** Made from another checkpoint on purpose, not by going on from it. */
const BRANCHES: ReadonlySet<Trigger | undefined> = new Set(['fork', 'restore', 'edit']);

const keyOf = (row: CheckpointMeta): string => refKey(refOfMeta(row));

function parentKey(row: CheckpointMeta): string | undefined {
  if (row.parentId === undefined) return undefined;
  return refKey({ task: row.parentTaskId ?? row.taskId, namespace: row.namespace, id: row.parentId });
}

/** An inferred edge is only the order of saves; nothing was made along it. */
const isMade = (row: CheckpointMeta): boolean => row.lineage === 'recorded' || row.lineage === 'sidecar';

/**
 * Why rows stay on their own account: the latest, the newest of each namespace, open requests, and what `protectedBy`
 * says. `rows` are readable, in resume order, newest first.
 */
export function* ownReasons(
  rows: readonly CheckpointMeta[],
  protectedBy: (row: CheckpointMeta) => string | undefined,
): InSteps<ReadonlyMap<CheckpointMeta, string>> {
  const parents = new Set(yield* mapInSteps(rows, parentKey));
  const namespaces = new Set<string>();
  const reasons = new Map<CheckpointMeta, string>();
  yield* eachInSteps(rows, (row) => {
    const namespace = row.namespace ?? '';
    const isNewest = !namespaces.has(namespace);
    namespaces.add(namespace);
    const reason = reasonOf(row, isNewest, !parents.has(keyOf(row))) ?? protectedBy(row);
    if (reason !== undefined) reasons.set(row, reason);
  });
  return reasons;
}

function reasonOf(row: CheckpointMeta, isNewest: boolean, isEnd: boolean): string | undefined {
  if (row.isLatest) return 'latest: the task resumes from it';
  if (isNewest) return row.namespace ? `newest in ${row.namespace}` : 'newest readable checkpoint';
  if (!isEnd) return undefined;
  if (row.status === 'interrupted') return "waiting for a person's answer";
  return row.status === 'pending' ? 'waiting to be resumed' : undefined;
}

/**
 * Fork points of what stays: where at least two branches with something that stays part, and what a kept fork,
 * restore or edit was made from. `stays` are all rows that do.
 */
export function* forkPoints(
  rows: readonly CheckpointMeta[],
  stays: readonly CheckpointMeta[],
): InSteps<ReadonlyMap<CheckpointMeta, string>> {
  const byKey = new Map<string, CheckpointMeta>();
  yield* eachInSteps(rows, (row) => void byKey.set(keyOf(row), row));
  const staying = new Set(stays);
  const alive = new Set<CheckpointMeta>();
  yield* eachInSteps(stays, (row) => {
    for (let at: CheckpointMeta | undefined = row; at !== undefined && !alive.has(at); at = madeFrom(at, byKey))
      alive.add(at);
  });
  const counts = new Map<CheckpointMeta, { branches: number; made: CheckpointMeta[] }>();
  for (const child of alive) {
    const parent = madeFrom(child, byKey);
    if (parent === undefined) continue;
    const count = counts.get(parent) ?? { branches: 0, made: [] };
    count.branches++;
    if (child.lineage === 'sidecar' || BRANCHES.has(child.trigger)) count.made.push(child);
    counts.set(parent, count);
  }
  const points = new Map<CheckpointMeta, string>();
  for (const [row, { branches, made }] of counts) {
    if (made.length > 0) points.set(row, madeReason(made, staying));
    else if (branches > 1) points.set(row, `fork point of ${branches} branches that are kept`);
  }
  return points;
}

/** The copy itself may go while others that came after it stay. */
function madeReason(made: readonly CheckpointMeta[], staying: ReadonlySet<CheckpointMeta>): string {
  const named = made.find((row) => staying.has(row)) ?? made[0];
  const more = made.length === 1 ? '' : ` and ${made.length - 1} more`;
  const what = named !== undefined && staying.has(named) ? 'its copy is kept' : 'the branch made from it is kept';
  return `${what}: ${named?.id ?? ''}${more}`;
}

function madeFrom(row: CheckpointMeta, byKey: ReadonlyMap<string, CheckpointMeta>): CheckpointMeta | undefined {
  const key = isMade(row) ? parentKey(row) : undefined;
  return key === undefined ? undefined : byKey.get(key);
}
