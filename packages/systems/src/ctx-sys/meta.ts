import {
  type CheckpointMeta,
  type CheckpointStatus,
  type LineageRow,
  type StoreId,
  type Task,
  type Trigger,
} from '@checkpoint-inspector/core';
import type { Look, Seen } from './project.ts';
import { inSaveOrder, type Row } from './rows.ts';
import { archivedFrom, inferredParents } from './rules.ts';

/** Younger than this, a run is taken for running. */
const RECENT_MS = 60_000;
const TRIGGERS: ReadonlySet<string> = new Set<Trigger>(['auto', 'manual', 'error']);

export function isRecent(createdAt: string | undefined, now: number): boolean {
  if (createdAt === undefined) return false;
  const age = now - Date.parse(createdAt);
  return age >= 0 && age < RECENT_MS;
}

export function toTask(store: StoreId, look: Look, now: number): Task {
  const { session, seen, head, latest } = look;
  const lastError = head?.row.trigger === 'error' ? head.facts.lastError : undefined;
  const origin = archivedFrom(session.id);
  return {
    store,
    id: session.id,
    title: session.id,
    system: 'ctx-sys',
    checkpointCount: seen.length,
    unreadable: seen.filter(({ facts }) => facts.problem).length,
    ...(head === undefined ? {} : { latestId: head.row.id }),
    ...(latest.note === undefined ? {} : { latestNote: latest.note }),
    status: head === undefined ? 'unknown' : statusOf(head, true, now),
    ...(lastError === undefined ? {} : { lastError }),
    ...(session.updatedAt === undefined ? {} : { updatedAt: session.updatedAt }),
    sizeBytes: seen.reduce((sum, { row }) => sum + row.sizeBytes, 0),
    ...(origin === undefined ? {} : { kind: 'archived' as const }),
  };
}

/** Metas in resume order. */
export function toMetas(store: StoreId, look: Look, now: number): CheckpointMeta[] {
  const rows = inSaveOrder(look.session.rows);
  const places = new Map(rows.map((row, at) => [row.rowid, at + 1]));
  const parents = inferredParents(rows);
  return look.seen.map((seen): CheckpointMeta => {
    const { row, facts } = seen;
    const isLatest = seen === look.head;
    const parent = parents.get(row.rowid);
    const description = row.description ?? facts.ended;
    return {
      store,
      id: row.id,
      taskId: row.session,
      ...(parent === undefined ? {} : { parentId: parent.id }),
      lineage: parent === undefined ? 'none' : 'inferred',
      seq: places.get(row.rowid) ?? 0,
      ...(row.step === undefined ? {} : { stepIndex: row.step }),
      ...(facts.steps === 0 ? {} : { totalSteps: facts.steps }),
      ...timeOf(row),
      ...(isTrigger(row.trigger) ? { trigger: row.trigger } : {}),
      status: statusOf(seen, isLatest, now),
      ...(description === undefined ? {} : { description }),
      labels: labelsOf(row),
      ...(row.durationMs === undefined ? {} : { durationMs: row.durationMs }),
      ...(row.tokenUsage === undefined ? {} : { tokenUsage: row.tokenUsage }),
      sizeBytes: row.sizeBytes,
      isLatest,
      ...(facts.problem === undefined ? {} : { problem: facts.problem }),
    };
  });
}

/** Oldest first. */
export function toLineage(metas: readonly CheckpointMeta[]): LineageRow[] {
  const saved = metas.toSorted((a, b) => a.seq - b.seq);
  return saved.map((meta) => ({
    id: meta.id,
    ...(meta.parentId === undefined ? {} : { parent: { task: meta.taskId, id: meta.parentId } }),
    kind: meta.lineage,
    ...(meta.createdAt === undefined ? {} : { time: meta.createdAt }),
    status: meta.status,
    seq: meta.seq,
    ...(meta.stepIndex === undefined ? {} : { stepIndex: meta.stepIndex }),
    ...(meta.description === undefined ? {} : { description: meta.description }),
    isLatest: meta.isLatest,
  }));
}

function statusOf({ row, facts }: Seen, isLatest: boolean, now: number): CheckpointStatus {
  if (facts.problem) return 'unknown';
  if (row.trigger === 'error') return 'failed';
  if (facts.steps === 0) return 'unknown';
  const isDone = row.step !== undefined && row.step >= facts.steps;
  // An older one has done what it stands for: its step.
  if (isDone || !isLatest) return 'completed';
  if (row.trigger === 'manual') return 'interrupted';
  return isRecent(row.createdAt, now) ? 'running' : 'pending';
}

function timeOf(row: Row): Pick<CheckpointMeta, 'createdAt' | 'createdAtText' | 'timeBasis'> {
  const text = row.createdAtText === undefined ? {} : { createdAtText: row.createdAtText };
  if (row.createdAt === undefined) return { ...text, timeBasis: 'none' };
  return { createdAt: row.createdAt, ...text, timeBasis: 'utc' };
}

function labelsOf(row: Row): string[] {
  const project = row.project === undefined ? [] : [`project ${row.project}`];
  return isTrigger(row.trigger) ? project : [...project, `trigger ${row.trigger}`];
}

function isTrigger(text: string): text is Trigger {
  return TRIGGERS.has(text);
}
