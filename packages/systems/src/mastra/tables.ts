import { InspectorError } from '@checkpoint-inspector/core';
import { decodeUtf8, type SqliteDatabase } from '@checkpoint-inspector/io';
import { defined } from '../folder/document.ts';
import type { RunHead } from '../run-row/contract.ts';
import { isoOf } from '../run-row/time.ts';

export const SNAPSHOTS = 'mastra_workflow_snapshot';

/** The longest snapshot that is read. */
const MAX_BYTES = 256 * 1024 * 1024;

interface StoredHead {
  readonly r: bigint;
  readonly name: unknown;
  readonly run: unknown;
  readonly createdAt: unknown;
  readonly updatedAt: unknown;
  readonly size: bigint | null;
}

/** Every row, without its snapshot. */
export function readHeads(database: SqliteDatabase): readonly RunHead[] {
  const sql = `SELECT rowid AS r, workflow_name AS name, run_id AS run, createdAt, updatedAt,
    octet_length(snapshot) AS size FROM ${SNAPSHOTS}`;
  return database.prepare<StoredHead>(sql, { safeIntegers: true }).all().map(headOf);
}

function headOf({ r: rowid, name, run, createdAt, updatedAt, size }: StoredHead): RunHead {
  const odd = typeof run === 'string' ? (typeof name === 'string' ? undefined : 'workflow_name') : 'run_id';
  return defined({
    rowid,
    run: typeof run === 'string' ? run : `rowid ${rowid}`,
    name: typeof name === 'string' ? name : `rowid ${rowid}`,
    oddKey: odd,
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(updatedAt),
    sizeBytes: Number(size ?? 0n),
  });
}

interface StoredSnapshot {
  readonly bytes: Uint8Array | null;
  readonly type: string;
  readonly text: string | null;
}

/** Mastra keeps SQLite's binary form of JSON; older versions and other writers keep text. */
function readSnapshot(database: SqliteDatabase, { rowid }: RunHead): StoredSnapshot | undefined {
  const sql = `SELECT CAST(snapshot AS BLOB) AS bytes, typeof(snapshot) AS type,
    CASE WHEN typeof(snapshot) = 'blob' AND json_valid(snapshot, 8) THEN json(snapshot) END AS text
    FROM ${SNAPSHOTS} WHERE rowid = ?`;
  return database.prepare<StoredSnapshot>(sql).get(rowid);
}

/** The snapshot as JSON text. @throws InspectorError unreadable | too_large */
export function snapshotText(database: SqliteDatabase, head: RunHead): string | undefined {
  if (head.sizeBytes > MAX_BYTES)
    throw new InspectorError('too_large', `The snapshot is ${head.sizeBytes} bytes; up to ${MAX_BYTES} are read.`);
  const stored = readSnapshot(database, head);
  if (stored === undefined) return undefined;
  if (stored.type === 'null') throw new InspectorError('unreadable', 'The row has no snapshot.');
  if (stored.text !== null) return stored.text;
  // A blob that isn't SQLite's binary form may be text that was bound as bytes.
  return decodeUtf8(stored.bytes ?? new Uint8Array());
}

const jsonb = (database: SqliteDatabase, text: string): Uint8Array =>
  database.prepare<{ b: Uint8Array }>('SELECT jsonb(?) AS b').get(text)?.b ?? new Uint8Array();

/** The bytes of `snapshot`, whatever they are. */
export function snapshotBytes(database: SqliteDatabase, head: RunHead): Uint8Array | undefined {
  const stored = readSnapshot(database, head);
  return stored && new Uint8Array(stored.bytes ?? []);
}

/** What the row has in `snapshot`, or would have for this text, in the form that it uses. */
export function storedSnapshot(
  database: SqliteDatabase,
  head: RunHead,
  text?: string,
): string | Uint8Array | undefined {
  const stored = readSnapshot(database, head);
  if (stored === undefined) return undefined;
  if (text !== undefined) return stored.text === null ? text : jsonb(database, text);
  const bytes = new Uint8Array(stored.bytes ?? []);
  return stored.type === 'text' ? decodeUtf8(bytes) : bytes;
}

/** The binary form keeps no spaces. */
export function asStored(database: SqliteDatabase, head: RunHead, text: string): string {
  const bytes = storedSnapshot(database, head, text);
  if (typeof bytes === 'string' || bytes === undefined) return text;
  return database.prepare<{ t: string }>('SELECT json(?) AS t').get(bytes)?.t ?? text;
}
