import { InspectorError, type RowAccess, type SqlRow, type SqlValue } from '@checkpoint-inspector/core';
import type { Cell, Cells } from './cells.ts';
import type { RowEngine, RowPlace, RowState } from './row-engine.ts';

/** Values up to this length name a row; longer ones are content. */
const KEY_LENGTH = 1_000;

/** Row ops on tables in memory; the caller holds the transaction. */
export class MemoryRows implements RowEngine {
  readonly #access: RowAccess;
  #changes = 0;

  constructor(access: RowAccess) {
    this.#access = access;
  }

  select(table: string, key: SqlRow): RowState[] {
    return this.#access.select(table, key).map(({ rowid, row }) => {
      const cells = new Map<string, Cell>(Object.entries(row));
      return { rowid, key: keyCells(cells), cells };
    });
  }

  find(table: string, { rowid, key }: RowPlace): RowState | undefined {
    return this.select(table, rowOf(key)).find((row) => row.rowid === rowid);
  }

  max(table: string, key: SqlRow, column: string): Cell {
    const values = this.#access.select(table, key).map(({ row }) => row[column] ?? null);
    return values.reduce((most, value) => (value !== null && (most === null || value > most) ? value : most), null);
  }

  insert(table: string, row: SqlRow, rowid?: bigint): RowState {
    const given = this.#access.insert(table, row, rowid);
    this.#changes++;
    const state = this.select(table, rowOf(namedBy(row))).find((one) => one.rowid === given);
    if (state) return state;
    throw new InspectorError('internal', `The row inserted into "${table}" is not there.`);
  }

  copy(table: string, key: SqlRow, set: SqlRow): RowState[] {
    return this.#access.select(table, key).map(({ row }) => this.insert(table, { ...row, ...set }));
  }

  update(table: string, key: SqlRow, set: SqlRow): RowState[] {
    const rowids = new Set(this.#access.select(table, key).map(({ rowid }) => rowid));
    this.#changes += this.#access.update(table, key, set);
    return this.select(table, {}).filter(({ rowid }) => rowid !== undefined && rowids.has(rowid));
  }

  delete(table: string, key: SqlRow): number {
    const count = this.#access.delete(table, key);
    this.#changes += count;
    return count;
  }

  put(table: string, state: RowState, keepRowid: boolean): RowState {
    return this.insert(table, rowOf(state.cells), keepRowid ? state.rowid : undefined);
  }

  overwrite(table: string, place: RowPlace, cells: Cells): RowState {
    const [row] = this.update(table, rowOf(place.key), rowOf(cells));
    if (row) return row;
    throw new InspectorError('internal', `The row to overwrite in "${table}" is not there.`);
  }

  drop(table: string, { key }: RowPlace): void {
    const gone = this.delete(table, rowOf(key));
    if (gone !== 1) throw new InspectorError('internal', `${gone} rows of "${table}" answer to one place.`);
  }

  rowidTaken(table: string, rowid: bigint): boolean {
    return this.#access.select(table, {}).some((row) => row.rowid === rowid);
  }

  changes(): number {
    return this.#changes;
  }
}

/** Memory tables name no key, so all short values together are one. */
function keyCells(cells: Cells): Cells {
  return new Map([...cells].filter(([, cell]) => isShort(cell)));
}

function namedBy(row: SqlRow): Cells {
  return new Map(Object.entries(row).filter(([, value]) => typeof value === 'string' && isShort(value)));
}

function isShort(cell: Cell): boolean {
  return typeof cell === 'string' ? cell.length <= KEY_LENGTH : !(cell instanceof Uint8Array);
}

/** Memory keeps every value as it came, so there is no text kept as bytes. */
function rowOf(cells: Cells): SqlRow {
  return Object.fromEntries([...cells] as [string, SqlValue][]);
}
