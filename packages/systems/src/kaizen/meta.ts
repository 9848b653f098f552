import type { CheckpointMeta, LineageRow, StoreId, Task, Trigger } from '@checkpoint-inspector/core';
import type { FolderTask } from '../folder/index.ts';
import type { PlacedRow, Snapshot } from './rows.ts';
import { isoOf } from './time.ts';

/** A row as the lists show it. */
export function metaOf(store: StoreId, row: PlacedRow, snapshot: Snapshot): CheckpointMeta {
  const { file, ref, parent } = row;
  const { facts } = file;
  const trigger = triggerOf(row, snapshot);
  return {
    store,
    id: ref.id,
    taskId: ref.task,
    ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
    ...(parent ? { parentId: parent.id } : {}),
    ...(parent && parent.task !== ref.task ? { parentTaskId: parent.task } : {}),
    lineage: row.lineage,
    seq: row.seq,
    ...(facts?.stepIndex === undefined ? {} : { stepIndex: facts.stepIndex }),
    ...timesOf(row),
    ...(trigger ? { trigger } : {}),
    status: facts?.status ?? 'unknown',
    ...descriptionOf(row),
    labels: row.note ? [row.note] : [],
    ...(facts ? { agentId: facts.agentId } : {}),
    ...(facts?.costUsd === undefined ? {} : { costUsd: facts.costUsd }),
    sizeBytes: file.entry.size,
    ...(file.revision === undefined ? {} : { revision: file.revision }),
    isLatest: row.isLatest,
    ...(file.problem ? { problem: file.problem } : {}),
  };
}

export function lineageOf(row: PlacedRow): LineageRow {
  const time = timesOf(row).createdAt;
  const { facts } = row.file;
  return {
    id: row.ref.id,
    ...(row.ref.namespace === undefined ? {} : { namespace: row.ref.namespace }),
    ...(row.parent ? { parent: row.parent } : {}),
    kind: row.lineage,
    ...(time === undefined ? {} : { time }),
    status: facts?.status ?? 'unknown',
    seq: row.seq,
    ...(facts?.stepIndex === undefined ? {} : { stepIndex: facts.stepIndex }),
    ...descriptionOf(row),
    isLatest: row.isLatest,
  };
}

export function taskOf(store: StoreId, task: FolderTask<PlacedRow>): Task {
  const { rows, latest } = task;
  const top = rows.find((row) => row.isLatest);
  const error = top?.file.facts?.error;
  const times = rows.map((row) => timesOf(row).createdAt).filter((time) => time !== undefined);
  const updatedAt = times.reduce<string | undefined>((best, time) => (best && best > time ? best : time), undefined);
  return {
    store,
    id: task.id,
    title: titleOf(task),
    system: 'kaizen',
    ...(task.unassigned ? {} : { agentId: task.id }),
    checkpointCount: rows.length,
    unreadable: rows.filter((row) => !row.readable).length,
    ...(latest.ref ? { latestId: latest.ref.id } : {}),
    ...(latest.ref?.namespace === undefined ? {} : { latestNamespace: latest.ref.namespace }),
    ...(latest.note === undefined ? {} : { latestNote: latest.note }),
    status: top?.file.facts?.status ?? 'unknown',
    ...(error === undefined ? {} : { lastError: error }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    sizeBytes: rows.reduce((sum, row) => sum + row.file.entry.size, 0),
    ...(task.unassigned ? { kind: 'unassigned' as const } : {}),
  };
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
  const description = row.file.facts?.description ?? (row.file.facts ? undefined : row.file.name);
  return description === undefined ? {} : { description };
}

/** Kaizen stores no trigger. A fork keeps its parent's time; a failed state was saved because of the error. */
function triggerOf(row: PlacedRow, snapshot: Snapshot): Trigger | undefined {
  const { facts } = row.file;
  if (facts?.status === 'failed') return 'error';
  if (row.lineage !== 'recorded' || !row.parent) return undefined;
  const parents = snapshot.byId.get(row.parent.id) ?? [];
  return parents.some((parent) => parent.file.facts?.time?.text === facts?.time?.text) ? 'fork' : undefined;
}
