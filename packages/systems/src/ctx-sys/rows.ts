import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { defined } from '../folder/document.ts';
import { compare, groupBy } from '../folder/rows.ts';
import { quoted, type CheckpointTable } from './tables.ts';

/** A row without its state. */
export interface Row {
  /** Save order. */
  readonly rowid: bigint;
  readonly id: string;
  readonly session: string;
  /** Set when `id` or `session_id` is not text, which ctx-sys never writes. */
  readonly oddKey?: string;
  readonly project?: string;
  /** Absent where the column has no whole number. */
  readonly step?: number;
  /** As stored. */
  readonly createdAtText?: string;
  /** ISO 8601 UTC, where the stored time can be read. */
  readonly createdAt?: string;
  readonly description?: string;
  readonly trigger: string;
  readonly durationMs?: number;
  readonly tokenUsage?: number;
  /** Bytes of `state_json`. */
  readonly sizeBytes: number;
}

/** A session: its rows in resume order, the one that takes precedence over all others first. */
export interface Session {
  readonly id: string;
  readonly rows: readonly Row[];
  /** ISO 8601 UTC of the newest save. */
  readonly updatedAt?: string;
}

type Cell = string | bigint | number | null | Uint8Array;
interface Stored {
  readonly r: bigint;
  readonly id: Cell;
  readonly session_id: Cell;
  readonly project: Cell;
  readonly step_number: Cell;
  readonly created_at: Cell;
  readonly description: Cell;
  readonly trigger_type: Cell;
  readonly duration_ms: Cell;
  readonly token_usage: Cell;
  readonly size: bigint | null;
}

/** The rule of ctx-sys: SQL of `ORDER BY` for what resumes first. */
export const RESUME_ORDER = 'step_number DESC, created_at DESC, rowid DESC';

/** All sessions of a table, newest save first, ties by id. */
export function readSessions(database: SqliteDatabase, table: CheckpointTable): readonly Session[] {
  const project = table.hasProjectColumn ? 'project_id' : 'NULL';
  const sql =
    `SELECT rowid AS r, id, session_id, ${project} AS project, step_number, created_at, description, trigger_type, ` +
    `duration_ms, token_usage, octet_length(state_json) AS size FROM ${quoted(table.name)} ORDER BY ${RESUME_ORDER}`;
  const rows = database.prepare<Stored>(sql, { safeIntegers: true }).all().map(rowOf);
  return [...groupBy(rows, (row) => row.session)]
    .map(([id, own]): Session => defined({ id, rows: own, updatedAt: newest(own) }))
    .sort(bySave);
}

function newest(rows: readonly Row[]): string | undefined {
  return rows
    .flatMap(({ createdAt }) => createdAt ?? [])
    .sort()
    .at(-1);
}

/** Newest first, ties by id. */
export function bySave(a: Pick<Session, 'id' | 'updatedAt'>, b: Pick<Session, 'id' | 'updatedAt'>): number {
  return compare(b.updatedAt ?? '', a.updatedAt ?? '') || compare(a.id, b.id);
}

/** Oldest save first. */
export function inSaveOrder(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.rowid < b.rowid ? -1 : 1));
}

function rowOf(stored: Stored): Row {
  const { r: rowid, id, session_id: session } = stored;
  const createdAtText = textOf(stored.created_at);
  const oddId = typeof id === 'string' ? undefined : 'id';
  return defined({
    rowid,
    id: typeof id === 'string' ? id : `rowid ${rowid}`,
    session: typeof session === 'string' ? session : `session_id of type ${kindOf(session)}`,
    oddKey: oddId ?? (typeof session === 'string' ? undefined : 'session_id'),
    project: textOf(stored.project),
    step: wholeOf(stored.step_number),
    createdAtText,
    createdAt: utcOf(createdAtText),
    description: textOf(stored.description),
    trigger: textOf(stored.trigger_type) ?? '',
    durationMs: numberOf(stored.duration_ms),
    tokenUsage: wholeOf(stored.token_usage),
    sizeBytes: Number(stored.size ?? 0n),
  });
}

function textOf(cell: Cell): string | undefined {
  if (typeof cell === 'string') return cell;
  return typeof cell === 'bigint' || typeof cell === 'number' ? String(cell) : undefined;
}

/** Numbers that JavaScript would round are left out, not shown wrong. */
function wholeOf(cell: Cell): number | undefined {
  return typeof cell === 'bigint' && Number.isSafeInteger(Number(cell)) ? Number(cell) : undefined;
}

function numberOf(cell: Cell): number | undefined {
  return typeof cell === 'number' ? cell : wholeOf(cell);
}

function kindOf(cell: Cell): string {
  if (cell === null) return 'NULL';
  return cell instanceof Uint8Array ? `BLOB ${Buffer.from(cell).toString('hex')}` : typeof cell;
}

const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,9})?Z?$/;

/** ISO with Z, or `YYYY-MM-DD HH:MM:SS`, which is what SQLite's CURRENT_TIMESTAMP writes: UTC as well. */
function utcOf(text: string | undefined): string | undefined {
  const parts = text === undefined ? null : ISO.exec(text);
  if (!parts) return undefined;
  const iso = `${parts[1]}T${parts[2]}${parts[3] ?? ''}Z`;
  return Number.isNaN(Date.parse(iso)) ? undefined : iso;
}
