import {
  InspectorError,
  keyColumns,
  memoryTables,
  type MemoryAccess,
  type MemoryTables,
  type NativeRow,
} from '@checkpoint-inspector/core';
import type { SqlRow } from '../sqlite/values.ts';
import { nothingDone, type Executor } from './executor.ts';
import { changeRows, compareRows, settledRows } from './rows/apply.ts';
import { isRawText, type Cell, type Cells } from './rows/cells.ts';
import { addNative, isNativeSteps, isRowSteps, RowsJob, type RowSteps } from './rows/job.ts';
import { isRowMark, type RowPlace, type RowState } from './rows/mark.ts';
import { only, type Tables } from './rows/tables.ts';
import { doNow } from './rows/work.ts';
import { imagesOf, marksOf, stepsOf } from './shape.ts';

/** Rows of a store in memory. Its place names the store's tables; they end with their process. */
export const memoryEngine: Executor = {
  engine: 'memory',
  async apply(job, hooks) {
    const tables = tablesOf(job.place);
    return changeRows((work) => inTransaction(tables, work), rowSteps(job.steps), hooks);
  },
  async compare(place, marks) {
    return inTransaction(tablesOf(place), (rows) => doNow(compareRows(rows, marksOf(isRowMark, marks))));
  },
  async settle(place, images) {
    if (!memoryTables(place)) return nothingDone(images);
    const marks = images.map(({ mark }) => mark);
    return settledRows(imagesOf(isRowMark, images), await memoryEngine.compare(place, marks));
  },
  undo: async (place, images) => new RowsJob('memory', place).undo(imagesOf(isRowMark, images)),
};

function inTransaction<T>(tables: MemoryTables, work: (rows: Tables) => T): T {
  return tables.transaction((access) => work(new MemoryRows(access)));
}

function rowSteps(steps: unknown): RowSteps {
  if (isNativeSteps(steps)) return addNative(new RowsJob('memory', ''), steps).steps;
  return stepsOf('memory', isRowSteps, steps);
}

/** @throws InspectorError unsupported when the memory is gone */
function tablesOf(place: string): MemoryTables {
  const tables = memoryTables(place);
  if (tables) return tables;
  throw new InspectorError('unsupported', 'The store was in memory and no longer exists.');
}

/** Row ops on tables in memory; the caller holds the transaction. */
export class MemoryRows implements Tables {
  readonly #access: MemoryAccess;
  #changes = 0;

  constructor(access: MemoryAccess) {
    this.#access = access;
  }

  select(table: string, key: SqlRow): RowState[] {
    return this.#access.select(table, plain(key)).map(({ rowid, row }) => {
      const cells = new Map<string, Cell>(Object.entries(row));
      return { rowid, key: keyCells(table, cells), cells };
    });
  }

  find(table: string, { rowid, key }: RowPlace): RowState | undefined {
    return this.select(table, rowOf(key)).find((row) => row.rowid === rowid);
  }

  max(table: string, key: SqlRow, column: string): Cell {
    const values = this.#access.select(table, plain(key)).map(({ row }) => row[column] ?? null);
    return values.reduce((most, value) => (value !== null && (most === null || value > most) ? value : most), null);
  }

  insert(table: string, row: SqlRow, rowid?: bigint): RowState {
    const given = this.#access.insert(table, plain(row), rowid);
    this.#changes++;
    return only(
      this.select(table, rowOf(keyCells(table, new Map(Object.entries(row))))).filter((one) => one.rowid === given),
      table,
    );
  }

  copy(table: string, key: SqlRow, set: SqlRow): RowState[] {
    return this.#access.select(table, plain(key)).map(({ row }) => this.insert(table, { ...row, ...set }));
  }

  update(table: string, key: SqlRow, set: SqlRow): RowState[] {
    const rowids = new Set(this.#access.select(table, plain(key)).map(({ rowid }) => rowid));
    this.#changes += this.#access.update(table, plain(key), plain(set));
    return this.select(table, {}).filter(({ rowid }) => rowid !== undefined && rowids.has(rowid));
  }

  delete(table: string, key: SqlRow): RowState[] {
    const rows = this.select(table, key);
    this.#changes += this.#access.delete(table, plain(key));
    return rows;
  }

  put(table: string, state: RowState, keepRowid: boolean): RowState {
    return this.insert(table, rowOf(state.cells), keepRowid ? state.rowid : undefined);
  }

  overwrite(table: string, place: RowPlace, cells: Cells): RowState {
    return only(this.update(table, rowOf(place.key), rowOf(cells)), table);
  }

  drop(table: string, { key }: RowPlace): void {
    const gone = this.delete(table, rowOf(key)).length;
    if (gone !== 1) throw new InspectorError('internal', `${gone} rows of "${table}" match one place.`);
  }

  count(table: string, key: SqlRow): number {
    return this.select(table, key).length;
  }

  write(): never {
    throw new InspectorError('internal', 'A store in memory is changed at once.');
  }

  rowidTaken(table: string, rowid: bigint): boolean {
    return this.#access.select(table, {}).some((row) => row.rowid === rowid);
  }

  changes(): number {
    return this.#changes;
  }
}

function keyCells(table: string, cells: Cells): Cells {
  const key = keyColumns(table);
  return new Map([...cells].filter(([name]) => key.includes(name)));
}

/** Memory keeps every value as it came, so there is no text kept as bytes. */
function rowOf(cells: Cells): SqlRow {
  const entries = [...cells].flatMap(([name, cell]) =>
    cell !== null && isRawText(cell) ? [] : [[name, cell] as const],
  );
  return Object.fromEntries(entries);
}

/** @throws InspectorError invalid_input for bytes, which these tables do not hold */
function plain(row: SqlRow): NativeRow {
  const entries = Object.entries(row).map(([name, value]) => {
    if (!(value instanceof Uint8Array)) return [name, value] as const;
    throw new InspectorError('invalid_input', `A memory store cannot keep bytes, but "${name}" holds some.`);
  });
  return Object.fromEntries(entries);
}
