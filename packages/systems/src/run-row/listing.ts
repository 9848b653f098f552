import type { CheckpointMeta, LineageRow, StoreId, Task } from '@checkpoint-inspector/core';
import { defined } from '../folder/document.ts';
import type { Place } from './contract.ts';
import type { Runs, RunTask } from './runs.ts';

export function toTask(store: StoreId, runs: Runs, task: RunTask): Task {
  const places = runs.places(task.id);
  const latest = places.find(({ isLatest }) => isLatest);
  const [root] = task.heads;
  return defined({
    store,
    id: task.id,
    title: titleOf(task),
    system: runs.rules.system,
    checkpointCount: places.length,
    unreadable: places.filter(({ problem }) => problem).length,
    latestId: latest?.ref.id,
    latestNamespace: latest?.ref.namespace,
    status: latest?.run?.status ?? 'unknown',
    lastError: latest?.run?.error,
    updatedAt: task.updatedAt || undefined,
    sizeBytes: task.heads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    kind: root.oddKey === undefined ? undefined : 'unassigned',
  });
}

export const titleOf = ({ id, heads }: RunTask): string => `${heads[0].name}: ${id}`;

export function toMeta(store: StoreId, place: Place): CheckpointMeta {
  const { ref, head, step, run, isRow } = place;
  const createdAt = isRow ? (head.updatedAt ?? step.endedAt) : (step.endedAt ?? head.createdAt);
  return defined({
    store,
    id: ref.id,
    taskId: ref.task,
    namespace: ref.namespace,
    parentId: place.parent?.id,
    parentTaskId: place.parent?.task === ref.task ? undefined : place.parent?.task,
    lineage: kindOf(place),
    seq: place.seq,
    stepIndex: run && step.index,
    totalSteps: run?.totalSteps,
    createdAt,
    timeBasis: createdAt === undefined ? 'none' : 'utc',
    trigger: run && step.index === 0 ? 'input' : undefined,
    status: statusOf(place),
    description: step.description,
    labels: isRow ? (run?.labels ?? []) : [],
    durationMs: step.durationMs,
    sizeBytes: isRow ? head.sizeBytes : step.sizeBytes,
    isLatest: place.isLatest,
    problem: place.problem,
  });
}

export function toLineage(store: StoreId, place: Place): LineageRow {
  const { id, namespace, status, seq, stepIndex, createdAt: time, description, isLatest } = toMeta(store, place);
  const { parent } = place;
  const [kind, problem] = [kindOf(place), place.problem?.code];
  return defined({ id, namespace, parent, kind, time, status, seq, stepIndex, description, isLatest, problem });
}

/** Only where a run was taken up from another is the edge stored; within a run it is the order of its steps. */
function kindOf({ parent, ref }: Place): CheckpointMeta['lineage'] {
  if (parent === undefined) return 'none';
  return parent.task === ref.task ? 'inferred' : 'recorded';
}

/** An older place has done what it is named for. */
function statusOf({ run, isRow }: Place): CheckpointMeta['status'] {
  if (!run) return 'unknown';
  return isRow ? run.status : 'completed';
}
