import { InspectorError, type ErrorCode } from '@checkpoint-inspector/core';

const CODES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ['not_found', 'is not there'],
  ENOTDIR: ['not_found', 'is not there: a part of the path is no folder'],
  EACCES: ['unreadable', 'may not be accessed by this user'],
  EPERM: ['unreadable', 'may not be accessed by this user'],
  ELOOP: ['unreadable', 'is a symbolic link, and links are not followed'],
  EISDIR: ['unreadable', 'is a folder'],
  ENXIO: ['unreadable', 'is no regular file'],
  EIO: ['unreadable', 'cannot be read: the disk reports an error'],
  ENAMETOOLONG: ['invalid_input', 'has a name that is too long for this disk'],
  ERR_INVALID_ARG_VALUE: ['invalid_input', 'has a name that no file can have'],
  ENOSPC: ['disk_full', 'cannot be written: the disk is full'],
  EDQUOT: ['disk_full', 'cannot be written: the quota of this user is used up'],
  EROFS: ['unsupported', 'is on a read-only disk'],
  EMFILE: ['busy', 'cannot be opened: too many files are open'],
};

/** The errno name of a thrown value, where it has one. */
export function errnoOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}

/** A failed file operation as an InspectorError: ENOENT not_found, EACCES unreadable, ENOSPC disk_full, and so on. */
export function fileError(cause: unknown, path: string): InspectorError {
  if (InspectorError.is(cause)) return cause;
  const errno = errnoOf(cause);
  const [code, words] = (errno !== undefined && CODES[errno]) || (['internal', 'could not be used'] as const);
  const message = `"${path}" ${words}${errno ? ` (${errno})` : ''}.`;
  // The table's remedy for not_found speaks of ids.
  const remedy = code === 'not_found' ? { remedy: 'Put it back where it was, or open it where it is now.' } : {};
  return new InspectorError(code, message, { cause, data: { path }, ...remedy });
}
