import {
  mapInSteps,
  type CheckpointMeta,
  type CheckpointStatus,
  type InSteps,
  type LineageRow,
  type StoreId,
  type Task,
  type TaskStatus,
} from '@checkpoint-inspector/core';
import { defined, isoOf } from '../folder/index.ts';
import { PHASES } from './view.ts';
import type { Row, Snapshot } from './rows.ts';
import { mayBeAt } from './stamps.ts';

const DESCRIPTION_LENGTH = 200;
const OUTCOME = /-(complete|failed|skipped|skip)$/;

/** A row as the lists show it. */
export function metaOf(store: StoreId, row: Row, snapshot: Snapshot): CheckpointMeta {
  const { file, ref, parent } = row;
  const { facts, problem } = file;
  const status = statusOf(row);
  const trigger = status === 'failed' ? 'error' : 'auto';
  return defined({
    store,
    id: ref.id,
    taskId: ref.task,
    parentId: parent?.id,
    lineage: parent ? 'inferred' : 'none',
    seq: row.seq,
    ...stepOf(row),
    ...timesOf(row),
    trigger: facts?.phase === undefined ? undefined : trigger,
    status,
    ...descriptionOf(row),
    labels: labelsOf(row),
    gitCommit: facts?.gitCommit,
    sizeBytes: file.entry.size,
    revision: file.revision,
    isLatest: snapshot.latest.ref === ref,
    problem: problem && defined({ code: problem.code, message: problem.message, offset: problem.offset }),
  });
}

export function lineageOf(row: Row, snapshot: Snapshot): LineageRow {
  return defined({
    id: row.ref.id,
    parent: row.parent,
    kind: row.parent ? 'inferred' : 'none',
    time: timesOf(row).createdAt,
    status: statusOf(row),
    seq: row.seq,
    stepIndex: stepOf(row).stepIndex,
    ...descriptionOf(row),
    isLatest: snapshot.latest.ref === row.ref,
    problem: row.file.problem?.code,
  });
}

/** The project as a task; `undefined` while it has no checkpoints. */
export function* taskOf(store: StoreId, { task, rows, latest }: Snapshot): InSteps<Task | undefined> {
  if (rows.length === 0) return undefined;
  const top = rows.find((row) => row.ref === latest.ref);
  const times = yield* mapInSteps(rows, savedAt);
  return defined({
    store,
    id: task,
    title: task,
    system: 'rlm-act',
    checkpointCount: rows.length,
    unreadable: rows.filter((row) => row.file.problem).length,
    latestId: latest.ref?.id,
    latestNote: latest.note,
    status: top ? taskStatusOf(top) : 'unknown',
    lastError: top?.file.facts?.errors.filter((error) => error.trim() !== '').join('\n') || undefined,
    updatedAt: times.reduce((best, time) => ((time ?? '') > (best ?? '') ? time : best)),
    sizeBytes: rows.reduce((sum, row) => sum + row.file.entry.size, 0),
  });
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
  if (!facts?.timestamp) return { createdAt: isoOf(entry.mtimeNs / 1000n), timeBasis: 'file' };
  if (facts.utc === undefined) return { createdAtText: facts.timestamp, timeBasis: 'local' };
  return { createdAt: facts.utc, createdAtText: facts.timestamp, timeBasis: 'utc' };
}

/**
 * A local time cannot be compared with those of other stores; its file's can, unless a copy or an edit made it one at
 * which no clock of the world showed that time.
 */
function savedAt(row: Row): string | undefined {
  const { createdAt, createdAtText = '' } = timesOf(row);
  if (createdAt !== undefined) return createdAt;
  const { mtimeNs } = row.file.entry;
  return mayBeAt(createdAtText, Number(mtimeNs / 1_000_000n)) ? isoOf(mtimeNs / 1000n) : undefined;
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
    labels.push(`its id is ${facts.documentId}, not its file name`);
  }
  if (facts?.pythonFails !== undefined) labels.push(`Python can't load it: ${facts.pythonFails}`);
  return labels;
}
