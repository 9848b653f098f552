import { has, isOne, isText, isWholeText, optional, type Is } from '../shape.ts';
import { decodeCells, encodeCells, hashCells, type Cells } from './cells.ts';

/** Which row, and what was in it, as the journal keeps it. */
export interface RowSpot {
  /** Where the row is in its table; absent where the key has to do. */
  readonly rowid?: string | undefined;
  /** The primary key, packed and in base64; of no columns where the rowid has to do. */
  readonly key: string;
  readonly sha256: string;
}

export interface RowMark {
  readonly kind: 'row';
  readonly table: string;
  readonly before?: RowSpot | undefined;
  readonly after?: RowSpot | undefined;
  /** Of a change in parts: written with the rows that make a task resumable, or in slices of its own. */
  readonly part?: 'core' | 'slice' | undefined;
}

export interface RowImage {
  readonly mark: RowMark;
  /** The row before, packed. */
  readonly content?: Uint8Array | undefined;
}

/** A row as stored: where it is, and every column that can be written. */
export interface RowState {
  readonly rowid?: bigint;
  readonly key: Cells;
  readonly cells: Cells;
}

/** Where a row is, without its content. */
export type RowPlace = Pick<RowState, 'rowid' | 'key'>;

const isSpot = has<RowSpot>({ rowid: optional(isWholeText), key: isText, sha256: isText });

export const isRowMark: Is<RowMark> = has<RowMark>({
  kind: isOne('row'),
  table: isText,
  before: optional(isSpot),
  after: optional(isSpot),
  part: optional((value): value is 'core' | 'slice' => value === 'core' || value === 'slice'),
});

export function spotOf({ rowid, key, cells }: RowState): RowSpot {
  return {
    ...(rowid === undefined ? {} : { rowid: String(rowid) }),
    key: Buffer.from(encodeCells(key)).toString('base64'),
    sha256: hashCells(cells),
  };
}

/** @throws InspectorError unreadable */
export function placeOf({ rowid, key }: RowSpot): RowPlace {
  return {
    ...(rowid === undefined ? {} : { rowid: BigInt(rowid) }),
    key: decodeCells(Buffer.from(key, 'base64')),
  };
}

const WHERE = { added: 'to', changed: 'in', removed: 'from' } as const;

/** One line for each table and kind of change. */
export function doneLines(images: readonly RowImage[], skipped: readonly number[] = []): string[] {
  const left = new Set(skipped);
  const counts = new Map<string, { verb: keyof typeof WHERE; table: string; n: number }>();
  for (const [index, { mark }] of images.entries()) {
    if (left.has(index)) continue;
    const { table, before, after } = mark;
    const verb = before && after ? 'changed' : after ? 'added' : 'removed';
    const line = counts.get(`${verb} ${table}`) ?? { verb, table, n: 0 };
    counts.set(`${verb} ${table}`, { ...line, n: line.n + 1 });
  }
  return [...counts.values()].map(
    ({ verb, table, n }) => `${verb} ${n} ${n === 1 ? 'row' : 'rows'} ${WHERE[verb]} ${table}`,
  );
}
