import { has, isCount, isOne, isText, isWholeText, optional, type Is } from '../shape.ts';
import type { FileStat } from './atomic-write.ts';

export interface StoredStat {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeNs: string;
}

/** What a file was before and is afterwards, as the journal keeps it. */
export interface FileMark {
  readonly kind: 'file';
  readonly path: string;
  readonly before?: { readonly sha256: string; readonly size: number; readonly stat: StoredStat } | undefined;
  readonly after?: { readonly sha256: string; readonly size: number } | undefined;
  /** Only the end of the file changed, and the content of the image is that end; else it is the whole file before. */
  readonly tail?: true | undefined;
}

export interface FileImage {
  readonly mark: FileMark;
  readonly content?: Uint8Array;
}

const side = { sha256: isText, size: isCount };
const isStoredStat = has<StoredStat>({ mode: isCount, uid: isCount, gid: isCount, mtimeNs: isWholeText });

export const isFileMark: Is<FileMark> = has<FileMark>({
  kind: isOne('file'),
  path: isText,
  before: optional(has<NonNullable<FileMark['before']>>({ ...side, stat: isStoredStat })),
  after: optional(has<NonNullable<FileMark['after']>>(side)),
  tail: optional(isOne(true)),
});

export function storedStat({ mode, uid, gid, mtimeNs }: FileStat): StoredStat {
  return { mode, uid, gid, mtimeNs: String(mtimeNs) };
}

export function statOf(stored: StoredStat): FileStat {
  return { ...stored, mtimeNs: BigInt(stored.mtimeNs) };
}

/** One line per file that a change did something to. */
export function doneLines(images: readonly FileImage[], skipped: readonly number[]): string[] {
  const left = new Set(skipped);
  const marks = images.filter((_, index) => !left.has(index)).map(({ mark }) => mark);
  return marks.map(
    (mark) =>
      `${verbOf(mark)} ${mark.path} (${((mark.after ?? mark.before)?.size ?? 0).toLocaleString('en-US')} bytes)`,
  );
}

function verbOf({ before, after }: FileMark): string {
  if (before && after) return 'changed';
  return after ? 'added' : 'removed';
}
