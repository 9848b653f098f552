import { InspectorError } from '@checkpoint-inspector/core';
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { StateFile } from '../scratch.ts';
import { errnoOf, fileError } from './errors.ts';

/** A file of the state folder. Folder 0700, file 0600; SQLite gives its side files the mode of the database. */
export function privateFile(folder: string, name: StateFile): string {
  const path = join(folder, name);
  try {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
    // A folder that the user named may serve other things as well: only ours is closed to others.
    if (made || basename(folder) === 'checkpoint-inspector') chmodSync(folder, 0o700);
    createFile(path);
    if (!lstatSync(path).isFile()) throw new InspectorError('unreadable', `${path} isn't a regular file.`);
    chmodSync(path, 0o600);
    return path;
  } catch (cause) {
    const error = fileError(cause, path);
    if (InspectorError.is(cause) || error.code === 'disk_full') throw error;
    throw new InspectorError('unreadable', `${name} in ${folder} can't be opened.`, {
      cause,
      remedy: 'Make the folder writable, or set CHECKPOINT_INSPECTOR_STATE to another folder.',
    });
  }
}

/** Only a new file is opened and closed: closing one that SQLite has open would drop its locks. */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
