/** What a folder has in it, without a name or a line of any file. */
import { open, readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

export interface FileKind {
  /** `.jsonl`; of an ending that isn't a usual one `other`: it may be a part of somebody's name. */
  readonly ending: string;
  readonly files: number;
  readonly bytes: Spread;
  /** How the first of them begin. */
  readonly begin: Readonly<Record<string, number>>;
}

export interface Spread {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

export interface FolderStructure {
  readonly folders: number;
  readonly kinds: readonly FileKind[];
  /** There are more files than these. */
  readonly isCut?: true;
}

const MOST_FILES = 10_000;
const MOST_DEPTH = 4;
const MOST_OPENED = 20;
const ENDINGS =
  /^\.(jsonl?|gz|db3?|sqlite3?|db-wal|db-shm|sqlite-wal|sqlite-shm|pckl|tmp|lock|bak|enc|md|txt|ya?ml|toml)$/;

export async function folderStructure(root: string): Promise<FolderStructure> {
  const byEnding = new Map<string, string[]>();
  const queue: { path: string; depth: number }[] = [{ path: root, depth: 0 }];
  let files = 0;
  let folders = 0;
  for (const { path, depth } of queue) {
    for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) {
        folders++;
        if (depth < MOST_DEPTH) queue.push({ path: inside, depth: depth + 1 });
      } else if (entry.isFile() && files++ < MOST_FILES) {
        const ending = ENDINGS.test(extname(entry.name)) ? extname(entry.name) : 'other';
        byEnding.set(ending, [...(byEnding.get(ending) ?? []), inside]);
      }
    }
    if (files >= MOST_FILES) break;
  }
  const kinds = await Promise.all(
    [...byEnding].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([ending, paths]) => kindOf(ending, paths)),
  );
  return { folders, kinds, ...(files >= MOST_FILES ? { isCut: true } : {}) };
}

async function kindOf(ending: string, paths: readonly string[]): Promise<FileKind> {
  const sizes: number[] = [];
  for (const path of paths) sizes.push((await stat(path).catch(() => undefined))?.size ?? 0);
  const begin: Record<string, number> = {};
  for (const path of paths.slice(0, MOST_OPENED)) {
    const word = await beginningOf(path);
    begin[word] = (begin[word] ?? 0) + 1;
  }
  return { ending, files: paths.length, bytes: spreadOf(sizes), begin };
}

/** Zeros where there is none. */
export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((a, b) => a - b);
  return { least: sorted[0] ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0, most: sorted.at(-1) ?? 0 };
}

const SQLITE = 'SQLite format 3\0';

async function beginningOf(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return 'unreadable';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0);
    return wordFor(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

function wordFor(bytes: Buffer): string {
  if (bytes.length === 0) return 'empty';
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  const text = bytes.toString('latin1');
  if (text === SQLITE) return 'SQLite';
  const [first] = text.trimStart();
  if (first === '{') return 'JSON object';
  return first === '[' ? 'JSON array' : 'something else';
}
