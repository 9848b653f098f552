import { InspectorError } from '@checkpoint-inspector/core';
import { randomBytes } from 'node:crypto';
import { link, lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { errnoOf } from '../../files/errors.ts';
import { changeError, exists, pathIn, realFolder, syncFolder } from './names.ts';

export interface FileStat {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeNs: bigint;
}

export interface AtomicWriteOptions {
  /** Take mode and owner from this file of the same folder. */
  readonly like?: string;
  /** Put mode, owner and modification time back; the time to a microsecond, which is what Node can set. */
  readonly stat?: FileStat;
  /** Name of the temporary file, so that a later run can find it. */
  readonly temp?: string;
  /** Takes the place of an existing file; a crash leaves the old one whole. */
  readonly replace?: true;
  /** Called when the temporary file is durable and the name is not yet taken. */
  readonly beforeLink?: () => void | Promise<void>;
}

/** Link is unknown to FAT and to some network disks. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Every temporary file of this program in a store's folder is named like this. */
export function tempName(tag: string, step: string): string {
  return `.checkpoint-inspector-${tag}-${step}.tmp`;
}

/**
 * Creates one file: it is there whole and durable, or not at all. An existing file is not overwritten, unless told to.
 * Without `like` and `stat` its mode is 0600.
 * @throws InspectorError changed (the name is taken) | disk_full | invalid_input (no single path segment) | unsupported
 */
export async function atomicWrite(
  folder: string,
  name: string,
  bytes: Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  const home = await realFolder(folder);
  const path = pathIn(home, name);
  const temp = pathIn(home, options.temp ?? tempName(randomBytes(8).toString('hex'), 'w'));
  try {
    const owner = options.stat ?? (options.like === undefined ? undefined : await ownerOf(pathIn(home, options.like)));
    await writeTemp(temp, bytes, owner, options.stat?.mtimeNs);
    await options.beforeLink?.();
    await (options.replace ? replaceName(temp, path) : takeName(temp, path));
    await syncFolder(home);
  } catch (error) {
    throw changeError(error, path);
  }
}

async function replaceName(temp: string, path: string): Promise<void> {
  try {
    await rename(temp, path);
  } catch (error) {
    await unlink(temp);
    throw error;
  }
}

async function ownerOf(path: string): Promise<Omit<FileStat, 'mtimeNs'>> {
  const stat = await lstat(path);
  if (stat.isFile()) return stat;
  throw new InspectorError('unreadable', `"${path}" isn't a regular file.`, { data: { path } });
}

/** Leaves no file behind when it fails. */
async function writeTemp(
  temp: string,
  bytes: Uint8Array,
  owner: Omit<FileStat, 'mtimeNs'> | undefined,
  mtimeNs: bigint | undefined,
): Promise<void> {
  const handle = await open(temp, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    if (owner) await setOwner(handle, owner);
    if (mtimeNs !== undefined) await setTime(handle, mtimeNs);
    await handle.sync();
  } catch (error) {
    await unlink(temp);
    throw error;
  } finally {
    await handle.close();
  }
}

/** Half a microsecond more: Node cuts the seconds off to whole microseconds, and doubles fall a little short. */
export async function setTime(handle: FileHandle, mtimeNs: bigint): Promise<void> {
  await handle.utimes(new Date(), (Number(mtimeNs / 1000n) + 0.5) / 1e6);
}

/** The owner first: changing it clears bits of the mode. Only root may give a file away; others keep their own. */
async function setOwner(handle: FileHandle, owner: Omit<FileStat, 'mtimeNs'>): Promise<void> {
  const now = await handle.stat();
  if (now.uid !== owner.uid || now.gid !== owner.gid) {
    await handle.chown(owner.uid, owner.gid).catch((error: unknown) => {
      if (errnoOf(error) !== 'EPERM') throw error;
    });
  }
  await handle.chmod(owner.mode & 0o7777);
}

/** Gives the temporary file its name, unless that is taken; the temporary name is gone afterwards in every case. */
export async function takeName(temp: string, path: string): Promise<void> {
  try {
    await link(temp, path);
  } catch (error) {
    if (NO_LINKS.has(errnoOf(error) ?? '') && !(await exists(path))) return rename(temp, path);
    await unlink(temp);
    throw error;
  }
  await unlink(temp);
}
