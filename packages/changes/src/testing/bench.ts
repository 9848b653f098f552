import type { SystemRequest } from '@checkpoint-inspector/core';
import { openJournal } from '../journal/journal.ts';
import { type Journal } from '../journal/types.ts';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderStore, TASK } from './stores.ts';

export const ref = (id: string) => ({ task: TASK, id });
export const restore = (id: string): SystemRequest => ({ kind: 'restore', ref: ref(id) });
export const remove = (...ids: string[]): SystemRequest => ({ kind: 'delete', refs: ids.map(ref) });

/** What `makeBench` puts into the folder. */
export const START = { 'c1.json': '{"n":1}', 'c2.json': '{"n":2}', 'c3.json': '{"n":3}' };

/** A journal and a folder with three checkpoints, full. */
export interface Bench {
  readonly base: string;
  readonly folder: string;
  readonly journal: Journal;
  readonly store: FolderStore;
  content(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export async function makeBench(): Promise<Bench> {
  const base = await mkdtemp(join(tmpdir(), 'inspector-changes-'));
  const folder = join(base, 'store');
  await mkdir(folder);
  for (const [name, text] of Object.entries(START)) await writeFile(join(folder, name), text);
  const journal = openJournal({ folder: join(base, 'state') });
  return {
    base,
    folder,
    journal,
    store: new FolderStore(folder, 3),
    content: async () => {
      const names = (await readdir(folder)).sort();
      const files = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')]));
      return Object.fromEntries(files) as Record<string, string>;
    },
    close: async () => {
      journal.close();
      await rm(base, { recursive: true });
    },
  };
}
