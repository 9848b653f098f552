import {
  type CheckpointMeta,
  type CheckpointStatus,
  type LineageRow,
  type StoreId,
  type Task,
  type Trigger,
} from '@checkpoint-inspector/core';
import { defined } from '../folder/document.ts';
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
  return defined({
    store,
    id: session.id,
    title: session.id,
    system: 'ctx-sys',
    checkpointCount: seen.length,
    unreadable: seen.filter(({ facts }) => facts.problem).length,
    latestId: head?.row.id,
    latestNote: latest.note,
    status: head === undefined ? 'unknown' : statusOf(head, true, now),
    lastError: head?.row.trigger === 'error' ? head.facts.lastError : undefined,
    updatedAt: session.updatedAt,
    sizeBytes: seen.reduce((sum, { row }) => sum + row.sizeBytes, 0),
    kind: archivedFrom(session.id) === undefined ? undefined : 'archived',
  });
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
    return defined({
      store,
      id: row.id,
      taskId: row.session,
      parentId: parent?.id,
      lineage: parent === undefined ? 'none' : 'inferred',
      seq: places.get(row.rowid) ?? 0,
      stepIndex: row.step,
      totalSteps: facts.steps || undefined,
      createdAt: row.createdAt,
      createdAtText: row.createdAtText,
      timeBasis: row.createdAt === undefined ? 'none' : 'utc',
      trigger: isTrigger(row.trigger) ? row.trigger : undefined,
      status: statusOf(seen, isLatest, now),
      description: row.description ?? facts.ended,
      labels: labelsOf(row),
      durationMs: row.durationMs,
      tokenUsage: row.tokenUsage,
      sizeBytes: row.sizeBytes,
      isLatest,
      problem: facts.problem,
    });
  });
}

/** Oldest first. */
export function toLineage(metas: readonly CheckpointMeta[]): LineageRow[] {
  const saved = metas.toSorted((a, b) => a.seq - b.seq);
  return saved.map((meta) =>
    defined({
      id: meta.id,
      parent: meta.parentId === undefined ? undefined : { task: meta.taskId, id: meta.parentId },
      kind: meta.lineage,
      time: meta.createdAt,
      status: meta.status,
      seq: meta.seq,
      stepIndex: meta.stepIndex,
      description: meta.description,
      isLatest: meta.isLatest,
      problem: meta.problem?.code,
    }),
  );
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

function labelsOf(row: Row): string[] {
  const project = row.project === undefined ? [] : [`project ${row.project}`];
  return isTrigger(row.trigger) ? project : [...project, `trigger ${row.trigger}`];
}

function isTrigger(text: string): text is Trigger {
  return TRIGGERS.has(text);
}
