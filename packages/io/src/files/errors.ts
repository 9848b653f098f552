import { InspectorError, meansTooManyFiles, type ErrorCode } from '@checkpoint-inspector/core';

const CODES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ['not_found', 'does not exist'],
  ENOTDIR: ['not_found', 'does not exist: part of the path is not a folder'],
  EACCES: ['unreadable', "can't be accessed by this user"],
  EPERM: ['unreadable', "can't be accessed by this user"],
  ELOOP: ['unreadable', 'is a symbolic link, and links are not followed'],
  EISDIR: ['unreadable', 'is a folder'],
  ENXIO: ['unreadable', 'is not a regular file'],
  EIO: ['unreadable', "can't be read: the disk reported an error"],
  ENAMETOOLONG: ['invalid_input', 'has a name that is too long for this disk'],
  ERR_INVALID_ARG_VALUE: ['invalid_input', 'has an invalid name'],
  ENOSPC: ['disk_full', "can't be written: the disk is full"],
  EDQUOT: ['disk_full', "can't be written: this user's disk quota is used up"],
  EROFS: ['unsupported', 'is on a read-only disk'],
};

/** The errno name of a thrown value, where it has one. */
export function errnoOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}

/** A failed file operation as an InspectorError: ENOENT not_found, EACCES unreadable, ENOSPC disk_full, and so on. */
export function fileError(cause: unknown, path: string): InspectorError {
  if (InspectorError.is(cause) || meansTooManyFiles(cause)) return InspectorError.from(cause);
  const errno = errnoOf(cause);
  const [code, words] = (errno !== undefined && CODES[errno]) || (['internal', "can't be used"] as const);
  const message = `"${path}" ${words}${errno ? ` (${errno})` : ''}.`;
  // The table's remedy for not_found speaks of ids.
  const remedy = code === 'not_found' ? { remedy: 'Move it back, or open it from its new location.' } : {};
  return new InspectorError(code, message, { cause, data: { path }, ...remedy });
}
