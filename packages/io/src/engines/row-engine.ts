import type { SqlRow } from '@checkpoint-inspector/core';
import { hashCells, type Cell, type Cells } from './cells.ts';
import type { RowSpot } from './images.ts';

/** A row as it is stored: where it stands and every column that can be written. */
export interface RowState {
  readonly rowid?: bigint;
  readonly key: Cells;
  readonly cells: Cells;
}

/** Where a row stands, without its content. */
export type RowPlace = Pick<RowSpot, 'rowid' | 'key'>;

/** Rows inside one transaction, in SQLite or in memory. Every change returns the rows as they are afterwards. */
export interface RowEngine {
  select(table: string, key: SqlRow): RowState[];
  find(table: string, place: RowPlace): RowState | undefined;
  /** Greatest value of the column among the rows of the key; null when there is none. */
  max(table: string, key: SqlRow, column: string): Cell;
  insert(table: string, row: SqlRow, rowid?: bigint): RowState;
  copy(table: string, key: SqlRow, set: SqlRow): RowState[];
  update(table: string, key: SqlRow, set: SqlRow): RowState[];
  delete(table: string, key: SqlRow): number;
  /** Puts a row back exactly; under a new rowid if the old one must not be used. */
  put(table: string, state: RowState, keepRowid: boolean): RowState;
  /** Gives the row at this place exactly these columns. */
  overwrite(table: string, place: RowPlace, cells: Cells): RowState;
  drop(table: string, place: RowPlace): void;
  rowidTaken(table: string, rowid: bigint): boolean;
  /** Rows changed so far, those changed by triggers and cascades included. */
  changes(): number;
}

export function spotOf({ rowid, key, cells }: RowState): RowSpot {
  return { ...(rowid === undefined ? {} : { rowid }), key, sha256: hashCells(cells) };
}

/** Still exactly the row that the spot describes. */
export function holds(engine: RowEngine, table: string, spot: RowSpot): boolean {
  const now = engine.find(table, spot);
  return now !== undefined && hashCells(now.cells) === spot.sha256;
}
