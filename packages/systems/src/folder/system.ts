/** How the systems over folders of documents recognise a folder, and open it. */
import {
  InspectorError,
  pathOf,
  type CheckpointSource,
  type Match,
  type System,
  type Target,
} from '@checkpoint-inspector/core';
import { errnoOf } from '@checkpoint-inspector/io';
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FolderOptions } from './source.ts';

/** Why a folder is taken for the system's, how sure that is, and what else opening needs to know. */
export type Found<More extends object = object> = Pick<Match, 'because' | 'confidence'> & More;

/** The places and files by which a system tells its folders. */
export interface FolderFinder<More extends object> {
  /** The folders that a folder may mean, the likeliest first. */
  readonly placesIn: (path: string) => readonly string[];
  readonly matchFolder: (folder: string, names: readonly string[]) => Promise<Found<More> | undefined>;
  readonly matchFile: (folder: string, name: string) => Promise<Found<More> | undefined>;
}

interface FolderSystem<More extends object> extends Pick<System, 'id' | 'label'> {
  /** What a folder of this system holds, in words. */
  readonly files: string;
  readonly lookedFor: readonly string[];
  readonly finder: FolderFinder<More>;
  readonly open: (options: FolderOptions, found: Found<More>) => Promise<CheckpointSource>;
}

export function folderSystem<More extends object>(system: FolderSystem<More>): System {
  const { id, label, files, lookedFor, finder, open } = system;
  return {
    id,
    label,
    detect: async (target) => {
      const found = await findFolder(target, finder);
      if (found === undefined) return undefined;
      const { because, confidence, folder } = found;
      const isFolder = target.kind === 'path' && target.is === 'folder';
      return { system: id, because, confidence, ...(isFolder && { place: folder }) };
    },
    open: async (target, options) => {
      const found = await findFolder(target, finder);
      if (!found) {
        const { path } = pathOf(target);
        throw new InspectorError('no_store', `"${path}" contains no ${files}.`, { data: { path, lookedFor } });
      }
      const { label: name, location, stateFolder } = options;
      return [
        await open({ folder: found.folder, id: options.nameStore(name), label: name, location, stateFolder }, found),
      ];
    },
  };
}

/** The checkpoint folder that a target means. */
export async function findFolder<More extends object>(
  target: Target,
  { placesIn, matchFile, matchFolder }: FolderFinder<More>,
) {
  if (target.kind !== 'path') return undefined;
  if (target.is === 'file') {
    const folder = dirname(target.path);
    const found = await matchFile(folder, basename(target.path));
    return found && { ...found, folder };
  }
  for (const folder of placesIn(target.path)) {
    const names = await namesIn(folder);
    const found = names && (await matchFolder(folder, names));
    if (found) return { ...found, folder };
  }
  return undefined;
}

const BREATH = 256;

/** What the first of them tells that tells anything; other work gets its turn between them. */
export async function firstOf<One, T>(
  all: readonly One[],
  tell: (one: One) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const [at, one] of all.entries()) {
    const told = await tell(one);
    if (told !== undefined) return told;
    if (at % BREATH === BREATH - 1) await setImmediate();
  }
  return undefined;
}

async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errnoOf(cause) ?? '')) return undefined;
    throw cause;
  }
}
