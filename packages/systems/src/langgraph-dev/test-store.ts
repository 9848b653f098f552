/** For tests: copies of what the dev servers wrote, opened. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeId, type Changeable, type CheckpointSource, type PathTarget } from '@checkpoint-inspector/core';
import { langgraphDevSystem } from './index.ts';

export interface DevStore {
  /** `.langgraph_api`, with the files. */
  readonly folder: string;
  readonly source: CheckpointSource & Changeable;
  /** Every file of the folder by name, with its bytes. */
  readonly bytes: () => Record<string, string>;
  readonly close: () => Promise<void>;
}

const FIXTURES = new URL('./fixtures/', import.meta.url).pathname;

/** Files of a dev server, without opening them. */
export function devFolder(files: 'js' | 'py' | Readonly<Record<string, Uint8Array | string>>): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'langgraph-dev-test-')), '.langgraph_api');
  if (typeof files === 'string') cpSync(join(FIXTURES, files, '.langgraph_api'), folder, { recursive: true });
  else {
    mkdirSync(folder);
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

export async function openDev(files: Parameters<typeof devFolder>[0]): Promise<DevStore> {
  const folder = devFolder(files);
  const remove = (): void => rmSync(join(folder, '..'), { recursive: true, force: true });
  const source = await openAt({ kind: 'path', path: folder, is: 'folder' }).catch((error: unknown) => {
    remove();
    throw error;
  });
  return {
    folder,
    source,
    bytes: () =>
      Object.fromEntries(
        readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
      ),
    close: async () => {
      await source.close?.();
      remove();
    },
  };
}

export async function openAt(target: PathTarget): Promise<CheckpointSource & Changeable> {
  const options = { label: 'test', location: target.path, nameStore: () => storeId('test') };
  const [source] = await langgraphDevSystem.open(target, options);
  if (!source) throw new Error('The fixture opens as one source.');
  return source as CheckpointSource & Changeable;
}
