import type { Match, Target } from '@checkpoint-inspector/core';
import { errnoOf, readBounded } from '@checkpoint-inspector/io';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { decodeDocument, MAX_DOCUMENT_BYTES } from './codec.ts';
import { readDocument } from './document.ts';
import { isEncrypted, looksLikeKaizenId, parseFileName, type FileName } from './names.ts';

/** Files looked into before a folder of other `.jsonl` files is given up. */
const TRIED_FILES = 20;

export interface FoundFolder {
  readonly folder: string;
  readonly match: Match;
}

/** The checkpoint folder that a target means: itself, its `checkpoints`, its `.kaizen/checkpoints`, or a file's folder. */
export async function findFolder(target: Target): Promise<FoundFolder | undefined> {
  if (target.kind !== 'path') return undefined;
  if (target.is === 'file') return findByFile(target.path);
  const places = [target.path, join(target.path, '.kaizen', 'checkpoints')];
  if (basename(target.path) === '.kaizen') places.push(join(target.path, 'checkpoints'));
  for (const folder of places) {
    const match = await matchFolder(folder);
    if (match) return { folder, match };
  }
  return undefined;
}

async function findByFile(path: string): Promise<FoundFolder | undefined> {
  const name = parseFileName(basename(path));
  if (!name || !(await isCheckpoint(dirname(path), name))) return undefined;
  return { folder: dirname(path), match: matchOf('a checkpoint file of Kaizen', 0.9) };
}

async function matchFolder(folder: string): Promise<Match | undefined> {
  const names = await namesIn(folder);
  if (!names) return undefined;
  const files = names.map(parseFileName).filter((name) => name !== undefined);
  if (files.length === 0) {
    const home = folder.endsWith(join('.kaizen', 'checkpoints'));
    return home && names.length === 0 ? matchOf("Kaizen's own folder, still empty", 0.5) : undefined;
  }
  const likely = files.toSorted((a, b) => Number(looksLikeKaizenId(b.id)) - Number(looksLikeKaizenId(a.id)));
  for (const file of likely.filter((name) => !isEncrypted(name.variant)).slice(0, TRIED_FILES)) {
    if (await isCheckpoint(folder, file)) return matchOf(`${files.length} checkpoint files of Kaizen`, 0.95);
  }
  if (files.some((file) => isEncrypted(file.variant)))
    return matchOf(`${files.length} encrypted checkpoint files`, 0.7);
  return files.some((file) => looksLikeKaizenId(file.id)) ? matchOf('file names as Kaizen gives them', 0.4) : undefined;
}

function matchOf(because: string, confidence: number): Match {
  return { system: 'kaizen', because, confidence };
}

/** Names alone do not tell: many programs write `.jsonl`. An encrypted file is taken by its name. */
async function isCheckpoint(folder: string, name: FileName): Promise<boolean> {
  if (isEncrypted(name.variant)) return true;
  try {
    const bytes = await readBounded(join(folder, name.name), { maxBytes: MAX_DOCUMENT_BYTES });
    return readDocument((await decodeDocument(name.variant, bytes)).text).facts !== undefined;
  } catch {
    return false;
  }
}

async function namesIn(folder: string): Promise<string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (cause) {
    const errno = errnoOf(cause);
    if (errno === 'ENOENT' || errno === 'ENOTDIR' || errno === 'EACCES' || errno === 'EPERM') return undefined;
    throw cause;
  }
}
