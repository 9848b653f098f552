/** Sessions and marks as tasks, checkpoints and rows of a tree. */
import type { CheckpointMeta, CheckpointRef, LineageKind, LineageRow, StoreId, Task } from '@checkpoint-inspector/core';
import { defined } from '../folder/document.ts';
import type { Ending, Session } from './catalog.ts';
import type { PlacedMark } from './columns.ts';
import type { Mark } from './contract.ts';

/** A mark in the list of its session. */
export interface Row {
  readonly task: string;
  readonly seq: number;
  readonly mark: PlacedMark;
  readonly parent?: CheckpointRef;
  readonly lineage: LineageKind;
  readonly isLatest: boolean;
  readonly agentId?: string | undefined;
  readonly gitCommit?: string | undefined;
  /** Of the lines that its state is read from. */
  readonly stateBytes: number;
}

export function metaOf(
  store: StoreId,
  { task, seq, mark, parent, lineage, isLatest, agentId, gitCommit, stateBytes }: Row,
): CheckpointMeta {
  return defined({
    store,
    id: mark.id,
    taskId: task,
    parentId: parent?.id,
    parentTaskId: parent?.task === task ? undefined : parent?.task,
    lineage,
    seq,
    stepIndex: mark.stepIndex,
    createdAt: mark.time,
    timeBasis: mark.time === undefined ? 'none' : 'utc',
    trigger: mark.trigger,
    status: mark.status,
    description: mark.description,
    labels: [],
    agentId: mark.agentId ?? agentId,
    durationMs: mark.durationMs,
    tokenUsage: mark.tokenUsage,
    costUsd: mark.costUsd,
    gitCommit,
    sizeBytes: mark.end - mark.start,
    stateBytes,
    isLatest,
    problem: mark.problem,
  });
}

export function lineageOf({ seq, mark, parent, lineage, isLatest }: Row): LineageRow {
  return defined({
    id: mark.id,
    parent,
    kind: lineage,
    time: mark.time,
    status: mark.status,
    seq,
    stepIndex: mark.stepIndex,
    description: mark.description,
    isLatest,
    problem: mark.problem?.code,
  });
}

/** What is known of a session's marks: all of them, or those at its end. */
export interface Known extends Omit<Ending, 'last'> {
  readonly last?: Mark | undefined;
}

export function taskOf(
  store: StoreId,
  system: string,
  session: Session,
  title: string | undefined,
  known: Known,
): Task {
  const facts = session.parts.map((part) => part.facts);
  const written = Math.max(...session.parts.map(({ file }) => file.entry.mtimeMs));
  return defined({
    store,
    id: session.id,
    title: title ?? facts.find((one) => one.title !== undefined)?.title ?? session.id,
    system,
    agentId: facts.at(-1)?.agentId,
    checkpointCount: known.count,
    atLeast: known.isWhole ? undefined : (true as const),
    unreadable: known.unreadable,
    latestId: known.last?.id,
    latestNote: known.note,
    status: known.last?.status ?? 'unknown',
    lastError: known.last?.error,
    updatedAt: timeOf(known.last) ?? new Date(written).toISOString(),
    sizeBytes: session.parts.reduce((sum, { file }) => sum + file.entry.size, 0),
    kind: facts.at(-1)?.kind,
  });
}

function timeOf(mark: Mark | undefined): string | undefined {
  const ms = mark?.time === undefined ? Number.NaN : Date.parse(mark.time);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
