/**
 * The rows of a dev server's files, in LangGraph's tables: a private database in memory, so that the rules for SQLite
 * files hold for them too. Values stay bytes as they were stored.
 */
import { InspectorError } from '@checkpoint-inspector/core';
import { openSqlite, type SqliteDatabase, type SqlValue } from '@checkpoint-inspector/io';
import { LANGGRAPH_DDL } from '../langgraph/tables.ts';

/** A value as one of Python's serializers names it; JavaScript's are all JSON. */
export interface Typed {
  readonly type: string;
  readonly bytes: Uint8Array | null;
}

export interface DevPlace {
  readonly thread: string;
  readonly ns: string;
}

export interface DevCheckpoint extends DevPlace {
  readonly id: string;
  readonly parent: string | null;
  readonly checkpoint: Typed;
  /** JSON text in UTF-8; `null` where it cannot be read. */
  readonly metadata: Uint8Array | null;
  /** Why the row cannot be read, where that is known already. */
  readonly refused?: string | undefined;
}

export interface DevWrite extends DevPlace {
  readonly id: string;
  readonly task: string;
  readonly idx: number;
  readonly channel: string;
  readonly value: Typed;
  /** Where the task was started from: where a channel triggered it, this ends with the node's name. */
  readonly path: string;
}

/** A channel's value of one version, kept beside the checkpoints that name it. */
export interface DevBlob extends DevPlace {
  readonly channel: string;
  readonly version: string;
  readonly value: Typed;
}

/** Takes rows one by one; of the same place, the last counts. */
export interface RowSink {
  checkpoint(row: DevCheckpoint): void;
  write(row: DevWrite): void;
  blob(row: DevBlob): void;
}

const MORE = `
ALTER TABLE checkpoints ADD COLUMN refused TEXT;
ALTER TABLE writes ADD COLUMN task_path TEXT NOT NULL DEFAULT '';
CREATE TABLE blobs (
  thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL, channel TEXT NOT NULL, version TEXT NOT NULL,
  type TEXT, value BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, channel, version)
);`;

/**
 * A pickle can name one value in many places: what it unfolds to is bounded by the size of the files. A row takes more
 * than this in any file, because its id or version is in it; a value is shared by few rows, and then it is empty.
 */
const BYTES_OF_ROW = 16;
const SHARED = 4;
const SPARE = 1_000;

/** @param size bytes of all files @throws InspectorError too_large, or whatever `fill` throws; the database is closed then */
export function databaseOf(size: number, fill: (into: RowSink) => void): SqliteDatabase {
  const database = openSqlite(':memory:', { readOnly: false });
  try {
    database.exec(LANGGRAPH_DDL + MORE);
    const sink = sinkInto(database, size);
    database.transaction(() => fill(sink));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function sinkInto(database: SqliteDatabase, size: number): RowSink {
  let rowsLeft = SPARE + size / BYTES_OF_ROW;
  let bytesLeft = SPARE + size * SHARED;
  const into = (table: string, columns: number): ((...cells: readonly SqlValue[]) => void) => {
    const marks = Array.from({ length: columns }, () => '?').join(', ');
    const statement = database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${marks})`);
    return (...cells) => {
      for (const cell of cells) bytesLeft -= cell instanceof Uint8Array ? cell.byteLength : 0;
      if (--rowsLeft < 0 || bytesLeft < 0) throw tooLarge();
      statement.run(...cells);
    };
  };
  const [checkpoints, writes, blobs] = [into('checkpoints', 8), into('writes', 9), into('blobs', 6)];
  return {
    checkpoint: ({ thread, ns, id, parent, checkpoint, metadata, refused }) =>
      checkpoints(thread, ns, id, parent, checkpoint.type, checkpoint.bytes, metadata, refused ?? null),
    write: ({ thread, ns, id, task, idx, channel, value, path }) =>
      writes(thread, ns, id, task, idx, channel, value.type, value.bytes, path),
    blob: ({ thread, ns, channel, version, value }) => blobs(thread, ns, channel, version, value.type, value.bytes),
  };
}

function tooLarge(): InspectorError {
  return new InspectorError(
    'too_large',
    'The files unfold to more than they can hold: they name the same rows again and again.',
  );
}
