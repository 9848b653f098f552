import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

/** Beside the stores, so that one folder holds all of the demo. */
const KEPT = '.pristine';

/** The demo's files as they were written, and the way back to them. */
export interface Pristine {
  /** Puts every file back byte for byte and removes what came since. The stores must be closed. */
  restore(): Promise<void>;
}

/** Copies all files of the folder aside. `leave` are names in it that stay as they are, such as a journal. */
export async function keepPristine(folder: string, leave: readonly string[]): Promise<Pristine> {
  const kept = join(folder, KEPT);
  const left = new Set([KEPT, ...leave]);
  const files = await filesBelow(folder, left);
  for (const file of files) await copy(join(folder, file), join(kept, file));
  const known = new Set(files);
  return {
    async restore() {
      for (const file of await filesBelow(folder, left)) if (!known.has(file)) await rm(join(folder, file));
      for (const file of files) await copy(join(kept, file), join(folder, file));
    },
  };
}

/** Paths below the folder, in one order at every time. */
async function filesBelow(folder: string, left: ReadonlySet<string>): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !left.has(file.split(sep)[0] ?? ''))
    .toSorted();
}

/** Times go with the bytes: some systems order their files by them. A reader sees the old file or the new one. */
async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const fresh = `${to}.restoring`;
  await copyFile(from, fresh, constants.COPYFILE_FICLONE);
  const { atime, mtime } = await stat(from);
  await utimes(fresh, atime, mtime);
  await rename(fresh, to);
}
