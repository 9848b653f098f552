/** Everything that the program puts outside stores: private folders among the temporary files, and its state folder. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, rmSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentOwner, runningOwner, type Owner } from './process-owner.ts';

/** Private folders that end with their process. */
const SCRATCH = {
  copy: "a private copy of a database whose side files can't be created",
  bundle: 'a bundle that was dropped on the page',
  demo: "the demo's stores",
} as const;
type ScratchKind = keyof typeof SCRATCH;

/** What may lie in the state folder. SQLite's side files belong to the file that they are named after. */
export const STATE_FILES = {
  'journal.sqlite': { what: 'receipts, trash, labels and notes', isCache: false },
  'agreed-stores.json': { what: 'private stores that may be indexed', isCache: false },
  'cache.sqlite': { what: 'the search index', isCache: true },
  'folders.sqlite': { what: 'what lists need of the files in folders', isCache: true },
} as const;
type KnownFile = keyof typeof STATE_FILES;
/** The second form is one that is still being written; the number is the writer's pid. */
export type StateFile = KnownFile | `${KnownFile}.${number}.tmp`;

/** Something of ours outside stores. */
export interface Outside {
  readonly path: string;
  readonly what: string;
  readonly bytes: number;
  /** ISO 8601. */
  readonly modifiedAt: string;
  /**
   * `person`: stays until somebody deletes it. `cache`: is made again. Else it belongs to a process: to one that runs,
   * that is gone, or that can't be looked up because it ran on another machine or in another container.
   */
  readonly owner: 'person' | 'cache' | 'running' | 'gone' | 'elsewhere';
  readonly pid?: number;
}

const PREFIX = 'checkpoint-inspector-';
const NAME = new RegExp(
  `^${PREFIX}(${Object.keys(SCRATCH).join('|')})-(\\d{1,10})-([0-9a-f]{8})-([0-9a-f]{8})-[A-Za-z0-9]{6}$`,
);
const made = new Set<string>();

const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
const tagsOf = ({ place, token }: Owner): string => `${short(place)}-${short(token)}`;

/**
 * A new folder that only this user can read, removed when the process ends. One that was killed leaves it behind: the
 * next one that starts, or makes a folder, takes it away.
 * @example const folder = makeScratch('bundle')
 */
export function makeScratch(kind: ScratchKind): string {
  sweepScratch();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${kind}-${process.pid}-${tagsOf(currentOwner())}-`));
  goesWithProcess(folder);
  return folder;
}

/**
 * Has a file or folder removed when the process ends, by a signal too. The result calls it off.
 * @example const keep = goesWithProcess('/data/half.json')
 */
export function goesWithProcess(path: string): () => void {
  if (!isHooked) removeAtTheEnd();
  made.add(path);
  return () => void made.delete(path);
}

export function removeScratch(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  made.delete(folder);
}

let isHooked = false;
let endsBySignal = false;

/** For a program of our own, when it starts: signals that end it empty it too. A library leaves them to its program. */
export function startScratch(): void {
  endsBySignal = true;
  sweepScratch();
}

function removeAtTheEnd(): void {
  isHooked = true;
  const removeAll = () => made.forEach(removeOutside);
  process.once('exit', removeAll);
  if (!endsBySignal) return;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const end = (): void => {
      // Whoever listens too ends the process later, or doesn't.
      if (process.listenerCount(signal) > 1) return;
      removeAll();
      process.off(signal, end);
      process.kill(process.pid, signal);
    };
    process.on(signal, end);
  }
}

/** Removes what processes of this user on this machine left among the temporary files. It never throws. */
export function sweepScratch(): void {
  for (const { path, owner } of scratchFolders()) if (owner === 'gone') removeOutside(path);
}

/** False where it couldn't be removed. */
export function removeOutside(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** All of it that is there now, whoever it belongs to. @example outside(journalFolder()) */
export function outside(stateFolder: string): Outside[] {
  const scratch = scratchFolders().map((one) => ({ ...one, bytes: bytesIn(one.path) }));
  return [...stateFiles(stateFolder), ...scratch];
}

function scratchFolders(): Omit<Outside, 'bytes'>[] {
  return namesIn(tmpdir()).flatMap((name) => {
    const [, kind, pid, place, token] = NAME.exec(name) ?? [];
    const path = join(tmpdir(), name);
    const stat = kind === undefined ? undefined : statOf(path);
    if (!stat?.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) return [];
    const owner = ownerOf(Number(pid), `${place}-${token}`, stat.birthtimeMs);
    return [
      { path, what: SCRATCH[kind as ScratchKind], modifiedAt: stat.mtime.toISOString(), owner, pid: Number(pid) },
    ];
  });
}

function ownerOf(pid: number, tags: string, madeMs: number): 'running' | 'gone' | 'elsewhere' {
  const here = currentOwner();
  if (!tags.startsWith(short(here.place))) return 'elsewhere';
  const running = runningOwner(pid, madeMs);
  if (running === undefined) return 'gone';
  return running.token === '' || tagsOf(running) === tags ? 'running' : 'gone';
}

const SIDES = ['', '-wal', '-shm', '-journal'] as const;

function stateFiles(folder: string): Outside[] {
  return namesIn(folder).flatMap((name): Outside[] => {
    const [, known, pid] = /^(.+?\.(?:sqlite|json))(?:\.(\d+)\.tmp)?$/.exec(name) ?? [];
    const path = join(folder, name);
    const stat = statOf(path);
    if (known === undefined || !Object.hasOwn(STATE_FILES, known) || !stat?.isFile()) return [];
    const { what, isCache } = STATE_FILES[known as KnownFile];
    const bytes = SIDES.reduce((sum, side) => sum + (statOf(path + side)?.size ?? 0), 0);
    const file = { path, what, bytes, modifiedAt: stat.mtime.toISOString() };
    if (pid === undefined) return [{ ...file, owner: isCache ? 'cache' : 'person' }];
    return [{ ...file, owner: runningOwner(Number(pid), stat.birthtimeMs) ? 'running' : 'gone', pid: Number(pid) }];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function bytesIn(folder: string): number {
  const below = namesIn(folder).map((name) => join(folder, name));
  return below.reduce((sum, path) => {
    const stat = statOf(path);
    return sum + (stat?.isDirectory() ? bytesIn(path) : (stat?.size ?? 0));
  }, 0);
}
