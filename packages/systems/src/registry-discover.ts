import { shownTarget, type Match, type Target } from '@checkpoint-inspector/core';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { databasesIn, KNOWN_FOLDERS, targetsIn } from './registry-targets.ts';

export interface Discovered {
  readonly path: string;
  readonly match: Match;
}

/** Where a search for stores ended before it was through. */
export interface Unsearched {
  /** Folders that were looked into. */
  readonly searched: number;
  /** Folders that are known and were not; there may be more below them. */
  readonly left: number;
  readonly first: string;
  readonly because: 'time' | 'folders' | 'stores';
}

export interface DiscoverOptions {
  /** Told when not everything was searched. */
  readonly onUnsearched?: (rest: Unsearched) => void;
  /** Default 5 s. */
  readonly timeLimitMs?: number;
  /** Default 20,000. */
  readonly maxFolders?: number;
}

const TIME_LIMIT_MS = 5_000;
const MAX_FOLDERS = 20_000;
const MAX_STORES = 100;
/** `.pristine` is where the demo keeps its stores as they were at first: the same stores once more. */
const SKIPPED: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.venv',
  'venv',
  '__pycache__',
  '.cache',
  '.pristine',
]);

type Detect = (target: Target) => Promise<Match | undefined>;

/** Nearest first, until the time or a count is over. Links are not followed; what cannot be read is passed over. */
export async function discoverStores(
  root: string,
  detect: Detect,
  { onUnsearched, timeLimitMs = TIME_LIMIT_MS, maxFolders = MAX_FOLDERS }: DiscoverOptions = {},
): Promise<readonly Discovered[]> {
  const until = performance.now() + timeLimitMs;
  const found: Discovered[] = [];
  const queue = [root];
  /** What is opened together with a folder that was found. */
  const covered = new Set<string>();
  const endOf = (searched: number): Unsearched['because'] | undefined => {
    if (found.length >= MAX_STORES) return 'stores';
    if (searched >= maxFolders) return 'folders';
    return performance.now() >= until ? 'time' : undefined;
  };
  for (let at = 0; at < queue.length; at++) {
    const folder = queue[at] ?? root;
    const because = at === 0 ? undefined : endOf(at);
    if (because !== undefined) {
      onUnsearched?.({ searched: at, left: queue.length - at, first: folder, because });
      break;
    }
    const inside = await storesIn(folder, detect, covered);
    found.push(...inside.found);
    queue.push(...inside.folders);
  }
  return found;
}

/** The stores directly in a folder, and the folders to look into next. */
async function storesIn(
  folder: string,
  detect: Detect,
  covered: Set<string>,
): Promise<{ found: Discovered[]; folders: string[] }> {
  const found: Discovered[] = [];
  const target: Target = { kind: 'path', path: folder, is: 'folder' };
  const match = await tryDetect(detect, target);
  if (match) {
    found.push({ path: folder, match });
    for (const inside of await targetsIn(target)) covered.add(shownTarget(inside));
  }
  for (const path of await databasesIn(folder)) {
    if (covered.has(path)) continue;
    const file = await tryDetect(detect, { kind: 'path', path, is: 'file' });
    if (file) found.push({ path, match: file });
  }
  // A match may come from a known folder inside: that one is not to be found a second time.
  const names = (await foldersIn(folder)).filter((name) => !(match && KNOWN_FOLDERS.includes(name)));
  return { found, folders: names.map((name) => join(folder, name)) };
}

async function tryDetect(detect: Detect, target: Target): Promise<Match | undefined> {
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
