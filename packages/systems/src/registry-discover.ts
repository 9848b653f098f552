import type { Match, Target } from '@checkpoint-inspector/core';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { databasesIn, KNOWN_FOLDERS } from './registry-targets.ts';

export interface Discovered {
  readonly path: string;
  readonly match: Match;
}

const MAX_DEPTH = 3;
const MAX_FOLDERS = 2000;
const MAX_STORES = 100;
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git', '.venv', 'venv', '__pycache__', '.cache']);

/** Known stores in a folder and below it, nearest first. Links are not followed; what cannot be read is passed over. */
export async function discoverStores(
  root: string,
  detect: (target: Target) => Promise<Match | undefined>,
): Promise<readonly Discovered[]> {
  const found: Discovered[] = [];
  const queue = [{ path: root, depth: 0 }];
  for (let at = 0; at < queue.length && at < MAX_FOLDERS && found.length < MAX_STORES; at++) {
    const folder = queue[at];
    if (!folder) break;
    const match = await tryDetect(detect, { path: folder.path, kind: 'folder' });
    if (match) found.push({ path: folder.path, match });
    for (const path of await databasesIn(folder.path)) {
      const file = await tryDetect(detect, { path, kind: 'file' });
      if (file) found.push({ path, match: file });
    }
    if (folder.depth === MAX_DEPTH) continue;
    // A match may come from a known folder inside: that one is not to be found a second time.
    const names = (await foldersIn(folder.path)).filter((name) => !(match && KNOWN_FOLDERS.includes(name)));
    queue.push(...names.map((name) => ({ path: join(folder.path, name), depth: folder.depth + 1 })));
  }
  return found;
}

async function tryDetect(
  detect: (target: Target) => Promise<Match | undefined>,
  target: Target,
): Promise<Match | undefined> {
  // One file that is locked or damaged must not end the search for the others.
  return detect(target).catch(() => undefined);
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    .map((entry) => entry.name)
    .toSorted();
}
