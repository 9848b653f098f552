import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { KEEP, sortable, type Side, type SideKind, type Step } from './side.ts';

/** A JSON file for each checkpoint, written so that a crash leaves the old or the new one. */
export const files: SideKind = {
  name: 'files',
  label: 'a file each',
  isWhole: true,
  open: (folder, keep = KEEP) => openFiles(join(folder, 'files'), keep),
};

async function openFiles(folder: string, keep: number): Promise<Side> {
  await mkdir(folder, { recursive: true });
  const pathOf = (id: string) => join(folder, `${sortable(id)}.json`);
  const newest = async () =>
    (await readdir(folder))
      .filter((name) => name.endsWith('.json'))
      .sort()
      .reverse();
  const save = async ({ id, state }: Step) => {
    await writeSynced(`${pathOf(id)}.new`, JSON.stringify(state));
    await rename(`${pathOf(id)}.new`, pathOf(id));
    await syncFolder(folder);
  };
  const text = (id: string) => readFile(pathOf(id), 'utf8');
  return {
    save,
    text,
    value: async (id) => JSON.parse(await text(id)),
    page: async (limit) => (await newest()).slice(0, limit).length,
    async prune(step) {
      await save(step);
      for (const name of (await newest()).slice(keep)) await unlink(join(folder, name));
      await syncFolder(folder);
    },
    close: async () => undefined,
  };
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
