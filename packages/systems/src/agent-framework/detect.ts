import type { Match, Target } from '@checkpoint-inspector/core';
import { decodeUtf8, errnoOf, readBounded } from '@checkpoint-inspector/io';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readDocument } from './document.ts';
import { INDEX_NAME, readIndexLine } from './dotnet.ts';
import { MAX_DOCUMENT_BYTES } from './files.ts';
import { documentReader } from './folder.ts';
import type { Layout } from './rows.ts';

/** Files looked into before a folder of other `.json` files is given up. */
const TRIED_FILES = 20;
const OWN_NAME = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|checkpoint_.*)\.json$/;

export interface FoundFolder {
  readonly folder: string;
  readonly layout: Layout;
  readonly match: Match;
}

/** The checkpoint folder that a target means: itself, its `checkpoints`, or a file's folder. */
export async function findFolder(target: Target): Promise<FoundFolder | undefined> {
  if (target.kind !== 'path') return undefined;
  if (target.is === 'file') return findByFile(target.path);
  return (await matchFolder(target.path)) ?? matchFolder(join(target.path, 'checkpoints'));
}

async function findByFile(path: string): Promise<FoundFolder | undefined> {
  const [folder, name] = [dirname(path), basename(path)];
  if (name === INDEX_NAME) return (await isIndex(folder)) ? matchFolder(folder) : undefined;
  if (!documentReader.accepts(name) || !(await isCheckpoint(folder, name))) return undefined;
  return { folder, layout: 'documents', match: matchOf('a checkpoint file of Agent Framework', 0.9) };
}

async function matchFolder(folder: string): Promise<FoundFolder | undefined> {
  const names = await namesIn(folder);
  if (names.includes(INDEX_NAME) && (await isIndex(folder))) {
    const match = matchOf('index.jsonl of a .NET checkpoint store of Agent Framework', 0.9);
    return { folder, layout: 'dotnet', match };
  }
  const files = names.filter(documentReader.accepts);
  // Names alone do not tell: many programs write `.json`.
  const likely = files.toSorted((a, b) => Number(OWN_NAME.test(b)) - Number(OWN_NAME.test(a)));
  for (const name of likely.slice(0, TRIED_FILES)) {
    if (!(await isCheckpoint(folder, name))) continue;
    return { folder, layout: 'documents', match: matchOf(`${files.length} checkpoint files of Agent Framework`, 0.95) };
  }
  return undefined;
}

function matchOf(because: string, confidence: number): Match {
  return { system: 'agent-framework', because, confidence };
}

async function isCheckpoint(folder: string, name: string): Promise<boolean> {
  const text = await textOf(join(folder, name));
  return text !== undefined && readDocument(text).facts !== undefined;
}

async function isIndex(folder: string): Promise<boolean> {
  const text = await textOf(join(folder, INDEX_NAME));
  return text?.split('\n').some((line) => readIndexLine(line) !== undefined) ?? false;
}

/** What cannot be read is not recognised; opening tells why. */
async function textOf(path: string): Promise<string | undefined> {
  return readBounded(path, { maxBytes: MAX_DOCUMENT_BYTES })
    .then(decodeUtf8)
    .catch(() => undefined);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errnoOf(cause) ?? '')) return [];
    throw cause;
  }
}
