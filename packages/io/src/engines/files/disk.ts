import { InspectorError } from '@checkpoint-inspector/core';
import { constants } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { errnoOf } from '../../files/errors.ts';
import { closeUnlessDatabase } from '../../sqlite/open-files.ts';
import { setTime, takeName, type FileStat } from './atomic-write.ts';
import { sha256 } from '../../files/text.ts';

export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly stat: FileStat;
}

/** A regular file with its mode, owner and time; never through a link. @throws the errno, or InspectorError unreadable */
export async function readExact(path: string): Promise<ReadFile> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  const stat = await handle.stat({ bigint: true }).catch(() => undefined);
  try {
    if (!stat?.isFile()) throw new InspectorError('unreadable', `"${path}" isn't a regular file.`, { data: { path } });
    const bytes = await handle.readFile();
    const { mtimeNs } = stat;
    const owner = { mode: Number(stat.mode) & 0o7777, uid: Number(stat.uid), gid: Number(stat.gid) };
    return { bytes, sha256: sha256(bytes), stat: { ...owner, mtimeNs } };
  } finally {
    await closeUnlessDatabase(handle, stat);
  }
}

/** The sha256 of a regular file; `undefined` where nothing is, the empty string for a link, a folder, a device. */
export async function hashFile(path: string): Promise<string | undefined> {
  try {
    return (await readExact(path)).sha256;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    if (errnoOf(error) === 'ELOOP' || InspectorError.is(error)) return '';
    throw error;
  }
}

/** Writes at the end of a file of this size, durably; a part is cut off again. @throws InspectorError changed */
export async function addToEnd(path: string, bytes: Uint8Array, size: number, stat?: FileStat): Promise<void> {
  const handle = await open(path, constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
  try {
    if ((await handle.stat()).size !== size) throw changedFile(path);
    await handle.writeFile(bytes);
    if ((await handle.stat()).size !== size + bytes.length) throw changedFile(path);
    if (stat) await setTime(handle, stat.mtimeNs);
    await handle.sync();
  } catch (error) {
    // Only our own bytes: after another writer's nothing is cut off.
    if (!InspectorError.is(error)) await handle.truncate(size).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

/** Cuts a file off at this size, durably. */
export async function cutEnd(path: string, size: number, stat?: FileStat): Promise<void> {
  const handle = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  try {
    await handle.truncate(size);
    if (stat) await setTime(handle, stat.mtimeNs);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Taken away under another name first, so that what was verified is what is removed. The caller syncs the folder. */
export async function removeVerified(
  path: string,
  wanted: string,
  temp: string,
  taken: () => void = () => undefined,
): Promise<void> {
  if ((await hashFile(path)) !== wanted) throw changedFile(path);
  await rename(path, temp);
  taken();
  if (!(await finishRemoval(path, wanted, temp))) throw changedFile(path);
}

/** Second half of a removal: the file goes, or gets its name back if it is not the one that was meant. */
export async function finishRemoval(path: string, wanted: string, temp: string): Promise<boolean> {
  if ((await hashFile(temp)) === wanted) {
    await unlink(temp);
    return true;
  }
  await takeName(temp, path).catch((error: unknown) => {
    if (errnoOf(error) !== 'EEXIST') throw error; // the agent has saved it again: the newer one stays
  });
  return false;
}

export function changedFile(path: string): InspectorError {
  return new InspectorError('changed', `"${path}" is no longer the file that was shown.`, { data: { path } });
}
