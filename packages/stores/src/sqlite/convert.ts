/** Brings a file of format 1, a text in every row, to shared nodes. */
import { InspectorError, type SharedState } from '@checkpoint-inspector/core';
import {
  hasNodes,
  NODES_FORMAT,
  prepared,
  readText,
  sha256,
  shareText,
  type SqliteDatabase,
} from '@checkpoint-inspector/io';
import { FIRST_COLUMNS, NODES_SCHEMA, setMeta, TABLE } from './schema.ts';

const OLD = 'checkpoints_of_format_1';

/** Called between the steps; tests end the process there. */
export type OnStep = (step: 'converting' | 'verified' | 'committed') => void;

/**
 * Before a save. One transaction, in which every text is compared with what was stored: a crash leaves the old format,
 * and the next save converts it again.
 * @throws InspectorError busy | disk_full | internal: nothing was changed
 */
export function bringToNodes(db: SqliteDatabase, onStep: OnStep = () => undefined): void {
  if (hasNodes(db)) return;
  db.transaction(() => {
    if (hasNodes(db)) return; // another process was quicker
    convert(db, onStep);
    onStep('verified');
  });
  onStep('committed');
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
