import type {
  CheckpointMeta,
  CheckpointStatus,
  LineageRow,
  StoreId,
  Task,
  TaskStatus,
} from '@checkpoint-inspector/core';
import { PHASES } from './view.ts';
import type { Row, Snapshot } from './rows.ts';

const DESCRIPTION_LENGTH = 200;
const OUTCOME = /-(complete|failed|skipped|skip)$/;

/** A row as the lists show it. */
export function metaOf(store: StoreId, row: Row, snapshot: Snapshot): CheckpointMeta {
  const { file, ref, parent } = row;
  const { facts, problem } = file;
  const failed = statusOf(row) === 'failed';
  return {
    store,
    id: ref.id,
    taskId: ref.task,
    ...(parent ? { parentId: parent.id } : {}),
    lineage: parent ? 'inferred' : 'none',
    seq: row.seq,
    ...stepOf(row),
    ...timesOf(row),
    ...(facts?.phase === undefined ? {} : { trigger: failed ? ('error' as const) : ('auto' as const) }),
    status: statusOf(row),
    ...descriptionOf(row),
    labels: labelsOf(row),
    ...(facts?.gitCommit === undefined ? {} : { gitCommit: facts.gitCommit }),
    sizeBytes: file.entry.size,
    ...(file.revision === undefined ? {} : { revision: file.revision }),
    isLatest: snapshot.latest.ref === ref,
    ...(problem ? { problem: problemOf(problem) } : {}),
  };
}

export function lineageOf(row: Row, snapshot: Snapshot): LineageRow {
  const time = timesOf(row).createdAt;
  return {
    id: row.ref.id,
    ...(row.parent ? { parent: row.parent } : {}),
    kind: row.parent ? 'inferred' : 'none',
    ...(time === undefined ? {} : { time }),
    status: statusOf(row),
    seq: row.seq,
    ...descriptionOf(row),
    isLatest: snapshot.latest.ref === row.ref,
  };
}

/** The project as a task; `undefined` while it has no checkpoints. */
export function taskOf(store: StoreId, { task, rows, latest }: Snapshot): Task | undefined {
  if (rows.length === 0) return undefined;
  const top = rows.find((row) => row.ref === latest.ref);
  const lastError = top?.file.facts?.errors.filter((error) => error.trim() !== '').join('\n');
  // Local times cannot be compared with those of other stores; the file's can.
  const times = rows.map((row) => timesOf(row).createdAt ?? isoOf(row.file.entry.mtimeNs));
  return {
    store,
    id: task,
    title: task,
    system: 'rlm-act',
    checkpointCount: rows.length,
    unreadable: rows.filter((row) => row.file.problem).length,
    ...(latest.ref ? { latestId: latest.ref.id } : {}),
    ...(latest.note === undefined ? {} : { latestNote: latest.note }),
    status: top ? taskStatusOf(top) : 'unknown',
    ...(lastError ? { lastError } : {}),
    updatedAt: times.reduce((best, time) => (time > best ? time : best)),
    sizeBytes: rows.reduce((sum, row) => sum + row.file.entry.size, 0),
  };
}

/** Of the phase that was saved: the pipeline writes one checkpoint at the end of each. */
function statusOf(row: Row): CheckpointStatus {
  const outcome = OUTCOME.exec(row.file.facts?.phase ?? '')?.[1];
  if (outcome === undefined) return 'unknown';
  return outcome === 'failed' ? 'failed' : 'completed';
}

/** Of the whole pipeline: it is done after the last phase, and waits for `resume` after any other. */
function taskStatusOf(top: Row): TaskStatus {
  if (statusOf(top) !== 'completed') return statusOf(top);
  return top.file.facts?.phase === 'implementation-complete' ? 'completed' : 'pending';
}

function stepOf(row: Row): { stepIndex?: number; totalSteps?: number } {
  const phase = row.file.facts?.phase?.replace(OUTCOME, '');
  const at = PHASES.indexOf(phase ?? '');
  return at === -1 ? {} : { stepIndex: at + 1, totalSteps: PHASES.length };
}

/** Python's Z is false, its times are local and stay as they are; only the Go port's are UTC. */
function timesOf(row: Row): Pick<CheckpointMeta, 'createdAt' | 'createdAtText' | 'timeBasis'> {
  const { facts, entry } = row.file;
  if (!facts?.timestamp) return { createdAt: isoOf(entry.mtimeNs), timeBasis: 'file' };
  if (facts.utc === undefined) return { createdAtText: facts.timestamp, timeBasis: 'local' };
  return { createdAt: facts.utc, createdAtText: facts.timestamp, timeBasis: 'utc' };
}

function isoOf(mtimeNs: bigint): string {
  return new Date(Number(mtimeNs / 1_000_000n)).toISOString();
}

function descriptionOf(row: Row): { description?: string } {
  const { facts } = row.file;
  const error = facts?.errors.find((text) => text.trim() !== '');
  const description = [facts?.phase, error].filter((part) => part !== undefined).join(': ');
  return description === '' ? {} : { description: description.slice(0, DESCRIPTION_LENGTH) };
}

function labelsOf({ file }: Row): string[] {
  const { facts } = file;
  const labels: string[] = [];
  if (facts?.documentId !== undefined && facts.documentId !== file.id) {
    labels.push(`its id is ${facts.documentId}, not the name of its file`);
  }
  if (facts?.pythonFails !== undefined) labels.push(`Python cannot load it: ${facts.pythonFails}`);
  return labels;
}

function problemOf({ code, message, offset }: NonNullable<Row['file']['problem']>): CheckpointMeta['problem'] & object {
  return { code, message, ...(offset === undefined ? {} : { offset }) };
}
