import type { CheckpointMeta, LineageRow, StoreId, Task, Trigger } from '@checkpoint-inspector/core';
import { defined, isoOf, type FolderTask } from '../folder/index.ts';
import type { PlacedRow, Snapshot } from './rows.ts';

/** A row as the lists show it. */
export function metaOf(store: StoreId, row: PlacedRow, snapshot: Snapshot): CheckpointMeta {
  const { file, ref, parent } = row;
  const { facts } = file;
  return defined({
    store,
    id: ref.id,
    taskId: ref.task,
    namespace: ref.namespace,
    parentId: parent?.id,
    parentTaskId: parent?.task === ref.task ? undefined : parent?.task,
    lineage: row.lineage,
    seq: row.seq,
    stepIndex: facts?.stepIndex,
    ...timesOf(row),
    trigger: triggerOf(row, snapshot),
    status: facts?.status ?? 'unknown',
    ...descriptionOf(row),
    labels: row.note ? [row.note] : [],
    agentId: facts?.agentId,
    costUsd: facts?.costUsd,
    sizeBytes: file.entry.size,
    revision: file.revision,
    isLatest: row.isLatest,
    problem: file.problem,
  });
}

export function lineageOf(row: PlacedRow): LineageRow {
  const { facts } = row.file;
  return defined({
    id: row.ref.id,
    namespace: row.ref.namespace,
    parent: row.parent,
    kind: row.lineage,
    time: timesOf(row).createdAt,
    status: facts?.status ?? 'unknown',
    seq: row.seq,
    stepIndex: facts?.stepIndex,
    ...descriptionOf(row),
    isLatest: row.isLatest,
  });
}

export function taskOf(store: StoreId, task: FolderTask<PlacedRow>): Task {
  const { rows, latest } = task;
  const top = rows.find((row) => row.isLatest)?.file.facts;
  const times = rows.map((row) => timesOf(row).createdAt).filter((time) => time !== undefined);
  return defined({
    store,
    id: task.id,
    title: titleOf(task),
    system: 'kaizen',
    agentId: task.unassigned ? undefined : task.id,
    checkpointCount: rows.length,
    unreadable: rows.filter((row) => !row.readable).length,
    latestId: latest.ref?.id,
    latestNamespace: latest.ref?.namespace,
    latestNote: latest.note,
    status: top?.status ?? 'unknown',
    lastError: top?.error,
    updatedAt: times.toSorted().at(-1),
    sizeBytes: rows.reduce((sum, row) => sum + row.file.entry.size, 0),
    kind: task.unassigned ? 'unassigned' : undefined,
  });
}

export function titleOf(task: FolderTask<PlacedRow>): string {
  if (task.unassigned) return 'Files without a readable agent';
  return task.id === '' ? '(empty agent id)' : task.id;
}

/** The document's time where it can be read, else the file's. */
function timesOf(row: PlacedRow): Pick<CheckpointMeta, 'createdAt' | 'createdAtText' | 'timeBasis'> {
  const time = row.file.facts?.time;
  if (time) return { createdAt: isoOf(time.micros), createdAtText: time.text, timeBasis: 'utc' };
  return { createdAt: isoOf(row.file.entry.mtimeNs / 1000n), timeBasis: 'file' };
}

function descriptionOf(row: PlacedRow): { description?: string } {
  return defined({ description: row.file.facts ? row.file.facts.description : row.file.name });
}

/** Kaizen stores no trigger. A fork keeps its parent's time; a failed state was saved because of the error. */
function triggerOf(row: PlacedRow, snapshot: Snapshot): Trigger | undefined {
  const { facts } = row.file;
  if (facts?.status === 'failed') return 'error';
  if (row.lineage !== 'recorded' || !row.parent) return undefined;
  const parents = snapshot.byId.get(row.parent.id) ?? [];
  return parents.some((parent) => parent.file.facts?.time?.text === facts?.time?.text) ? 'fork' : undefined;
}
