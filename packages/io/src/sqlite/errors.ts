import { basename } from 'node:path';
import { InspectorError, meansTooManyFiles, type ErrorCode } from '@checkpoint-inspector/core';
import { missingDriver } from './driver.ts';

/** The remedy of `unreadable` is for one row of many; here it is the whole database. */
const CODES: readonly (readonly [RegExp, ErrorCode, string, remedy?: string])[] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'busy', 'another process is using the database'],
  [
    /^SQLITE_NOTADB/,
    'unreadable',
    "this isn't a SQLite database, or it is encrypted",
    'Name a SQLite database that is not encrypted.',
  ],
  [
    /^SQLITE_CORRUPT/,
    'unreadable',
    'the SQLite database is damaged',
    "Restore a backup, or save what is left with the .recover command of SQLite's shell.",
  ],
  // SQLite names a side file that can't grow by a code of its own.
  [/^SQLITE_(FULL|IOERR_SHMSIZE)/, 'disk_full', 'the disk is full'],
  [/^SQLITE_IOERR/, 'unreadable', 'the disk failed while the database was in use', 'Check the disk, then try again.'],
  [
    /^SQLITE_CANTOPEN/,
    'unreadable',
    "the database can't be opened",
    'Check that you may read the file and its folder.',
  ],
  [/^SQLITE_READONLY/, 'read_only', 'the database is open read-only'],
  [/^SQLITE_TOOBIG/, 'too_large', 'a value is larger than SQLite allows'],
];

/** A driver's error as an InspectorError; errors of other kinds become `internal`, InspectorErrors pass. */
export function sqliteError(error: unknown, path: string): InspectorError {
  if (InspectorError.is(error)) return error;
  const code = sqliteCode(error);
  const known = CODES.find(([pattern]) => pattern.test(code));
  const message = error instanceof Error ? error.message : String(error);
  if (known)
    return new InspectorError(known[1], `${basename(path)}: ${known[2]} (${message}).`, {
      cause: error,
      data: { path, sqlite: code },
      ...(known[3] === undefined ? {} : { remedy: known[3] }),
    });
  if (/bindings|NODE_MODULE_VERSION|ERR_DLOPEN_FAILED/.test(`${code} ${message}`)) return missingDriver(error);
  return new InspectorError('internal', `SQLite: ${message}`, { cause: error, data: { path, sqlite: code } });
}

/** `SQLITE_…`, or the empty string for anything else. */
export function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** A failed file operation on a database: `no_store` for a missing file, else `unreadable`. */
export function openError(cause: unknown, path: string): InspectorError {
  if (InspectorError.is(cause) || meansTooManyFiles(cause)) return InspectorError.from(cause);
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new InspectorError('no_store', `There is no file ${path}.`, { cause, data: { path } });
  }
  return new InspectorError('unreadable', `${path} can't be read (${String(code ?? cause)}).`, {
    cause,
    data: { path },
  });
}
