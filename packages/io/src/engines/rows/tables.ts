import { InspectorError } from '@checkpoint-inspector/core';
import type { SqlRow } from '../../sqlite/values.ts';
import { hashCells, type Cell, type Cells } from './cells.ts';
import { placeOf, type RowPlace, type RowSpot, type RowState } from './mark.ts';

/** Rows inside one transaction, in SQLite or in memory. Every change returns the rows as they are afterwards. */
export interface Tables {
  select(table: string, key: SqlRow): RowState[];
  find(table: string, place: RowPlace): RowState | undefined;
  /** Greatest value of the column among the rows of the key; null when there is none. */
  max(table: string, key: SqlRow, column: string): Cell;
  insert(table: string, row: SqlRow): RowState;
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

/** Still exactly the row that the spot describes. */
export function holds(tables: Tables, table: string, spot: RowSpot): boolean {
  const now = tables.find(table, placeOf(spot));
  return now !== undefined && hashCells(now.cells) === spot.sha256;
}

export function only(rows: readonly RowState[], table: string): RowState {
  const [row] = rows;
  if (row && rows.length === 1) return row;
  throw new InspectorError('internal', `A change of one row of "${table}" met ${rows.length}.`);
}
