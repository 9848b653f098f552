import type { CheckpointMeta, LineageRow, StoreId, Task } from '@checkpoint-inspector/core';
import { defined, isoOf, type FolderTask } from '../folder/index.ts';
import type { PlacedRow } from './rows.ts';

const MAX_TYPES = 5;

/** A row as the lists show it. */
export function metaOf(store: StoreId, row: PlacedRow): CheckpointMeta {
  const { file, ref, parent } = row;
  const { facts } = file;
  return {
    store,
    id: ref.id,
    taskId: ref.task,
    ...defined({
      namespace: ref.namespace,
      parentId: parent?.id,
      parentTaskId: parent && parent.task !== ref.task ? parent.task : undefined,
      stepIndex: facts?.stepIndex,
      trigger: facts?.status === 'failed' ? ('error' as const) : undefined,
      graphSignature: facts?.graphSignature,
      revision: file.revision,
      problem: file.problem,
    }),
    lineage: row.lineage,
    seq: row.seq,
    ...timesOf(row),
    status: facts?.status ?? 'unknown',
    ...descriptionOf(row),
    labels: labelsOf(row),
    sizeBytes: file.entry.size,
    isLatest: row.isLatest,
  };
}

export function lineageOf(row: PlacedRow): LineageRow {
  const { facts } = row.file;
  return {
    id: row.ref.id,
    ...defined({
      namespace: row.ref.namespace,
      parent: row.parent,
      time: timesOf(row).createdAt,
      stepIndex: facts?.stepIndex,
    }),
    kind: row.lineage,
    status: facts?.status ?? 'unknown',
    seq: row.seq,
    ...descriptionOf(row),
    isLatest: row.isLatest,
  };
}

export function taskOf(store: StoreId, task: FolderTask<PlacedRow>): Task {
  const { rows, latest } = task;
  const top = rows.find((row) => row.isLatest)?.file.facts;
  const times = rows.map((row) => timesOf(row).createdAt).filter((time) => time !== undefined);
  return {
    store,
    id: task.id,
    title: titleOf(task),
    system: 'agent-framework',
    checkpointCount: rows.length,
    unreadable: rows.filter((row) => !row.readable).length,
    ...defined({
      latestId: latest.ref?.id,
      latestNamespace: latest.ref?.namespace,
      latestNote: latest.note,
      lastError: top?.error,
      updatedAt: times.toSorted().at(-1),
      kind: task.unassigned ? ('unassigned' as const) : undefined,
    }),
    status: top?.status ?? 'unknown',
    sizeBytes: rows.reduce((sum, row) => sum + row.file.entry.size, 0),
  };
}

export function titleOf(task: FolderTask<PlacedRow>): string {
  if (task.unassigned) return 'Files without a readable workflow';
  return task.id === '' ? '(empty workflow name)' : task.id;
}

/** The document's time; the file's where it has none. A time without an offset is not placed on the UTC line. */
function timesOf(row: PlacedRow): Pick<CheckpointMeta, 'createdAt' | 'createdAtText' | 'timeBasis'> {
  const time = row.file.facts?.time;
  if (!time) return { createdAt: isoOf(row.file.entry.mtimeNs / 1000n), timeBasis: 'file' };
  if (time.naive) return { createdAtText: time.text, timeBasis: 'local' };
  return { createdAt: isoOf(time.micros), createdAtText: time.text, timeBasis: 'utc' };
}

function descriptionOf(row: PlacedRow): { description?: string } {
  return defined({ description: row.file.facts ? row.file.facts.description : row.file.name });
}

function labelsOf({ note, file }: PlacedRow): string[] {
  const { notLoaded, typesToAllow = [], shape } = file.facts ?? {};
  const labels = note === undefined ? [] : [note];
  if (notLoaded !== undefined && shape === 'python') labels.push(notLoaded);
  if (typesToAllow.length > 0) labels.push(`needs allowed types: ${typesToAllow.slice(0, MAX_TYPES).join(', ')}`);
  return labels;
}
