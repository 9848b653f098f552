/** Brings a file of format 1, a text in every row, to shared nodes. */
import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { InspectorError, type SharedState } from '@checkpoint-inspector/core';
import {
  metaNumber,
  metaText,
  NODES_FORMAT,
  prepared,
  readText,
  sha256,
  shareText,
  type SqliteDatabase,
} from '@checkpoint-inspector/io';
import { FIRST_COLUMNS, NODES_SCHEMA, setMeta, TABLE } from './schema.ts';

const OLD = 'checkpoints_of_format_1';
const COPY = '.before-format-2.';
/** Where the copy is that a crash has left after the conversion was done. */
const COPY_KEY = 'copy_of_format_1';
const TRIES = 5;

/** Called between the steps; tests end the process there. */
export type OnStep = (step: 'copied' | 'converting' | 'verified' | 'committed') => void;

/**
 * Before a save. A copy of the file is kept beside it until the conversion is done: one transaction, in which every
 * text is compared with what was stored.
 * @throws InspectorError busy | disk_full | internal: nothing was changed
 */
export function bringToNodes(db: SqliteDatabase, onStep: OnStep = () => undefined): void {
  if (metaNumber(db, 'format') >= NODES_FORMAT) return removeLeftCopy(db);
  for (let tries = 1; !converted(db, onStep); tries++) {
    if (tries < TRIES) continue;
    throw new InspectorError('busy', `${db.path} is being saved to by an older version of this program.`, {
      remedy: 'End the older program, then save again.',
    });
  }
  removeLeftCopy(db);
}

/** False where another program has saved between the copy and the conversion. */
function converted(db: SqliteDatabase, onStep: OnStep): boolean {
  const version = Number(db.pragma('data_version'));
  const isEmpty = db.prepare(`SELECT 1 FROM ${TABLE} LIMIT 1`).get() === undefined;
  const copy = isEmpty ? undefined : copyBeside(db);
  let isDone = false;
  try {
    onStep('copied');
    isDone = db.transaction(() => {
      if (Number(db.pragma('data_version')) !== version) return metaNumber(db, 'format') >= NODES_FORMAT;
      convert(db, onStep);
      if (copy !== undefined) setMeta(db, COPY_KEY, basename(copy));
      onStep('verified');
      return true;
    });
  } finally {
    // Converted by this process: the copy is named in the file and goes with that name.
    const isNamed = isDone && copy !== undefined && metaText(db, COPY_KEY) === basename(copy);
    if (copy !== undefined && !isNamed) rmSync(copy, { force: true });
  }
  if (isDone) onStep('committed');
  return isDone;
}

function copyBeside(db: SqliteDatabase): string {
  removeDeadCopies(db.path);
  const copy = `${db.path}${COPY}${process.pid}`;
  // SQLite would make it readable for others.
  closeSync(openSync(copy, 'w', statSync(db.path).mode & 0o777));
  try {
    db.prepare('VACUUM INTO ?').run(copy);
    return copy;
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

/** Copies of processes that ended before their conversion: the store itself is whole. */
function removeDeadCopies(path: string): void {
  const start = basename(path) + COPY;
  for (const name of readdirSync(dirname(path))) {
    const owner = Number(name.slice(start.length));
    if (name.startsWith(start) && Number.isInteger(owner) && !isAlive(owner))
      rmSync(join(dirname(path), name), { force: true });
  }
}

function isAlive(process_: number): boolean {
  if (process_ === process.pid) return false;
  try {
    return process.kill(process_, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function removeLeftCopy(db: SqliteDatabase): void {
  const name = metaText(db, COPY_KEY);
  if (name === undefined || !name.startsWith(basename(db.path) + COPY) || name !== basename(name)) return;
  rmSync(join(dirname(db.path), name), { force: true });
  db.prepare('DELETE FROM store_meta WHERE k = ?').run(COPY_KEY);
}

function convert(db: SqliteDatabase, onStep: OnStep): void {
  db.exec(`DROP INDEX checkpoints_by_task; DROP INDEX checkpoints_by_id; ALTER TABLE ${TABLE} RENAME TO ${OLD};`);
  db.exec(NODES_SCHEMA);
  const rows = db.prepare<{ seq: number }>(`SELECT seq FROM ${OLD} ORDER BY task, seq`).all();
  onStep('converting');
  let before: Converted | undefined;
  for (const { seq } of rows) before = convertRow(db, seq, before);
  // A number that was given out once is never given to another row.
  db.exec(`DELETE FROM sqlite_sequence WHERE name = '${TABLE}';
    INSERT INTO sqlite_sequence SELECT '${TABLE}', seq FROM sqlite_sequence WHERE name = '${OLD}';
    DROP TABLE ${OLD};`);
  setMeta(db, 'format', String(NODES_FORMAT));
  setMeta(db, 'gc_epoch', '0');
  setMeta(db, 'removed', '0');
}

interface OldRow {
  readonly task: string;
  /** Bytes where another program has put them there. */
  readonly text: unknown;
  readonly state_hash: string;
  readonly size_bytes: number;
}

interface Converted {
  readonly task: string;
  readonly state: SharedState;
}

const READ = `SELECT task, text, state_hash, size_bytes FROM ${OLD} WHERE seq = ?`;
const INSERT = `INSERT INTO ${TABLE} (${FIRST_COLUMNS}, root, whole)
  SELECT ${FIRST_COLUMNS}, :root, :whole FROM ${OLD} WHERE seq = :seq`;

function convertRow(db: SqliteDatabase, seq: number, before: Converted | undefined): Converted {
  const [row] = prepared<OldRow>(db, READ).all(seq);
  if (!row) throw new InspectorError('internal', `Row ${seq} is missing.`);
  const { task, size_bytes } = row;
  const text = exactText(db, seq, row);
  const { state, root, whole } = shareText(db, text ?? 'null', before?.task === task ? before.state : undefined);
  // Reading goes by the size of the row, which another program may have written as it liked.
  const isSized = text !== undefined && Buffer.byteLength(text) === size_bytes;
  const stored = { root, whole: isSized ? whole : copiedText(db, seq), size_bytes };
  if (text !== undefined && readText(db, stored) !== text) {
    throw new InspectorError('internal', `The text of row ${seq} would not be read as it was saved.`);
  }
  prepared(db, INSERT).run({ root: stored.root, whole: stored.whole, seq });
  return { task, state };
}

/** The text, where reading it loses no byte. */
function exactText(db: SqliteDatabase, seq: number, { text, state_hash }: OldRow): string | undefined {
  if (typeof text !== 'string') return undefined;
  if (sha256(text) === state_hash) return text;
  const same = prepared(db, `SELECT 1 FROM ${OLD} WHERE seq = ? AND CAST(text AS BLOB) = ?`);
  return same.get(seq, Buffer.from(text)) === undefined ? undefined : text;
}

/** Every byte as it is, whatever it is. */
const copiedText = (db: SqliteDatabase, seq: number): number =>
  Number(prepared(db, `INSERT INTO texts (text) SELECT text FROM ${OLD} WHERE seq = ?`).run(seq).lastInsertRowid);
