import { InspectorError } from '@checkpoint-inspector/core';
import { lstat, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, fileError } from '../../files/errors.ts';

const FORBIDDEN = process.platform === 'win32' ? /[/\\:\0]/ : /[/\0]/;

/** A file of `folder`, which is a real path; the name is one path segment. @throws InspectorError invalid_input */
export function pathIn(folder: string, name: string): string {
  if (name === '' || name === '.' || name === '..' || FORBIDDEN.test(name)) {
    throw new InspectorError('invalid_input', `"${name}" isn't a file name. Use a single path segment.`, {
      data: { name },
    });
  }
  return join(folder, name);
}

/** The folder without links. @throws InspectorError no_store */
export async function realFolder(folder: string): Promise<string> {
  const path = await realpath(folder).catch((cause: unknown) => {
    throw new InspectorError('no_store', `There is no folder ${folder}.`, { cause, data: { path: folder } });
  });
  if ((await lstat(path)).isDirectory()) return path;
  throw new InspectorError('no_store', `${folder} isn't a folder.`, { data: { path: folder } });
}

/** True if anything is under this name, a dangling link included. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw fileError(error, path);
  }
}

/** Makes renames and removals in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // a folder cannot be opened there; NTFS logs its own changes
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    throw changeError(error, folder);
  } finally {
    await handle.close();
  }
}

/** A failed change of a file: EEXIST is `changed`, a missing permission `unsupported`, the rest as in reading. */
export function changeError(cause: unknown, path: string): InspectorError {
  if (InspectorError.is(cause)) return cause;
  const errno = errnoOf(cause);
  const data = { path };
  if (errno === 'EEXIST') {
    return new InspectorError('changed', `"${path}" already exists and won't be overwritten.`, { cause, data });
  }
  if (errno === 'EACCES' || errno === 'EPERM' || errno === 'EROFS') {
    return new InspectorError('unsupported', `"${path}" can't be changed by this user (${errno}).`, {
      cause,
      data,
      remedy: 'Give yourself write permission for the folder and try again.',
    });
  }
  return fileError(cause, path);
}
