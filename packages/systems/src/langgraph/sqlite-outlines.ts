/** What a tree is drawn from, of many rows of a SQLite file at once. */
import type { RowOutline } from './queries.ts';

/** In lists, nothing is read from rows larger than this. */
export const PEEKED = 4 * 1024 * 1024;
/** Rows that are read at once. */
export const OUTLINES = 500;
/** Bytes of the end of a checkpoint that an outline has: as few as do for most rows of its thread. */
export const WIDEST = 1024;
const WINDOWS = [128, 256, 512, WIDEST];

/** Texts as text: bytes cost a tree of many rows more than their reading. */
const cut = (from: string): string => `CASE WHEN octet_length(checkpoint) > ${PEEKED} THEN NULL
  WHEN type = 'msgpack' THEN CAST(substr(checkpoint, ${from}) AS BLOB) ELSE CAST(substr(checkpoint, ${from}) AS TEXT) END`;
/** Before the end of `ts` there is little but the id. What a tree keeps of a longer start would stay in memory with it. */
const OUTLINE_START = '1, 100 + octet_length(checkpoint_id)';
export const outline = (window: number): string => `SELECT checkpoint_ns, checkpoint_id, parent_checkpoint_id, type,
  ${cut(OUTLINE_START)}, ${cut(`-${window}`)},
  CASE WHEN octet_length(metadata) <= ${PEEKED} THEN CAST(metadata AS TEXT) END, ${window} FROM checkpoints`;
export type OutlineColumns = readonly [
  ns: string,
  id: string,
  parent: string | null,
  type: string | null,
  start: RowOutline['start'],
  end: RowOutline['end'],
  metadata: string | null,
  window: number,
];

export const outlineOf = (columns: OutlineColumns): RowOutline => {
  const [ns, id, parent, type, start, end, metadata, window] = columns;
  return { ns, id, parent, type, start, end, metadata, window };
};

/** Twice what the newest row needs, of which this is the end: others have other numbers, and some a node more. */
export function windowFor(endOfNewest: Uint8Array | undefined): number {
  const end = Buffer.from(endOfNewest ?? []);
  const at = end.lastIndexOf('versions_seen');
  return WINDOWS.find((window) => at >= 0 && window >= 2 * (end.length - at)) ?? WIDEST;
}
