import type { CheckpointMeta, Task } from '@checkpoint-inspector/core';
import { defined } from '../folder/document.ts';
import type { ListedRow, ListedTask } from '../kit/listed.ts';
import type { Place } from './contract.ts';
import type { Runs, RunTask } from './runs.ts';

export function toTask({ id, heads, updatedAt }: RunTask): ListedTask {
  const [root] = heads;
  return defined({
    id,
    title: `${root.name}: ${id}`,
    updatedAt: updatedAt || undefined,
    sizeBytes: heads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    kind: root.oddKey === undefined ? undefined : ('unassigned' as const),
  });
}

export function more(runs: Runs, task: string): Partial<Task> {
  const error = runs.latest(task)?.run?.error;
  return error === undefined ? {} : { lastError: error };
}

export function toRow(place: Place): ListedRow {
  const { ref, head, step, run, isRow, parent } = place;
  const createdAt = isRow ? (head.updatedAt ?? step.endedAt) : (step.endedAt ?? head.createdAt);
  return defined({
    id: ref.id,
    namespace: ref.namespace,
    parent: parent ?? ('none' as const),
    // Only where a run was taken up from another is the edge stored; within a run it is the order of its steps.
    lineage: parent?.task === ref.task ? ('inferred' as const) : undefined,
    stepIndex: run && step.index,
    totalSteps: run?.totalSteps,
    createdAt,
    timeBasis: createdAt === undefined ? ('none' as const) : ('utc' as const),
    trigger: run && step.index === 0 ? ('input' as const) : undefined,
    status: statusOf(place),
    description: step.description,
    labels: isRow ? (run?.labels ?? []) : [],
    durationMs: step.durationMs,
    sizeBytes: isRow ? head.sizeBytes : step.sizeBytes,
    problem: place.problem,
  });
}

/** An older place has done what it is named for. */
function statusOf({ run, isRow }: Place): CheckpointMeta['status'] {
  if (!run) return 'unknown';
  return isRow ? run.status : 'completed';
}
