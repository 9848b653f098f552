import { shownTarget, type Match, type Target } from '@checkpoint-inspector/core';
import { realPath } from '@checkpoint-inspector/io';
import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
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

/** A second path of a store that was found: a hard link to its file, or its folder mounted once more. */
export interface SecondPath {
  readonly path: string;
  readonly of: string;
}

export interface DiscoverOptions {
  /** Told of each other path of a store; the store is found once. */
  readonly onSecondPath?: (second: SecondPath) => void;
  /** Told when not everything was searched. */
  readonly onUnsearched?: (rest: Unsearched) => void;
  /** Default 5 s. */
  readonly timeLimitMs?: number;
  /** Default 20,000. */
  readonly maxFolders?: number;
}

/** How a walk is told what it isn't to look into, besides what its caller chose. */
interface Walk extends DiscoverOptions {
  /** Folders with a person's private work: they are passed over unless the search begins in them. */
  readonly unasked?: readonly string[];
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
  { onUnsearched, onSecondPath, timeLimitMs = TIME_LIMIT_MS, maxFolders = MAX_FOLDERS, unasked = [] }: Walk = {},
): Promise<readonly Discovered[]> {
  const until = performance.now() + timeLimitMs;
  const found: Discovered[] = [];
  const queue = [root];
  const skipped = new Set(unasked.flatMap((path) => [path, realPath(path)]));
  const known: Known = { covered: new Set(), whole: [], firstPaths: new Map(), onSecondPath };
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
    const inside = await storesIn(folder, detect, known);
    found.push(...inside.found);
    queue.push(...inside.folders.filter((path) => !skipped.has(path)));
  }
  return found;
}

/** The stores in these folders themselves, in their order, until the time is over; those that are missing are passed over. */
export async function discoverPlaces(
  places: readonly string[],
  detect: Detect,
  { onUnsearched, onSecondPath, timeLimitMs = TIME_LIMIT_MS }: DiscoverOptions = {},
): Promise<readonly Discovered[]> {
  const until = performance.now() + timeLimitMs;
  const found: Discovered[] = [];
  const known: Known = { covered: new Set(), whole: [], firstPaths: new Map(), onSecondPath };
  for (const [searched, first] of places.entries()) {
    if (performance.now() >= until) {
      onUnsearched?.({ searched, left: places.length - searched, first, because: 'time' });
      break;
    }
    found.push(...(await storesIn(first, detect, known)).found);
  }
  return found;
}

interface Known {
  /** What is opened together with a folder that was found. */
  readonly covered: Set<string>;
  /** Stores to which all belongs that their system has below their place. */
  readonly whole: Match[];
  /** Of files and folders of the stores that were found, by what they are on the disk. */
  readonly firstPaths: Map<string, string>;
  readonly onSecondPath: DiscoverOptions['onSecondPath'];
}

/** The stores directly in a folder, and the folders to look into next. */
async function storesIn(
  folder: string,
  detect: Detect,
  known: Known,
): Promise<{ found: Discovered[]; folders: string[] }> {
  const found: Discovered[] = [];
  const target: Target = { kind: 'path', path: folder, is: 'folder' };
  // A match may come from a known folder inside: that one is not to be found a second time.
  const isCovered = known.covered.has(folder);
  if (!isCovered && (await isSecondPath(folder, known))) return { found, folders: [] };
  const seen = isCovered ? undefined : await tryDetect(detect, target);
  const match = seen && isPartOfFound(seen, known) ? undefined : seen;
  if (match) {
    found.push({ path: folder, match });
    if (match.place !== undefined && match.place !== folder) known.covered.add(match.place);
    if (match.isWhole) known.whole.push(match);
    for (const inside of (await targetsIn(target)).map(shownTarget)) {
      known.covered.add(inside);
      await keepFirstPath(inside, known);
    }
  }
  for (const path of await databasesIn(folder)) {
    if (known.covered.has(path) || (await isSecondPath(path, known))) continue;
    const file = await tryDetect(detect, { kind: 'path', path, is: 'file' });
    if (!file) continue;
    found.push({ path, match: file });
    await keepFirstPath(path, known);
  }
  // Without a place, what is known inside belongs to the store.
  const isPart = (name: string): boolean => match?.place === undefined && KNOWN_FOLDERS.includes(name);
  const names = (await foldersIn(folder)).filter((name) => match === undefined || !isPart(name));
  return { found, folders: names.map((name) => join(folder, name)) };
}

/** Its files belong to a store that was found in a folder above. */
const isPartOfFound = ({ system, place }: Match, { covered, whole }: Known): boolean =>
  place !== undefined &&
  (covered.has(place) || whole.some((one) => one.system === system && place.startsWith(`${one.place}${sep}`)));

async function isSecondPath(path: string, { firstPaths, onSecondPath }: Known): Promise<boolean> {
  const of = firstPaths.get(await placeOnDisk(path));
  if (of !== undefined) onSecondPath?.({ path, of });
  return of !== undefined;
}

async function keepFirstPath(path: string, { firstPaths }: Known): Promise<void> {
  const place = await placeOnDisk(path);
  if (!firstPaths.has(place)) firstPaths.set(place, path);
}

/** The same for every path of one file or folder; the path itself where the disk tells nothing. */
async function placeOnDisk(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found === undefined || found.ino === 0n ? path : `${found.dev}:${found.ino}`;
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
