import {
  InspectorError,
  sha256Hex,
  type CheckpointRef,
  type PlanWarning,
  type Precondition,
  type StoreId,
} from '@checkpoint-inspector/core';
import { sqliteJob, type RowsJob, type SqlRow } from '@checkpoint-inspector/io';
import { isRecent } from './meta.ts';
import type { Look, Project, Seen } from './project.ts';
import type { Row } from './rows.ts';
import { newestSave } from './rules.ts';

export interface PlanContext {
  readonly store: StoreId;
  readonly path: string;
  readonly project: Project;
  readonly now: Date;
}

/** A checkpoint that a request names, in its session. */
export interface Wanted {
  readonly ref: CheckpointRef;
  readonly row: Row;
  readonly seen: Seen;
  readonly look: Look;
}

/** An edited state, as it will be saved. */
export interface Edited {
  readonly text: string;
  /** Steps of its plan; 0 for a state of the MCP tool. */
  readonly steps: number;
  /** Columns that are not the original's. */
  readonly set: SqlRow;
  readonly warnings: readonly PlanWarning[];
}

/** @throws InspectorError not_found */
export async function wantedRow(context: PlanContext, ref: CheckpointRef): Promise<Wanted> {
  const row = context.project.row(ref);
  const look = row && (await context.project.look(ref.task));
  const seen = look?.seen.find((one) => one.row.rowid === row?.rowid);
  if (row && look && seen) return { ref: { task: row.session, id: row.id }, row, seen, look };
  throw notInSession(ref);
}

export function notInSession(ref: CheckpointRef): InspectorError {
  return new InspectorError('not_found', `No checkpoint "${ref.id}" in session "${ref.task}".`, { data: { ...ref } });
}

/** The state to copy or resume. @throws InspectorError unreadable | changed */
export async function wantedText(context: PlanContext, { row }: Wanted): Promise<string> {
  return present(await context.project.text(row), row);
}

/** @throws InspectorError changed */
export async function hashOf(context: PlanContext, { ref, row }: Wanted): Promise<Precondition> {
  return { kind: 'revision', ref, revision: await sha256Hex(present(context.project.bytes(row), row)) };
}

function present<T>(value: T | undefined, row: Row): T {
  if (value !== undefined) return value;
  throw new InspectorError('changed', `Checkpoint "${row.id}" was removed in the meantime.`);
}

/** The session's latest: one ref, as the session contains a checkpoint that can be read. */
export function headRefs({ seen, head }: Look): CheckpointRef[] {
  return seen.filter((one) => one === head).map(({ row }) => ({ task: row.session, id: row.id }));
}

export function headStays({ ref, look }: Wanted): Precondition[] {
  return headRefs(look).map((latest) => ({ kind: 'head', task: ref.task, ref: latest }));
}

/** A job for as long as this still is the row that was looked at; its state is covered by the precondition. */
export function jobFor({ path, project }: PlanContext, row: Row): RowsJob {
  const created = row.createdAtText === undefined ? {} : { created_at: row.createdAtText };
  const step = row.step === undefined ? {} : { step_number: row.step };
  return sqliteJob(path).expectRow(
    project.table.name,
    { id: row.id },
    { session_id: row.session, ...created, ...step },
  );
}

/** The same, for as long as nothing was saved in the session since. The row saved last tells it: a new one need not be the latest. */
export function jobInSession(context: PlanContext, { row, look }: Wanted): RowsJob {
  const { name } = context.project.table;
  const value = newestSave(look.session.rows)?.rowid;
  return jobFor(context, row).expectMax(name, { session_id: look.session.id }, 'rowid', value);
}

export function activeWarning(context: PlanContext, { session }: Look): PlanWarning[] {
  if (!isRecent(newestSave(session.rows)?.createdAt, context.now.getTime())) return [];
  const message =
    'The newest checkpoint is less than a minute old. A running agent keeps its own state and would save over this: stop it first.';
  return [{ code: 'agent_active', message }];
}

/** The call that continues from the session's latest. */
export function resumeCall(session: string, hasPlan: boolean): string {
  const name = JSON.stringify(session);
  return hasPlan
    ? `executor.execute(${name}, projectId, plan, { resumeFromCheckpoint: true })`
    : `the MCP tool checkpoint with action "load" and session ${name}`;
}
