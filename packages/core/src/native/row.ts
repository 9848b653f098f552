import { compact } from '../compact.ts';
import type { NewCheckpoint, NewValue } from '../contract.ts';
import { InspectorError } from '../errors.ts';
import { parseJson } from '../json/index.ts';
import type { CheckpointMeta, CheckpointRef, LineageKind, LineageRow, StoreId, Trigger } from '../model.ts';
import type { PlanRow } from './new-row.ts';
import type { NativeRow, TableRow } from './tables.ts';

const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;
const TRIGGERS: readonly string[] = ['auto', 'manual', 'error', 'input', 'update', 'fork', 'restore', 'edit'];
const STATUSES: readonly string[] = ['running', 'completed', 'failed', 'interrupted', 'pending', 'unknown'];

/** A row with its place in save order and the row saved just before it. */
export interface Placed {
  readonly stored: TableRow;
  /** 1-based, oldest = 1. */
  readonly place: number;
  readonly before: TableRow | undefined;
  readonly isLatest: boolean;
}

/** What to save as a row without hash. @throws InspectorError invalid_input */
export function toRow(checkpoint: NewCheckpoint | NewValue, now: () => Date): NativeRow {
  const fields = toFields(checkpoint, now);
  const text = textToSave(checkpoint);
  checkJson(text);
  return { ...fields, text, size_bytes: new TextEncoder().encode(text).length };
}

/** The text of a new checkpoint. It may still be no JSON. @throws InspectorError invalid_input */
function textToSave(checkpoint: NewCheckpoint | NewValue): string {
  if (!('value' in checkpoint)) return checkpoint.text;
  try {
    const text: unknown = JSON.stringify(checkpoint.value);
    if (typeof text === 'string') return text;
  } catch (cause) {
    throw invalid('value', 'contains itself, or a value that JSON has no form for', cause);
  }
  throw invalid('value', 'must be a value that JSON can hold');
}

/** What is saved of a checkpoint besides its state. @throws InspectorError invalid_input */
export function toFields(checkpoint: NewCheckpoint | NewValue, now: () => Date): NativeRow {
  checkCheckpoint(checkpoint);
  return {
    task: checkpoint.task,
    id: checkpoint.id,
    parent_task: checkpoint.parent?.task ?? null,
    parent_id: checkpoint.parent?.id ?? null,
    step_index: checkpoint.stepIndex ?? null,
    total_steps: checkpoint.totalSteps ?? null,
    trigger: checkpoint.trigger ?? null,
    status: checkpoint.status ?? null,
    description: checkpoint.description ?? null,
    agent_id: checkpoint.agentId ?? null,
    duration_ms: checkpoint.durationMs ?? null,
    token_usage: checkpoint.tokenUsage ?? null,
    cost_usd: checkpoint.costUsd ?? null,
    created_at: checkpoint.createdAt ?? now().toISOString(),
  };
}

function checkCheckpoint(checkpoint: NewCheckpoint | NewValue): void {
  const { id, task, text, parent, createdAt } = checkpoint;
  if ('value' in checkpoint && text !== undefined) throw invalid('text', "and value can't be given together");
  for (const [name, value] of Object.entries('value' in checkpoint ? { id, task } : { id, task, text })) {
    if (typeof value !== 'string') throw invalid(name, 'must be text');
    if (!value.isWellFormed())
      throw invalid(name, 'contains half of a surrogate pair, which cannot be saved in a file');
  }
  // Rows of others may have such names and are read; nobody could name one that is saved here.
  for (const [name, value] of Object.entries({ id, task })) if (value === '') throw invalid(name, 'is empty');
  for (const name of ['stepIndex', 'totalSteps', 'durationMs', 'tokenUsage', 'costUsd'] as const) {
    const value = checkpoint[name];
    if (value !== undefined && !Number.isFinite(value)) throw invalid(name, `must be a number, not ${value}`);
  }
  if (parent?.namespace) throw invalid('parent', 'names a namespace, but this store has none');
  if (parent && parent.task === task && parent.id === id) throw invalid('parent', 'is the checkpoint itself');
  if (createdAt !== undefined && !isUtcTime(createdAt)) {
    throw invalid('createdAt', 'must be ISO 8601 in UTC, such as 2026-01-31T10:00:00Z');
  }
}

/** ISO 8601 in UTC, and a moment that exists. */
export function isUtcTime(text: string): boolean {
  return UTC_TIME.test(text) && !Number.isNaN(Date.parse(text));
}

function checkJson(text: string): void {
  try {
    parseJson(text);
  } catch (cause) {
    throw notJson(cause);
  }
}

/** What a save says of a text that a reader refuses. */
export function notJson(cause: unknown): InspectorError {
  const data = InspectorError.is(cause) ? cause.data : undefined;
  return new InspectorError('invalid_input', "text isn't valid JSON.", { cause, ...(data ? { data } : {}) });
}

function invalid(name: string, reason: string, cause?: unknown): InspectorError {
  return new InspectorError('invalid_input', `${name} ${reason}.`, { cause, data: { name } });
}

/** The checkpoint of a row. */
export function toMeta(store: StoreId, placed: Placed): CheckpointMeta {
  const { row } = placed.stored;
  const { parent, lineage } = parentOf(placed);
  const createdAt = text(row, 'created_at');
  return compact({
    store,
    id: text(row, 'id') ?? '',
    taskId: text(row, 'task') ?? '',
    parentId: parent?.id,
    parentTaskId: parent?.task === row['task'] ? undefined : parent?.task,
    lineage,
    seq: placed.place,
    stepIndex: number(row, 'step_index'),
    totalSteps: number(row, 'total_steps'),
    createdAt,
    createdAtText: createdAt,
    timeBasis: createdAt === undefined ? ('none' as const) : ('utc' as const),
    trigger: triggerOf(row),
    status: statusOf(row),
    description: text(row, 'description'),
    labels: [],
    agentId: text(row, 'agent_id'),
    durationMs: number(row, 'duration_ms'),
    tokenUsage: number(row, 'token_usage'),
    costUsd: number(row, 'cost_usd'),
    sizeBytes: number(row, 'size_bytes') ?? 0,
    revision: text(row, 'state_hash'),
    isLatest: placed.isLatest,
  });
}

/** The node of a row. Assigned field by field: a tree has a hundred thousand of them. */
export function toLineage(placed: Placed): LineageRow {
  const { row } = placed.stored;
  const { parent, lineage } = parentOf(placed);
  const time = text(row, 'created_at');
  const stepIndex = number(row, 'step_index');
  const description = text(row, 'description');
  const node: { -readonly [Key in keyof LineageRow]: LineageRow[Key] } = {
    id: text(row, 'id') ?? '',
    kind: lineage,
    status: statusOf(row),
    seq: placed.place,
    isLatest: placed.isLatest,
  };
  if (parent !== undefined) node.parent = parent;
  if (time !== undefined) node.time = time;
  if (stepIndex !== undefined) node.stepIndex = stepIndex;
  if (description !== undefined) node.description = description;
  return node;
}

/** The parent that was given; else the row saved before. */
function parentOf({ stored, before }: Placed): { parent?: CheckpointRef; lineage: LineageKind } {
  const task = text(stored.row, 'parent_task');
  const id = text(stored.row, 'parent_id');
  if (task !== undefined && id !== undefined) return { parent: { task, id }, lineage: 'recorded' };
  if (before === undefined) return { lineage: 'none' };
  return { parent: refOf(before), lineage: 'inferred' };
}

/** The row at an index of all rows of its task, oldest first. */
export function placed(rows: readonly TableRow[], at: number): Placed {
  const stored = rows[at];
  if (!stored) throw new InspectorError('internal', `No row ${at} of ${rows.length}.`);
  return { stored, place: at + 1, before: rows[at - 1], isLatest: at === rows.length - 1 };
}

/** What the plan rules read of a row. */
export function toPlanRow({ rowid, row }: TableRow): PlanRow {
  const parentTask = text(row, 'parent_task');
  const parentId = text(row, 'parent_id');
  const createdAt = text(row, 'created_at');
  return {
    ref: { task: text(row, 'task') ?? '', id: text(row, 'id') ?? '' },
    seq: Number(rowid),
    sizeBytes: number(row, 'size_bytes') ?? 0,
    revision: text(row, 'state_hash') ?? '',
    ...(parentTask !== undefined && parentId !== undefined ? { parent: { task: parentTask, id: parentId } } : {}),
    ...(createdAt === undefined ? {} : { createdAt }),
  };
}

/** Where a row is. */
export function refOf({ row }: TableRow): CheckpointRef {
  return { task: text(row, 'task') ?? '', id: text(row, 'id') ?? '' };
}

export function text(row: NativeRow, column: string): string | undefined {
  const value = row[column];
  return typeof value === 'string' ? value : undefined;
}

export function number(row: NativeRow, column: string): number | undefined {
  const value = row[column];
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function triggerOf(row: NativeRow): Trigger | undefined {
  const value = text(row, 'trigger');
  return value !== undefined && isTrigger(value) ? value : undefined;
}

export function isTrigger(value: unknown): value is Trigger {
  return typeof value === 'string' && TRIGGERS.includes(value);
}

export function statusOf(row: NativeRow): CheckpointMeta['status'] {
  const value = text(row, 'status');
  return value !== undefined && isStatus(value) ? value : 'unknown';
}

function isStatus(value: string): value is CheckpointMeta['status'] {
  return STATUSES.includes(value);
}
