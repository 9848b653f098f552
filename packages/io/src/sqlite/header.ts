import { closeSync, constants, openSync, readSync } from 'node:fs';
import { InspectorError } from '@checkpoint-inspector/core';

const MAGIC = 'SQLite format 3\0';

/**
 * Whether a file is a SQLite database, from its first 16 bytes. Nothing is opened as a database.
 * Source: https://www.sqlite.org/fileformat.html, section 1.3.
 * @throws InspectorError no_store (no such file) | unreadable (no permission, no regular file)
 * @example await sqliteHeader('/home/me/checkpoints.sqlite') // 'sqlite'
 */
export async function sqliteHeader(path: string): Promise<'sqlite' | 'other' | 'empty'> {
  const start = readStart(path);
  if (start.length === 0) return 'empty';
  return start.toString('latin1') === MAGIC ? 'sqlite' : 'other';
}

/**
 * Synchronous on purpose: closing any descriptor of a database drops this process's POSIX locks on it,
 * which is harmless only while no statement runs, and none can run during a synchronous call.
 */
function readStart(path: string): Buffer {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const start = Buffer.alloc(MAGIC.length);
      return start.subarray(0, readSync(fd, start, 0, MAGIC.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw fileError(cause, path);
  }
}

/** @returns `no_store` for a missing file, else `unreadable` */
export function fileError(cause: unknown, path: string): InspectorError {
  if (InspectorError.is(cause)) return cause;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new InspectorError('no_store', `There is no file ${path}.`, { cause, data: { path } });
  }
  return new InspectorError('unreadable', `${path} cannot be read (${String(code ?? cause)}).`, {
    cause,
    data: { path },
  });
}
