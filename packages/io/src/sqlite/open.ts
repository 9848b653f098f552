import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { InspectorError } from '@checkpoint-inspector/core';
import { loadDriver, type DriverDatabase } from './driver.ts';
import { openError, sqliteCode, sqliteError } from './errors.ts';
import { noteConnection } from './open-files.ts';
import { removeScratch } from '../scratch.ts';
import { copyDatabase } from './snapshot.ts';
import type { SqlValue } from './values.ts';

const IN_MEMORY = ':memory:';

export interface SqliteOptions {
  readonly readOnly: boolean;
  /** Makes the file (mode 0600) when it is missing. */
  readonly create?: boolean;
  /** Default 2,000 for reading, 5,000 for writing. */
  readonly busyTimeoutMs?: number;
}

export type SqliteParameter = SqlValue | Readonly<Record<string, SqlValue>>;

export interface SqliteStatement<Row> {
  all(...parameters: SqliteParameter[]): Row[];
  get(...parameters: SqliteParameter[]): Row | undefined;
  run(...parameters: SqliteParameter[]): { changes: number; lastInsertRowid: number | bigint };
  /** Holds a read transaction until it ends: only for short work. */
  iterate(...parameters: SqliteParameter[]): Iterable<Row>;
}

interface StatementOptions {
  readonly safeIntegers?: boolean;
  /** Rows as arrays, in the order of the columns: for many rows cheaper than objects. */
  readonly arrays?: boolean;
}

/** Blobs come as bytes; integers as numbers, or all as bigint where a statement asks for `safeIntegers`. */
export interface SqliteDatabase {
  /** Write a limit that is bound as `LIMIT +?`: for a bare parameter SQLite compiles the statement again at each run. */
  prepare<Row>(sql: string, options?: StatementOptions): SqliteStatement<Row>;
  exec(sql: string): void;
  /** One immediate transaction; a throw rolls it back. `work` is synchronous. */
  transaction<T>(work: () => T): T;
  readonly inTransaction: boolean;
  /** The pragma's first value. */
  pragma(text: string): unknown;
  /** As asked for, also when a copy was opened. */
  readonly path: string;
  /** Set when a private copy was opened: where it is, and why. */
  readonly snapshot?: string;
  /** Set with `snapshot` where a transaction was cut off, which the next writer rolls back: the original can be changed. */
  readonly awaitsRollback?: true;
  close(): void;
}

/**
 * Opens a SQLite file; `:memory:` is a database that no file holds. Reading never checkpoints, migrates or writes to the database; a database in WAL mode gets
 * SQLite's two side files, and where those cannot be made a private copy is opened (`snapshot` is set).
 * @throws InspectorError no_store | unreadable | busy | disk_full | unsupported (driver missing)
 */
export function openSqlite(path: string, options: SqliteOptions): SqliteDatabase {
  const readOnly = options.readOnly;
  if (path !== IN_MEMORY) ensureFile(path, !readOnly && options.create === true);
  const timeout = options.busyTimeoutMs ?? (readOnly ? 2_000 : 5_000);
  try {
    return wrap(connect(path, readOnly, timeout), path);
  } catch (error) {
    if (!readOnly || !needsCopy(error)) throw sqliteError(error, path);
    return openCopy(path, timeout, sqliteCode(error));
  }
}

function ensureFile(path: string, create: boolean): void {
  try {
    if (create) closeSync(openSync(path, 'wx', 0o600));
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw openError(cause, path);
  }
  try {
    if (statSync(path).isFile()) return;
  } catch (cause) {
    throw openError(cause, path);
  }
  const remedy = 'Name the database file itself.';
  throw new InspectorError('unreadable', `${path} isn't a file.`, { data: { path }, remedy });
}

/** The side files of a log cannot be made, or the log needs a recovery that a reader must not do. */
export function needsCopy(error: unknown): boolean {
  return /^SQLITE_(CANTOPEN|READONLY)/.test(sqliteCode(error));
}

/** @throws the driver's own error */
export function connect(path: string, readOnly: boolean, timeout: number): DriverDatabase {
  const Database = loadDriver();
  const database = new Database(path, { readonly: readOnly, fileMustExist: true, timeout });
  noteConnection(path, database);
  try {
    // Opening is lazy: only the first read finds a file that isn't a database, or side files that cannot be made.
    database.pragma('schema_version');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The copy is ours: it is opened for writing, so that SQLite can bring its log in. */
function openCopy(path: string, timeout: number, reason: string): SqliteDatabase {
  const copy = copyDatabase(path);
  const folder = dirname(copy);
  try {
    connect(copy, false, timeout).close();
    const awaitsRollback = reason === 'SQLITE_READONLY_ROLLBACK';
    const why = awaitsRollback
      ? 'a change of the original was cut off; the next program that writes to it undoes that change'
      : "SQLite's side files can't be created next to the original";
    const note = `A private copy in ${folder}, because ${why} (${reason}).`;
    return wrap(connect(copy, true, timeout), path, { note, awaitsRollback, remove: () => removeScratch(folder) });
  } catch (error) {
    removeScratch(folder);
    throw sqliteError(error, path);
  }
}

interface Copied {
  readonly note: string;
  readonly awaitsRollback: boolean;
  readonly remove: () => void;
}

function wrap(database: DriverDatabase, path: string, copied?: Copied): SqliteDatabase {
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw sqliteError(error, path);
    }
  };
  // Made once: making it takes as long as a statement.
  let immediately: ((work: () => unknown) => unknown) | undefined;
  const transacting = () => (immediately ??= database.transaction((work: () => unknown) => work()).immediate);
  return {
    path,
    ...(copied && { snapshot: copied.note }),
    ...(copied?.awaitsRollback && { awaitsRollback: true }),
    prepare: <Row>(sql: string, options?: StatementOptions): SqliteStatement<Row> =>
      guard(() => {
        const statement = database.prepare<SqliteParameter[], Row>(sql);
        if (options?.safeIntegers === true) statement.safeIntegers(true);
        if (options?.arrays === true) statement.raw(true);
        return {
          all: (...parameters) => guard(() => statement.all(...parameters)),
          get: (...parameters) => guard(() => statement.get(...parameters)),
          run: (...parameters) => guard(() => statement.run(...parameters)),
          iterate: (...parameters) => guarded(() => statement.iterate(...parameters), path),
        };
      }),
    exec: (sql) => void guard(() => database.exec(sql)),
    transaction: <T>(work: () => T): T => transact(() => transacting()(work) as T, path),
    get inTransaction() {
      return database.inTransaction;
    },
    pragma: (text) => guard(() => database.pragma(text, { simple: true })),
    close: () => {
      database.close();
      copied?.remove();
    },
  };
}

/** Errors of what is done in it pass as they are; only SQLite's own are translated. */
function transact<T>(run: () => T, path: string): T {
  try {
    return run();
  } catch (error) {
    throw sqliteCode(error).startsWith('SQLITE_') ? sqliteError(error, path) : error;
  }
}

function* guarded<Row>(rows: () => Iterable<Row>, path: string): Iterable<Row> {
  try {
    yield* rows();
  } catch (error) {
    throw sqliteError(error, path);
  }
}

/** So long a writer may wait for a reader who is in the middle of something, before the log is left as it is. */
const LOG_WAIT_MS = 200;

/**
 * Moves the log into the database file, whose journal mode stays. False where somebody else still needs the log, or
 * the disk has no space: then the log holds what the file lacks.
 */
export function emptyLog(database: SqliteDatabase, waitMs = LOG_WAIT_MS): boolean {
  const wait = database.pragma('busy_timeout');
  try {
    database.pragma(`busy_timeout = ${waitMs}`);
    // First what holds up nobody.
    database.pragma('wal_checkpoint(PASSIVE)');
    return Number(database.pragma('wal_checkpoint(TRUNCATE)')) === 0;
  } catch {
    return false; // what it was called after is committed, and must not look failed
  } finally {
    database.pragma(`busy_timeout = ${String(wait)}`);
  }
}

/** The file beside a database that holds what the database lacks; `undefined` where it is whole by itself. */
export function logBeside(path: string): string | undefined {
  const log = `${path}-wal`;
  return (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0 ? log : undefined;
}

/** Through SQLite alone (see open-files.ts); `undefined` for what is empty, encrypted or none. @throws as openSqlite */
export function lookInto<T>(path: string, look: (database: SqliteDatabase) => T): T | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) return undefined;
  const database = openUnlessOther(path);
  if (database === undefined) return undefined;
  try {
    return look(database);
  } finally {
    database.close();
  }
}

function openUnlessOther(path: string): SqliteDatabase | undefined {
  try {
    return openSqlite(path, { readOnly: true });
  } catch (error) {
    if (InspectorError.is(error) && error.data?.['sqlite'] === 'SQLITE_NOTADB') return undefined;
    throw error;
  }
}
