import type { NewCheckpoint, NewValue } from '../contract.ts';
import { InspectorError } from '../errors.ts';
import { noCheckpoint, refIn, sameRef } from '../ids.ts';
import { parseJson } from '../json/index.ts';
import type { CheckpointMeta, CheckpointRef, LineageKind, LineageRow, StoreId, Trigger } from '../model.ts';
import { stateText } from '../nodes/input.ts';
import { asGiven, checkKeys, checkOneOf } from '../options.ts';
import { decodeCursor } from '../page.ts';
import type { PlanRow } from './new-row.ts';
import type { NativeRow, TableRow } from './tables.ts';

const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;
const TRIGGERS: readonly string[] = ['auto', 'manual', 'error', 'input', 'update', 'fork', 'restore', 'edit'];
const STATUSES: readonly string[] = ['running', 'completed', 'failed', 'interrupted', 'pending', 'unknown'];

const NUMBERS = ['stepIndex', 'totalSteps', 'durationMs', 'tokenUsage', 'costUsd'] as const;
const TEXTS = ['id', 'task', 'namespace', 'text', 'beside', 'description', 'agentId', 'createdAt'];
const FIELDS: readonly string[] = [...TEXTS, ...NUMBERS, 'value', 'parent', 'status', 'trigger'];

/** A row with its place in save order and the row saved just before it. */
export interface Placed {
  readonly stored: TableRow;
  /** 1-based, oldest = 1. */
  readonly place: number;
  readonly before: TableRow | undefined;
  readonly isLatest: boolean;
  /** The one saved last of its namespace; where absent, as `isLatest`. */
  readonly isNewest?: boolean;
}

/** What is saved of a row that a framework made, for lists: the text itself is read with the checkpoint alone. */
export interface Signs {
  /** It has a text beside it: its writes say how it went, and none but a given parent is its parent. */
  readonly framed: boolean;
  /** A step wrote an error; not told of rows that say themselves that they completed. */
  readonly failed: boolean;
  readonly asked: boolean;
}

/** What to save as a row without hash. @throws InspectorError invalid_input */
export function toRow(checkpoint: NewCheckpoint | NewValue, now: () => Date): NativeRow {
  const fields = toFields(checkpoint, now);
  const text = 'value' in checkpoint ? stateText(checkpoint.value) : checkpoint.text;
  checkJson(text);
  return { ...fields, text, size_bytes: new TextEncoder().encode(text).length };
}

/** What is saved of a checkpoint besides its state. @throws InspectorError invalid_input */
export function toFields(checkpoint: NewCheckpoint | NewValue, now: () => Date): NativeRow {
  checkCheckpoint(checkpoint);
  return {
    task: checkpoint.task,
    namespace: checkpoint.namespace ?? '',
    id: checkpoint.id,
    parent_task: checkpoint.parent?.task ?? null,
    parent_id: checkpoint.parent?.id ?? null,
    parent_namespace: checkpoint.parent?.namespace || null,
    step_index: checkpoint.stepIndex ?? null,
    total_steps: checkpoint.totalSteps ?? null,
    trigger: checkpoint.trigger ?? null,
    status: checkpoint.status ?? null,
    description: asStored(checkpoint.description),
    agent_id: asStored(checkpoint.agentId),
    duration_ms: checkpoint.durationMs ?? null,
    token_usage: checkpoint.tokenUsage ?? null,
    cost_usd: checkpoint.costUsd ?? null,
    created_at: checkpoint.createdAt ?? now().toISOString(),
    beside: checkpoint.beside ?? null,
  };
}

/** A text that was cut inside a character is saved with the sign for half of one, as UTF-8 has it. */
const asStored = (text: string | undefined): string | null => text?.toWellFormed() ?? null;

function checkCheckpoint(checkpoint: NewCheckpoint | NewValue): void {
  checkKeys(checkpoint, FIELDS, { what: 'field' });
  const { id, task, namespace, text, parent, createdAt, beside } = checkpoint;
  checkContent(checkpoint, text);
  checkName('id', id);
  checkName('task', task);
  if (namespace !== undefined) checkText('namespace', namespace);
  for (const name of NUMBERS) checkNumber(name, checkpoint[name]);
  checkOneOf('status', checkpoint.status, STATUSES);
  checkOneOf('trigger', checkpoint.trigger, TRIGGERS);
  checkWords('description', checkpoint.description);
  checkWords('agentId', checkpoint.agentId);
  if (parent !== undefined) checkParent(parent, checkpoint);
  if (beside !== undefined) {
    checkText('beside', beside);
    checkJson(beside, 'beside');
  }
  if (createdAt !== undefined && !isUtcTime(createdAt)) {
    throw invalid('createdAt', 'must be ISO 8601 in UTC, such as 2026-01-31T10:00:00Z');
  }
}

function checkContent(checkpoint: NewCheckpoint | NewValue, text: unknown): void {
  if ('value' in checkpoint && text !== undefined) throw invalid('text', "and value can't be given together");
  if ('value' in checkpoint) return;
  if (text === undefined)
    throw new InspectorError('invalid_input', 'Give the state as text or as value.', { data: { name: 'text' } });
  checkText('text', text);
}

function checkParent(parent: CheckpointRef, checkpoint: CheckpointRef): void {
  if (!isRef(parent)) throw invalid('parent', 'must be a ref, such as { task, id }');
  const { task, id, namespace = '' } = parent;
  for (const [name, value] of Object.entries({ task, id, namespace })) checkWords(`parent.${name}`, value);
  if (sameRef(parent, checkpoint)) throw invalid('parent', 'is the checkpoint itself');
}

const isRef = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'task' in value && 'id' in value;

/** As it is saved, half a character may be in it. */
function checkWords(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') throw invalid(name, 'must be text');
}

/** Rows of others may have such names and are read; nobody could name one that is saved here. */
function checkName(name: string, value: unknown): void {
  checkText(name, value);
  if (value === '') throw invalid(name, 'is empty');
}

function checkNumber(name: string, value: number | undefined): void {
  if (value !== undefined && !Number.isFinite(value)) throw invalid(name, `must be a number, not ${asGiven(value)}`);
}

/** @throws InspectorError invalid_input */
export function checkText(name: string, value: unknown): void {
  if (typeof value !== 'string') throw invalid(name, 'must be text');
  if (!value.isWellFormed()) throw invalid(name, 'contains half of a surrogate pair, which cannot be saved in a file');
}

/** ISO 8601 in UTC, and a moment that exists: `Date` takes the 30th of February for the 2nd of March. */
export function isUtcTime(text: string): boolean {
  if (!UTC_TIME.test(text) || Number.isNaN(Date.parse(text))) return false;
  const day = text.slice(0, 10);
  return new Date(day).toISOString().startsWith(day);
}

export function checkJson(text: string, name = 'text'): void {
  try {
    parseJson(text);
  } catch (cause) {
    throw notJson(cause, name);
  }
}

/** What a save says of a text that a reader refuses. */
export function notJson(cause: unknown, name = 'text'): InspectorError {
  const data = InspectorError.is(cause) ? cause.data : undefined;
  return new InspectorError('invalid_input', `${name} isn't valid JSON.`, { cause, ...(data ? { data } : {}) });
}

export function invalid(name: string, reason: string, cause?: unknown): InspectorError {
  return new InspectorError('invalid_input', `${name} ${reason}.`, { cause, data: { name } });
}

type Assignable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The checkpoint of a row. Assigned field by field: a page has a hundred of them. */
export function toMeta(store: StoreId, placed: Placed): CheckpointMeta {
  const { row } = placed.stored;
  const { parent, lineage } = parentOf(placed);
  const namespace = text(row, 'namespace');
  const createdAt = text(row, 'created_at');
  const meta: Assignable<CheckpointMeta> = {
    store,
    id: text(row, 'id') ?? '',
    taskId: text(row, 'task') ?? '',
    lineage,
    seq: placed.place,
    timeBasis: createdAt === undefined ? 'none' : 'utc',
    status: statusOf(placed),
    labels: [],
    sizeBytes: number(row, 'size_bytes') ?? 0,
    isLatest: placed.isLatest,
  };
  if (namespace) meta.namespace = namespace;
  if (parent !== undefined) meta.parentId = parent.id;
  if (parent !== undefined && parent.task !== row['task']) meta.parentTaskId = parent.task;
  if (createdAt !== undefined) meta.createdAt = meta.createdAtText = createdAt;
  const stepIndex = number(row, 'step_index');
  if (stepIndex !== undefined) meta.stepIndex = stepIndex;
  const totalSteps = number(row, 'total_steps');
  if (totalSteps !== undefined) meta.totalSteps = totalSteps;
  const trigger = triggerOf(row);
  if (trigger !== undefined) meta.trigger = trigger;
  const description = text(row, 'description');
  if (description !== undefined) meta.description = description;
  const agentId = text(row, 'agent_id');
  if (agentId !== undefined) meta.agentId = agentId;
  const durationMs = number(row, 'duration_ms');
  if (durationMs !== undefined) meta.durationMs = durationMs;
  const tokenUsage = number(row, 'token_usage');
  if (tokenUsage !== undefined) meta.tokenUsage = tokenUsage;
  const costUsd = number(row, 'cost_usd');
  if (costUsd !== undefined) meta.costUsd = costUsd;
  const revision = text(row, 'state_hash');
  if (revision !== undefined) meta.revision = revision;
  return meta;
}

/** The node of a row. Assigned field by field: a tree has a hundred thousand of them. */
export function toLineage(placed: Placed): LineageRow {
  const { row } = placed.stored;
  const { parent, lineage } = parentOf(placed);
  const time = text(row, 'created_at');
  const stepIndex = number(row, 'step_index');
  const description = text(row, 'description');
  const node: Assignable<LineageRow> = {
    id: text(row, 'id') ?? '',
    kind: lineage,
    status: statusOf(placed),
    seq: placed.place,
    isLatest: placed.isLatest,
  };
  const namespace = text(row, 'namespace');
  if (namespace) node.namespace = namespace;
  if (parent !== undefined) node.parent = parent;
  if (time !== undefined) node.time = time;
  if (stepIndex !== undefined) node.stepIndex = stepIndex;
  if (description !== undefined) node.description = description;
  return node;
}

/** The parent that was given; else the row saved before in its namespace, where no framework says that it has none. */
function parentOf({ stored, before }: Placed): { parent?: CheckpointRef; lineage: LineageKind } {
  const given = parentIn(stored.row);
  if (given) return { parent: given, lineage: 'recorded' };
  const isNext = before && (text(before.row, 'namespace') ?? '') === (text(stored.row, 'namespace') ?? '');
  if (!isNext || signsOf(stored.row).framed) return { lineage: 'none' };
  return { parent: refOf(before), lineage: 'inferred' };
}

/** The parent that was given. */
export function parentIn(row: NativeRow): CheckpointRef | undefined {
  const task = text(row, 'parent_task');
  const id = text(row, 'parent_id');
  if (task === undefined || id === undefined) return undefined;
  return refIn(task, { id, ...namespaceIn(row, 'parent_namespace') });
}

const namespaceIn = (row: NativeRow, column: string): { readonly namespace?: string } => {
  const namespace = text(row, column);
  return namespace ? { namespace } : {};
};

/** A list reads them as columns of their own. */
export function signsOf(row: NativeRow): Signs {
  const framed = row['framed'] === undefined ? typeof row['beside'] === 'string' : Number(row['framed']) === 1;
  return { framed, failed: Number(row['failed'] ?? 0) === 1, asked: Number(row['asked'] ?? 0) === 1 };
}

/** The row at an index of all rows of its task, oldest first. */
export function placed(rows: readonly TableRow[], at: number): Placed {
  const stored = rows[at];
  if (!stored) throw new InspectorError('internal', `No row ${at} of ${rows.length}.`);
  const own = stored.row['namespace'] ?? '';
  const isWanted = own === '' || signsOf(stored.row).framed;
  const isNewest = isWanted && rows.findLastIndex(({ row }) => (row['namespace'] ?? '') === own) === at;
  return { stored, place: at + 1, before: rows[at - 1], isLatest: own === '' && isNewest, isNewest };
}

/** The latest of these rows, oldest first: the last one of the root. */
export const latestIn = (rows: readonly TableRow[]): TableRow | undefined =>
  rows.findLast(({ row }) => (row['namespace'] ?? '') === '');

/** What the plan rules read of a row. */
export function toPlanRow(stored: TableRow): PlanRow {
  const { rowid, row } = stored;
  const parent = parentIn(row);
  const createdAt = text(row, 'created_at');
  return {
    ref: refOf(stored),
    seq: Number(rowid),
    sizeBytes: number(row, 'size_bytes') ?? 0,
    revision: text(row, 'state_hash') ?? '',
    framed: signsOf(row).framed,
    ...(parent === undefined ? {} : { parent }),
    ...(createdAt === undefined ? {} : { createdAt }),
  };
}

/** Where a row is. */
export function refOf({ row }: TableRow): CheckpointRef {
  return refIn(text(row, 'task') ?? '', { id: text(row, 'id') ?? '', ...namespaceIn(row, 'namespace') });
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

/** A framework's steps that run for longer than this have most likely ended with their process. */
const ACTIVE_MS = 60_000;

/** What a row says itself of its end counts more than an error that a step wrote. */
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'interrupted']);

/** As saved, unless the step after it wrote an error; of a framework's checkpoint, what its steps wrote tells how it went. */
export function statusOf({ stored: { row }, isLatest, isNewest = isLatest }: Placed): CheckpointMeta['status'] {
  const saved = savedStatus(text(row, 'status'));
  const { framed, failed, asked } = signsOf(row);
  if (!framed) return failed && !ENDED.has(saved) ? 'failed' : saved;
  if (failed) return 'failed';
  if (!isNewest) return saved === 'failed' ? saved : 'completed';
  if (asked) return 'interrupted';
  return saved === 'running' && !isRecent(text(row, 'created_at')) ? 'pending' : saved;
}

/** What somebody else has written there counts as unknown. */
const savedStatus = (value: string | null | undefined): CheckpointMeta['status'] =>
  value !== undefined && value !== null && isStatus(value) ? value : 'unknown';

const isRecent = (time: string | undefined): boolean =>
  time !== undefined && Math.abs(Date.now() - Date.parse(time)) < ACTIVE_MS;

function isStatus(value: string): value is CheckpointMeta['status'] {
  return STATUSES.includes(value);
}

/** Where a page of so many begins that has the row in its middle. */
export function startAround(newestFirst: readonly TableRow[], task: string, ref: CheckpointRef, limit: number): number {
  const at = newestFirst.findIndex((stored) => sameRef(refOf(stored), ref));
  if (at >= 0) return Math.max(0, at - Math.floor(limit / 2));
  throw noCheckpoint(refIn(task, ref));
}

/** The place after the cursor's row, also when that row is gone. */
export function startAfter(newestFirst: readonly TableRow[], cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const seq = Number(decodeCursor(cursor, ['string'])[0]);
  const [head, next] = newestFirst;
  // The latest comes first, whatever was saved after it.
  const isAhead = head !== undefined && (seq === Infinity || (next !== undefined && next.rowid > head.rowid));
  const at = newestFirst.findIndex((stored) => !(isAhead && stored === head) && Number(stored.rowid) < seq);
  return at < 0 ? newestFirst.length : at;
}
