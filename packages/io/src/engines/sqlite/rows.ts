import { InspectorError } from '@checkpoint-inspector/core';
import type { SqliteDatabase, SqliteParameter, SqliteStatement } from '../../sqlite/index.ts';
import type { SqlRow, SqlValue } from '../../sqlite/values.ts';
import { cellsOf, isRawText, type Cell, type Cells } from '../rows/cells.ts';
import type { Step } from '../rows/ledger.ts';
import type { RowPlace, RowState } from '../rows/mark.ts';
import { only, type Tables } from '../rows/tables.ts';

const STATEMENTS_KEPT = 64;

/** Row ops on a SQLite database; the caller holds the transaction. OR ABORT: no constraint may replace a row. */
export class SqliteRows implements Tables {
  readonly #db: SqliteDatabase;
  readonly #encoding: string;
  readonly #tables = new Map<string, TableInfo>();
  readonly #statements = new Map<string, SqliteStatement<RawRow>>();

  constructor(db: SqliteDatabase) {
    this.#db = db;
    this.#encoding = String(db.pragma('encoding'));
  }

  select(table: string, key: SqlRow): RowState[] {
    return this.#rows(this.#info(table), cellsOf(key));
  }

  find(table: string, place: RowPlace): RowState | undefined {
    const info = this.#info(table);
    const [row] = this.#rows(info, placeKey(info, place));
    return row;
  }

  max(table: string, key: SqlRow, column: string): Cell {
    const where = whereAll(cellsOf(key));
    const inner = `SELECT max(${quoted(column)}) AS m FROM ${quoted(this.#info(table).name)}${where.sql}`;
    const row = this.#prepare(`SELECT ${exactColumns(['m'])} FROM (${inner})`).get(...where.values);
    return row ? readCell(row, 0, this.#encoding) : null;
  }

  insert(table: string, row: SqlRow): RowState {
    return this.#insert(this.#info(table), cellsOf(row), undefined);
  }

  copy(table: string, key: SqlRow, set: SqlRow): RowState[] {
    const info = this.#info(table);
    const where = whereAll(cellsOf(key));
    const fixed = cellsOf(set);
    const columns = info.columns.filter((name) => name !== info.rowidColumn || fixed.has(name));
    const given = columns.flatMap((name) => (fixed.has(name) ? [fixed.get(name) ?? null] : []));
    const sources = columns.map((name) => (fixed.has(name) ? '?' : quoted(name)));
    const sql =
      `INSERT OR ABORT INTO ${quoted(info.name)} (${columns.map(quoted).join(', ')}) ` +
      `SELECT ${sources.join(', ')} FROM ${quoted(info.name)}${where.sql} ORDER BY ${orderOf(info)}`;
    for (const name of fixed.keys()) assertColumn(info, name);
    return this.#returning(info, sql, [...given.map(bound), ...where.values]);
  }

  update(table: string, key: SqlRow, set: SqlRow): RowState[] {
    const info = this.#info(table);
    return this.#update(info, cellsOf(set), cellsOf(key));
  }

  delete(table: string, key: SqlRow): RowState[] {
    const rows = this.select(table, key);
    const gone = this.#delete(this.#info(table), cellsOf(key));
    if (gone !== rows.length)
      throw new InspectorError('internal', `${gone} rows of "${table}" went, not ${rows.length}.`);
    return rows;
  }

  put(table: string, state: RowState, keepRowid: boolean): RowState {
    const info = this.#info(table);
    const rowid = keepRowid && info.rowidColumn === undefined ? state.rowid : undefined;
    return this.#insert(info, state.cells, rowid);
  }

  overwrite(table: string, place: RowPlace, cells: Cells): RowState {
    const info = this.#info(table);
    return only(this.#update(info, cells, placeKey(info, place)), table);
  }

  drop(table: string, place: RowPlace): void {
    const info = this.#info(table);
    const gone = this.#delete(info, placeKey(info, place));
    if (gone !== 1) throw new InspectorError('internal', `${gone} rows of "${table}" match one place.`);
  }

  count(table: string, key: SqlRow): number {
    const where = whereAll(cellsOf(key));
    const sql = `SELECT count(*) AS n FROM ${quoted(this.#info(table).name)}${where.sql}`;
    return Number(this.#prepare(sql).get(...where.values)?.['n'] ?? 0);
  }

  write(steps: readonly Step[]): void {
    for (const step of steps) this.#write(this.#info(step.table), step);
  }

  #write(info: TableInfo, { before, after }: Step): void {
    const changes = !before
      ? this.#putExactly(info, after)
      : after
        ? this.#change(info, before, after)
        : this.#delete(info, before.cells);
    if (changes === 1) return;
    throw new InspectorError('changed', `A row in "${info.name}" has changed.`, { data: { table: info.name } });
  }

  #putExactly(info: TableInfo, after: RowState | undefined): number {
    if (!after) return 0;
    const { rowid, cells } = after;
    const isKept = rowid !== undefined && info.rowidColumn === undefined && !this.rowidTaken(info.name, rowid);
    const { sql, values } = insertion(info, cells, isKept ? rowid : undefined);
    return this.#prepare(sql).run(...values).changes;
  }

  #change(info: TableInfo, before: RowState, after: RowState): number {
    const { sql, values } = updating(info, after.cells, before.cells);
    return this.#prepare(sql).run(...values).changes;
  }

  rowidTaken(table: string, rowid: bigint): boolean {
    const info = this.#info(table);
    if (info.rowid === undefined) return false;
    const sql = `SELECT 1 FROM ${quoted(info.name)} WHERE ${quoted(info.rowid)} = ?`;
    return this.#prepare(sql).get(rowid) !== undefined;
  }

  changes(): number {
    return Number(this.#db.prepare<{ n: number | bigint }>('SELECT total_changes() AS n').get()?.n ?? 0);
  }

  /** A change of thousands of rows runs a handful of statements. */
  #prepare(sql: string): SqliteStatement<RawRow> {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare<RawRow>(sql);
    if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }

  #info(table: string): TableInfo {
    const known = this.#tables.get(table) ?? tableInfo(this.#db, table);
    this.#tables.set(table, known);
    return known;
  }

  #rows(info: TableInfo, key: Cells): RowState[] {
    const where = whereAll(key);
    const names = [...(info.rowid === undefined ? [] : [info.rowid]), ...info.columns].map(quoted);
    const sql = `SELECT ${exactColumns(names)} FROM ${quoted(info.name)}${where.sql} ORDER BY ${orderOf(info)}`;
    return this.#prepare(sql)
      .all(...where.values)
      .map((row) => this.#state(info, row));
  }

  #state(info: TableInfo, row: RawRow): RowState {
    const first = info.rowid === undefined ? 0 : 1;
    const cells = new Map(info.columns.map((name, i) => [name, readCell(row, i + first, this.#encoding)]));
    const rowid = first === 1 ? readCell(row, 0, this.#encoding) : undefined;
    return { ...(typeof rowid === 'bigint' ? { rowid } : {}), key: keyCells(info, cells), cells };
  }

  #insert(info: TableInfo, cells: Cells, rowid: bigint | undefined): RowState {
    const { sql, values } = insertion(info, cells, rowid);
    return only(this.#returning(info, sql, values), info.name);
  }

  #update(info: TableInfo, set: Cells, key: Cells): RowState[] {
    const { sql, values } = updating(info, set, key);
    return this.#returning(info, sql, values);
  }

  #delete(info: TableInfo, key: Cells): number {
    const where = whereAll(key);
    return this.#prepare(`DELETE FROM ${quoted(info.name)}${where.sql}`).run(...where.values).changes;
  }

  /** Runs the change, then reads the rows it made as stored. */
  #returning(info: TableInfo, sql: string, values: readonly SqliteParameter[]): RowState[] {
    const names = info.rowid === undefined ? info.keys : [info.rowid];
    const statement = this.#prepare(`${sql} RETURNING ${exactColumns(names.map(quoted))}`);
    return statement.all(...values).flatMap((row) => {
      const at = new Map(names.map((name, i) => [name, readCell(row, i, this.#encoding)]));
      return this.#rows(info, at);
    });
  }
}

interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

function insertion(info: TableInfo, cells: Cells, rowid: bigint | undefined): Statement {
  const names = [...cells.keys()].map(quoted);
  const marks = [...cells.values()].map(placeholder);
  const values = [...cells.values()].map(bound);
  if (rowid !== undefined && info.rowid !== undefined) {
    names.push(quoted(info.rowid));
    marks.push('?');
    values.push(rowid);
  }
  return {
    sql: `INSERT OR ABORT INTO ${quoted(info.name)} (${names.join(', ')}) VALUES (${marks.join(', ')})`,
    values,
  };
}

function updating(info: TableInfo, set: Cells, key: Cells): Statement {
  const where = whereAll(key);
  const sets = [...set].map(([name, cell]) => `${quoted(name)} = ${placeholder(cell)}`);
  const sql = `UPDATE OR ABORT ${quoted(info.name)} SET ${sets.join(', ')}${where.sql}`;
  return { sql, values: [...[...set.values()].map(bound), ...where.values] };
}

/** The primary key, unless a part is null: SQLite lets such rows repeat. */
function keyCells(info: TableInfo, cells: Cells): Cells {
  const key = new Map(info.keys.map((name) => [name, cells.get(name) ?? null]));
  return [...key.values()].includes(null) ? new Map() : key;
}

function placeKey(info: TableInfo, { rowid, key }: RowPlace): Cells {
  if (key.size > 0) return key;
  if (rowid !== undefined && info.rowid !== undefined) return new Map([[info.rowid, rowid]]);
  throw new InspectorError('unsupported', `A row of "${info.name}" has no primary key and no rowid to find it by.`);
}

function assertColumn(info: TableInfo, name: string): void {
  if (info.columns.includes(name)) return;
  throw new InspectorError('unsupported', `Table "${info.name}" has no column "${name}".`);
}

export type RawRow = Readonly<Record<string, SqlValue>>;

/** Type and value of each expression as `t0, v0, t1, v1…`: integers as text, text as bytes, so that nothing is rounded. */
export function exactColumns(expressions: readonly string[]): string {
  return expressions
    .map((e, i) => {
      const value = `CASE typeof(${e}) WHEN 'integer' THEN CAST(${e} AS TEXT) WHEN 'text' THEN CAST(${e} AS BLOB) ELSE ${e} END`;
      return `typeof(${e}) AS t${i}, ${value} AS v${i}`;
    })
    .join(', ');
}

/** One value read by `exactColumns`. `encoding` is the database's. */
export function readCell(row: RawRow, index: number, encoding: string): Cell {
  const type = row[`t${index}`];
  const value = row[`v${index}`] ?? null;
  if (type === 'integer') return BigInt(String(value));
  if (type !== 'text') return value;
  return readText(value instanceof Uint8Array ? value : new Uint8Array(), encoding);
}

const EXACTLY = { fatal: true, ignoreBOM: true };
const UTF_8 = new TextDecoder('utf-8', EXACTLY);
const UTF_16 = new TextDecoder('utf-16le', EXACTLY);

function readText(bytes: Uint8Array, encoding: string): Cell {
  if (encoding === 'UTF-16be') return { text: bytes };
  try {
    return (encoding === 'UTF-8' ? UTF_8 : UTF_16).decode(bytes);
  } catch {
    return { text: bytes };
  }
}

/** A bound value; text that is not well-formed goes in as bytes. */
export function placeholder(cell: Cell): string {
  return cell !== null && isRawText(cell) ? 'CAST(? AS TEXT)' : '?';
}

export function bound(cell: Cell): SqlValue {
  return cell !== null && isRawText(cell) ? cell.text : cell;
}

/** `WHERE` over these columns; every row where there are none. */
export function whereAll(cells: Cells): { sql: string; values: SqlValue[] } {
  if (cells.size === 0) return { sql: '', values: [] };
  const parts = [...cells].map(
    ([name, cell]) => `${quoted(name)} ${cell === null ? 'IS NULL' : `= ${placeholder(cell)}`}`,
  );
  const values = [...cells.values()].filter((cell) => cell !== null).map(bound);
  return { sql: ` WHERE ${parts.join(' AND ')}`, values };
}

/** The order of rows that a copy and an image keep. */
export function orderOf(info: TableInfo): string {
  return info.rowid === undefined ? info.keys.map(quoted).join(', ') : quoted(info.rowid);
}

/** What a row op needs to know of a table. Names are not quoted. */
export interface TableInfo {
  readonly name: string;
  /** Columns that can be written: no generated ones. */
  readonly columns: readonly string[];
  /** Primary key; empty where there is none. */
  readonly keys: readonly string[];
  /** A name that reads the rowid; absent for WITHOUT ROWID. */
  readonly rowid?: string;
  /** The column that is the rowid under another name: INTEGER PRIMARY KEY. */
  readonly rowidColumn?: string;
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly pk: number | bigint;
  readonly hidden: number | bigint;
}

/** @throws InspectorError unsupported (no ordinary table) */
export function tableInfo(db: SqliteDatabase, table: string): TableInfo {
  const list = "SELECT type, wr FROM pragma_table_list(?) WHERE schema = 'main'";
  const entry = db.prepare<{ type: string; wr: number | bigint }>(list).get(table);
  if (entry?.type !== 'table') {
    throw new InspectorError('unsupported', `"${table}" isn't an ordinary table in this database.`, {
      data: { table },
    });
  }
  const rows = db.prepare<ColumnRow>('SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)').all(table);
  const columns = rows.filter(({ hidden }) => Number(hidden) === 0).map(({ name }) => name);
  const keyRows = rows.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
  const keys = keyRows.map(({ name }) => name);
  if (Number(entry.wr) !== 0) return { name: table, columns, keys };
  const alias = keyRows.length === 1 && keyRows[0]?.type.toUpperCase() === 'INTEGER' ? keys[0] : undefined;
  const rowid = ['_rowid_', 'oid', 'rowid'].find((name) => !rows.some((row) => row.name.toLowerCase() === name));
  return {
    name: table,
    columns,
    keys,
    ...(rowid === undefined ? {} : { rowid }),
    ...(alias === undefined ? {} : { rowidColumn: alias }),
  };
}

/** An identifier that cannot be read as anything else. @throws InspectorError invalid_input */
export function quoted(name: string): string {
  if (name.includes('\0'))
    throw new InspectorError('invalid_input', 'A table or column name contains a NUL character.');
  return `"${name.replaceAll('"', '""')}"`;
}
