/** The rows of our own store whose states are shared nodes, as the rows that have their state's text. */
import { InspectorError, type SharedState } from '@checkpoint-inspector/core';
import { collectAfterRemoval, readShared, readText, shareText } from '../../nodes/index.ts';
import type { SqliteDatabase, SqlRow, SqlValue } from '../../sqlite/index.ts';
import type { Cell, Cells } from '../rows/cells.ts';
import type { RowPlace, RowState } from '../rows/mark.ts';
import { only, type Tables } from '../rows/tables.ts';
import { SqliteRows } from './rows.ts';

const TABLE = 'checkpoints';
/** They keep the counts of each task. What any other trigger changes is not ours to hide. */
const OWN_TRIGGERS: readonly string[] = ['count_inserted', 'count_deleted', 'count_updated'];

/** Columns that the first format doesn't have, as they are in a row of its kind: there nothing is known of them. */
const LATER: ReadonlyMap<string, Cell> = new Map<string, Cell>([
  ['namespace', ''],
  ['parent_namespace', null],
  ['beside', null],
]);

/**
 * What a plan, an image and a receipt know of a checkpoint is the row of format 1: its columns with `text`. Here the
 * text is put together from nodes, or shared into them.
 */
export class NodeTables implements Tables {
  readonly #db: SqliteDatabase;
  readonly #rows: SqliteRows;
  /** Rows that the caller doesn't know of: nodes, texts, and what the store's own triggers count. */
  #own = 0;
  readonly #hasOtherTriggers: boolean;
  #removed = 0;

  constructor(db: SqliteDatabase) {
    this.#db = db;
    this.#rows = new SqliteRows(db);
    const triggers = db.prepare<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
    this.#hasOtherTriggers = triggers.some(({ name }) => !OWN_TRIGGERS.includes(name));
  }

  /** At the end of a transaction: what nothing refers to any more goes. */
  finish(): void {
    if (this.#removed > 0) collectAfterRemoval(this.#db, this.#removed);
    this.#removed = 0;
  }

  select(table: string, key: SqlRow): RowState[] {
    return this.#read(table, this.#rows.select(table, key));
  }

  find(table: string, place: RowPlace): RowState | undefined {
    const row = this.#rows.find(table, place);
    return row && this.#read(table, [row])[0];
  }

  max(table: string, key: SqlRow, column: string): Cell {
    return this.#rows.max(table, key, column);
  }

  insert(table: string, row: SqlRow): RowState {
    const stored = this.#stored(table, row, () => this.#latest(row['task']));
    return only(
      this.#changed(table, () => [this.#rows.insert(table, stored)]),
      table,
    );
  }

  copy(table: string, key: SqlRow, set: SqlRow): RowState[] {
    // Without a text of its own a copy has the root of its source, and no node is written.
    const stored = this.#stored(table, set, () => this.#rootOf(this.#rows.select(table, key)[0]));
    return this.#changed(table, () => this.#rows.copy(table, key, stored));
  }

  update(table: string, key: SqlRow, set: SqlRow): RowState[] {
    if (table === TABLE && 'text' in set) this.#removed++;
    const stored = this.#stored(table, set, () => this.#rootOf(this.#rows.select(table, key)[0]));
    return this.#changed(table, () => this.#rows.update(table, key, stored));
  }

  delete(table: string, key: SqlRow): RowState[] {
    const gone = this.#changed(table, () => this.#rows.delete(table, key));
    if (table === TABLE) this.#removed += gone.length;
    return gone;
  }

  put(table: string, state: RowState, keepRowid: boolean): RowState {
    const cells = this.#cells(table, state.cells, () => this.#latest(state.cells.get('task')));
    return only(
      this.#changed(table, () => [this.#rows.put(table, { ...state, cells }, keepRowid)]),
      table,
    );
  }

  overwrite(table: string, place: RowPlace, cells: Cells): RowState {
    const before = () => this.#rootOf(this.#rows.find(table, place));
    if (table === TABLE) this.#removed++;
    const whole = table === TABLE ? new Map([...LATER, ...cells]) : cells;
    const stored = this.#cells(table, whole, before);
    return only(
      this.#changed(table, () => [this.#rows.overwrite(table, place, stored)]),
      table,
    );
  }

  drop(table: string, place: RowPlace): void {
    const start = this.#rows.changes();
    this.#rows.drop(table, place);
    this.#hide(table, start, 1);
    if (table === TABLE) this.#removed++;
  }

  rowidTaken(table: string, rowid: bigint): boolean {
    return this.#rows.rowidTaken(table, rowid);
  }

  changes(): number {
    return this.#rows.changes() - this.#own;
  }

  /** Rows that were changed, as they are known outside. */
  #changed(table: string, change: () => RowState[]): RowState[] {
    const start = this.#rows.changes();
    const rows = change();
    this.#hide(table, start, rows.length);
    return this.#read(table, rows);
  }

  /** Leaves out what the triggers have changed beside so many rows. */
  #hide(table: string, start: number, rows: number): void {
    if (table === TABLE && !this.#hasOtherTriggers) this.#own += this.#rows.changes() - start - rows;
  }

  #read(table: string, rows: readonly RowState[]): RowState[] {
    if (table !== TABLE) return [...rows];
    return rows.map(({ cells, ...place }) => {
      const { root, whole, ...logical } = Object.fromEntries(cells);
      const text = readText(this.#db, {
        root: Number(root),
        whole: whole === null ? null : Number(whole),
        size_bytes: Number(logical['size_bytes']),
      });
      const known = Object.entries(logical).filter(([name, cell]) => !LATER.has(name) || LATER.get(name) !== cell);
      return { ...place, cells: new Map<string, Cell>([...known, ['text', text]]) };
    });
  }

  #stored(table: string, row: SqlRow, before: () => number | undefined): SqlRow {
    const { text, ...rest } = row;
    if (table !== TABLE || text === undefined) return row;
    return { ...rest, ...this.#shared(text, before) };
  }

  #cells(table: string, cells: Cells, before: () => number | undefined): Cells {
    const text = cells.get('text');
    if (table !== TABLE || text === undefined) return cells;
    const { root, whole } = this.#shared(text, before);
    const rest = [...cells].filter(([name]) => name !== 'text');
    return new Map<string, Cell>([...rest, ['root', BigInt(root)], ['whole', whole === null ? null : BigInt(whole)]]);
  }

  #shared(text: Cell, before: () => number | undefined): { root: number; whole: number | null } {
    if (typeof text !== 'string') throw new InspectorError('unsupported', 'A state can only be put back as text.');
    const start = this.#rows.changes();
    const { root, whole } = shareText(this.#db, text, this.#known(before()));
    this.#own += this.#rows.changes() - start;
    return { root, whole };
  }

  /** A damaged state is nothing to compare with, and no reason not to write another one. */
  #known(root: number | undefined): SharedState | undefined {
    try {
      return root === undefined ? undefined : readShared(this.#db, root);
    } catch (error) {
      if (InspectorError.is(error) && error.code === 'unreadable') return undefined;
      throw error;
    }
  }

  #rootOf(row: RowState | undefined): number | undefined {
    const root = row?.cells.get('root');
    return typeof root === 'bigint' ? Number(root) : undefined;
  }

  #latest(task: Cell | undefined): number | undefined {
    const key: SqlRow = typeof task === 'string' ? { task } : {};
    const seq: SqlValue | undefined = sqlValue(this.#rows.max(TABLE, key, 'seq'));
    return seq === undefined ? undefined : this.#rootOf(this.#rows.select(TABLE, { seq })[0]);
  }
}

const sqlValue = (cell: Cell): SqlValue | undefined => (typeof cell === 'bigint' ? cell : undefined);
