import { InspectorError } from '@checkpoint-inspector/core';
import type { SqlRow } from '../../sqlite/values.ts';
import { hashCells, type Cell, type Cells } from './cells.ts';
import type { Step } from './ledger.ts';
import { placeOf, type RowPlace, type RowSpot, type RowState } from './mark.ts';
import { got, type May, type Work } from './work.ts';

/** Rows inside one transaction. Every change returns the rows as they are afterwards. */
export interface Tables {
  select(table: string, key: SqlRow): May<RowState[]>;
  find(table: string, place: RowPlace): May<RowState | undefined>;
  /** Greatest value of the column among the rows of the key; null when there is none. */
  max(table: string, key: SqlRow, column: string): May<Cell>;
  insert(table: string, row: SqlRow): May<RowState>;
  copy(table: string, key: SqlRow, set: SqlRow): May<RowState[]>;
  update(table: string, key: SqlRow, set: SqlRow): May<RowState[]>;
  /** Answers the rows as they were. */
  delete(table: string, key: SqlRow): May<RowState[]>;
  /** Puts a row back exactly; under a new rowid if the old one must not be used. */
  put(table: string, state: RowState, keepRowid: boolean): May<RowState>;
  /** Gives the row at this place exactly these columns. */
  overwrite(table: string, place: RowPlace, cells: Cells): May<RowState>;
  drop(table: string, place: RowPlace): May<void>;
  count(table: string, key: SqlRow): May<number>;
  /**
   * Exactly these rows, none of which is read back. What is put back keeps its rowid where that is free.
   * @throws InspectorError changed, where a row is not as the step has it before
   */
  write(steps: readonly Step[]): May<void>;
  rowidTaken(table: string, rowid: bigint): May<boolean>;
  /** Rows changed so far, those changed by triggers and cascades included. */
  changes(): May<number>;
}

/** Still exactly the row that the spot describes. */
export function* holds(tables: Tables, table: string, spot: RowSpot): Work<boolean> {
  const now = yield* got(tables.find(table, placeOf(spot)));
  return now !== undefined && hashCells(now.cells) === spot.sha256;
}

export function only(rows: readonly RowState[], table: string): RowState {
  const [row] = rows;
  if (row && rows.length === 1) return row;
  throw new InspectorError('internal', `A change to one row of "${table}" matched ${rows.length}.`);
}
