/** How a checkpoint is saved: a row, and in the same transaction what retention lets go. */
import {
  checkEvicted,
  InspectorError,
  memberOf,
  parseJson,
  sourceOf,
  type NewCheckpoint,
  type SaveOptions,
} from '@checkpoint-inspector/core';
import { assertRowFits, openSqlite, type SqliteDatabase } from '@checkpoint-inspector/io';
import { RESUME_ORDER } from './rows.ts';
import { KEPT, newCheckpointId } from './rules.ts';
import { checkpointTables, quoted, type CheckpointTable } from './tables.ts';

/** A table that is open for saving. */
export interface CheckpointDatabase {
  readonly sqlite: SqliteDatabase;
  readonly table: CheckpointTable;
  close(): void;
}

/** A checkpoint that has no id and no time yet. */
export interface NewRow {
  readonly session: string;
  /** Only the document's table has a column for it. */
  readonly project: string;
  readonly step: number;
  /** As stored. */
  readonly state: string | Uint8Array;
  readonly description?: string | undefined;
  readonly trigger: string;
  readonly durationMs?: number | undefined;
  readonly tokenUsage?: number | undefined;
}

interface Retention {
  readonly maxCheckpointsPerSession: number;
  readonly pruneAfterDays?: number | undefined;
  /** Given in tests only. */
  readonly maxRowBytes?: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** For a row of the document's table in a file where nobody has named a project yet. */
const NO_PROJECT = 'default';

/** Opens the table that `choose` finds. @throws InspectorError busy | disk_full | unreadable */
export function openToSave(
  path: string,
  options: { readonly create: boolean; readonly busyTimeoutMs?: number },
  choose: (sqlite: SqliteDatabase) => CheckpointTable,
): CheckpointDatabase {
  const sqlite = openSqlite(path, { readOnly: false, ...options });
  try {
    sqlite.pragma('synchronous = FULL'); // an acknowledged save survives power loss
    const table = choose(sqlite);
    // The document's schema names tables that need not be there; its own saves go without the check as well.
    if (table.brokenKey !== undefined) sqlite.pragma('foreign_keys = OFF');
    return { sqlite, table, close: () => sqlite.close() };
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** @throws InspectorError invalid_input for an empty one */
export function checkNames(names: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(names)) {
    if (typeof value !== 'string' || value === '') throw refusal(name, `${name} must be a non-empty string.`);
    // SQLite would store another text than the one that was given.
    if (!value.isWellFormed()) throw refusal(name, `${name} contains half of a surrogate pair.`);
  }
}

/** @throws InspectorError invalid_input */
export function checkStep(step: unknown): number {
  if (typeof step === 'number' && Number.isSafeInteger(step) && step >= 0) return step;
  const message = `state.currentStepIndex must be 0 or a positive whole number, not ${String(step)}.`;
  throw refusal('currentStepIndex', message);
}

export function refusal(name: string, message: string): InspectorError {
  return new InspectorError('invalid_input', message, { data: { name } });
}

/**
 * @param onRetention is told the ids that go; what it throws leaves the table as it was
 * @throws InspectorError invalid_input (a foreign key) | too_large | busy | disk_full
 */
export function insertCheckpoint(
  { sqlite, table }: CheckpointDatabase,
  { session, project, step, state, description, trigger, durationMs, tokenUsage }: NewRow,
  retention: Retention,
  onRetention: (id: string, gone: readonly string[]) => void = () => undefined,
): { readonly id: string; readonly createdAt: Date } {
  const [id, createdAt] = [newCheckpointId(), new Date()];
  const row = {
    id,
    session_id: session,
    ...(table.hasProjectColumn ? { project_id: project } : {}),
    step_number: step,
    created_at: createdAt.toISOString(),
    state_json: state,
    description: description ?? null,
    trigger_type: trigger,
    duration_ms: durationMs ?? 0,
    token_usage: tokenUsage ?? null,
  };
  assertRowFits(row, retention.maxRowBytes);
  const marks = Object.keys(row).map(() => '?');
  const sql = `INSERT INTO ${quoted(table.name)} (${Object.keys(row).join(', ')}) VALUES (${marks.join(', ')})`;
  try {
    sqlite.transaction(() => {
      sqlite.prepare(sql).run(...Object.values(row));
      onRetention(id, prune({ sqlite, table }, session, retention));
    });
  } catch (error) {
    throw constraint(error);
  }
  return { id, createdAt };
}

type Table = Pick<CheckpointDatabase, 'sqlite' | 'table'>;

/** The document's rule, and the rowid: of equal ones the newest stays. @returns the ids that went */
function prune({ sqlite, table }: Table, session: string, retention: Retention): string[] {
  const { maxCheckpointsPerSession, pruneAfterDays } = retention;
  const name = quoted(table.name);
  const kept = `SELECT rowid FROM ${name} WHERE session_id = ? ORDER BY ${RESUME_ORDER} LIMIT +?`;
  const sql = `DELETE FROM ${name} WHERE session_id = ? AND rowid NOT IN (${kept}) RETURNING id`;
  const surplus = sqlite.prepare<{ id: string }>(sql).all(session, session, maxCheckpointsPerSession);
  const old = pruneAfterDays === undefined ? [] : deleteOlder({ sqlite, table }, pruneAfterDays, session);
  return [...surplus.map(({ id }) => id), ...old];
}

/** Of one session, or of all. @returns the ids that went */
export function deleteOlder({ sqlite, table }: Table, days: number, session?: string): string[] {
  const cutoff = (Date.now() - days * DAY_MS) / 1000;
  const [where, values] = session === undefined ? ['TRUE', []] : ['session_id = ?', [session]];
  // A stored time that SQLite cannot read gives NULL: such rows stay.
  const old = `${where} AND unixepoch(created_at, 'subsec') < ?`;
  const sql = `DELETE FROM ${quoted(table.name)} WHERE ${old} RETURNING id`;
  return sqlite
    .prepare<{ id: string }>(sql)
    .all(...values, cutoff)
    .map(({ id }) => id);
}

/** A foreign key of the document's own database: its session or project has no row. */
function constraint(error: unknown): unknown {
  if (!InspectorError.is(error) || !String(error.data?.['sqlite']).startsWith('SQLITE_CONSTRAINT')) return error;
  return new InspectorError('invalid_input', `The database rejected this row: ${error.message}`, {
    cause: error,
    remedy: 'Create the rows for the session and the project first.',
  });
}

/**
 * Saves as the checkpoint tool of ctx-sys does: a state as JSON text, for a session. A state of the document, told by its
 * `plan` and `currentStepIndex`, is saved as it is at that step. Any other object becomes the `context` of one, a step
 * above all others of its session, so that ctx-sys loads it as the latest.
 * @returns the id
 * @throws InspectorError invalid_input (also what retention would drop at once) | changed (`mayEvict`) | busy | disk_full | no_store
 */
export function saveAsTool(
  path: string,
  { name }: CheckpointTable,
  { task, text, description, trigger }: Pick<NewCheckpoint, 'task' | 'text' | 'description' | 'trigger'>,
  { mayEvict }: Pick<SaveOptions, 'mayEvict'> = {},
): string {
  checkNames({ sessionId: task });
  const database = openToSave(path, { create: false }, (sqlite) => tableNamed(sqlite, path, name));
  try {
    const told = stepOf(text);
    const step = checkStep(told ?? topStep(database, task) + 1);
    const row = {
      session: task,
      project: projectOf(database, task),
      step,
      state: told === undefined ? contextState(text, step) : text,
      description,
      trigger: trigger === 'auto' || trigger === 'error' ? trigger : 'manual',
    };
    return insertCheckpoint(database, row, { maxCheckpointsPerSession: KEPT }, (id, gone) => {
      if (gone.includes(id)) throw droppedAtOnce(step);
      checkEvicted(
        mayEvict ? { mayEvict } : {},
        gone.map((one) => ({ task, id: one })),
      );
    }).id;
  } finally {
    database.close();
  }
}

/** A file may have other tables beside it. @throws InspectorError no_store */
function tableNamed(sqlite: SqliteDatabase, path: string, name: string): CheckpointTable {
  const table = checkpointTables(sqlite).find((one) => one.name === name);
  if (table) return table;
  throw new InspectorError('no_store', `${path} no longer has a checkpoint table "${name}".`, { data: { path } });
}

/** `undefined` for a state that is not one of the document. */
function stepOf(text: string): number | undefined {
  const root = parseJson(text);
  if (root.kind !== 'object' || memberOf(root, 'plan')?.value.kind !== 'array') return undefined;
  const step = memberOf(root, 'currentStepIndex')?.value;
  return step?.kind === 'number' ? Number(sourceOf(text, step)) : undefined;
}

const contextState = (context: string, step: number) =>
  `{"query":"","plan":[],"currentStepIndex":${step},"results":[],"context":${context}}`;

function topStep({ sqlite, table }: CheckpointDatabase, session: string): number {
  const sql = `SELECT max(step_number) AS top FROM ${quoted(table.name)} WHERE session_id = ?`;
  return sqlite.prepare<{ top: number | null }>(sql).get(session)?.top ?? 0;
}

/** The document's table names the project in each row: that of the session, else the newest. */
function projectOf({ sqlite, table }: CheckpointDatabase, session: string): string {
  if (!table.hasProjectColumn) return table.projects[0] ?? NO_PROJECT;
  const sql =
    `SELECT project_id AS id FROM ${quoted(table.name)} WHERE project_id <> '' ` +
    'ORDER BY session_id = ? DESC, rowid DESC LIMIT 1';
  return sqlite.prepare<{ id: string }>(sql).get(session)?.id ?? NO_PROJECT;
}

function droppedAtOnce(step: number): InspectorError {
  return new InspectorError(
    'invalid_input',
    `This session keeps only the ${KEPT} checkpoints with the highest steps, so a checkpoint at step ${step} would be removed immediately.`,
    { remedy: 'Save it with a higher currentStepIndex, or under another sessionId.' },
  );
}
