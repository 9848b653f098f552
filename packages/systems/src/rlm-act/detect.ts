import type { Match, Target } from '@checkpoint-inspector/core';
import { errnoOf, readBounded } from '@checkpoint-inspector/io';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { looksLikeCheckpoint } from './document.ts';
import { MAX_DOCUMENT_BYTES } from './files.ts';
import { CHECKPOINTS_FOLDER, idOfFile, isUuid } from './names.ts';

/** Files looked into before a folder of other `.json` files is given up. */
const TRIED_FILES = 20;

export interface FoundFolder {
  readonly folder: string;
  readonly match: Match;
}

/** The checkpoint folder that a target means: itself, the one in a project, or a file's folder. */
export async function findFolder(target: Target): Promise<FoundFolder | undefined> {
  if (target.kind !== 'path') return undefined;
  if (target.is === 'file') return findByFile(target.path);
  for (const folder of [target.path, join(target.path, CHECKPOINTS_FOLDER)]) {
    const match = await matchFolder(folder);
    if (match) return { folder, match };
  }
  return undefined;
}

async function findByFile(path: string): Promise<FoundFolder | undefined> {
  const known = idOfFile(basename(path)) !== undefined && (await isCheckpoint(path));
  return known ? { folder: dirname(path), match: matchOf('a checkpoint file of rlm-act', 0.9) } : undefined;
}

async function matchFolder(folder: string): Promise<Match | undefined> {
  const names = await namesIn(folder);
  if (!names) return undefined;
  const files = names.filter((name) => idOfFile(name) !== undefined);
  const home = basename(folder) === CHECKPOINTS_FOLDER;
  // Other folders are full of other JSON; there only names that the pipeline gives are looked into.
  const likely = home ? files : files.filter((name) => isUuid(idOfFile(name) ?? ''));
  for (const name of likely.slice(0, TRIED_FILES)) {
    if (await isCheckpoint(join(folder, name))) return matchOf(`${files.length} checkpoint files of rlm-act`, 0.95);
  }
  if (!home) return undefined;
  return files.length === 0
    ? matchOf("rlm-act's own folder, still empty", 0.5)
    : matchOf(`${files.length} files in rlm-act's own folder`, 0.6);
}

function matchOf(because: string, confidence: number): Match {
  return { system: 'rlm-act', because, confidence };
}

async function isCheckpoint(path: string): Promise<boolean> {
  try {
    const bytes = await readBounded(path, { maxBytes: MAX_DOCUMENT_BYTES });
    return looksLikeCheckpoint(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return false;
  }
}

async function namesIn(folder: string): Promise<string[] | undefined> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (cause) {
    const errno = errnoOf(cause);
    if (errno === 'ENOENT' || errno === 'ENOTDIR' || errno === 'EACCES' || errno === 'EPERM') return undefined;
    throw cause;
  }
}
