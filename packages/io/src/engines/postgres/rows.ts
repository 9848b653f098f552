import type { PoolClient, QueryArrayResult } from 'pg';
import { InspectorError } from '@checkpoint-inspector/core';
import { parameter, quotedName, STORED_TYPES } from '../../postgres/values.ts';
import type { SqlRow } from '../../sqlite/values.ts';
import { cellsOf, isRawText, type Cell, type Cells } from '../rows/cells.ts';
import type { Step } from '../rows/ledger.ts';
import type { RowPlace, RowState } from '../rows/mark.ts';
import { only, type Tables } from '../rows/tables.ts';
import { columnOf, readTable, type Column, type Table } from './table.ts';

/** A value as STORED_TYPES reads it. */
type Stored = null | string | Uint8Array;

/** Row ops in PostgreSQL; the caller holds the transaction. A row is found by its primary key alone. */
export class PostgresRows implements Tables {
  readonly #client: PoolClient;
  readonly #schema: string;
  readonly #uncounted: readonly string[];
  readonly #tables = new Map<string, Table>();

  /** @param uncounted tables whose changes nobody plans */
  constructor(client: PoolClient, schema: string, uncounted: readonly string[] = []) {
    this.#client = client;
    this.#schema = schema;
    this.#uncounted = uncounted;
  }

  async select(name: string, key: SqlRow): Promise<RowState[]> {
    return this.#select(await this.#table(name), cellsOf(key));
  }

  async find(name: string, { key }: RowPlace): Promise<RowState | undefined> {
    const [row] = await this.#select(await this.#table(name), key);
    return row;
  }

  async max(name: string, key: SqlRow, column: string): Promise<Cell> {
    const table = await this.#table(name);
    const { sql, values } = whereAll(table, cellsOf(key));
    const { rows } = await this.#run(`SELECT max(${quotedName(column)}) FROM ${table.sql}${sql}`, values);
    return cellFrom(columnOf(table, column), rows[0]?.[0]);
  }

  async insert(name: string, row: SqlRow): Promise<RowState> {
    return this.#insert(await this.#table(name), cellsOf(row));
  }

  async copy(name: string, key: SqlRow, set: SqlRow): Promise<RowState[]> {
    const table = await this.#table(name);
    const fixed = cellsOf(set);
    for (const column of fixed.keys()) columnOf(table, column);
    // A serial key without a value of its own gets the next one.
    const columns = table.columns.filter(({ name: column, isSerial }) =>
      isSerial && table.keys.includes(column) ? (fixed.get(column) ?? null) !== null : true,
    );
    const given = columns.filter((one) => fixed.has(one.name));
    const where = whereAll(table, cellsOf(key), given.length);
    const sources = columns.map((one) =>
      fixed.has(one.name) ? mark(one, given.indexOf(one) + 1) : quotedName(one.name),
    );
    const names = columns.map((one) => quotedName(one.name)).join(', ');
    const sql =
      `INSERT INTO ${table.sql} (${names}) OVERRIDING SYSTEM VALUE ` +
      `SELECT ${sources.join(', ')} FROM ${table.sql}${where.sql} ORDER BY ${table.keys.map(quotedName).join(', ')}`;
    return this.#returning(table, sql, [...given.map((one) => bound(fixed.get(one.name))), ...where.values]);
  }

  async update(name: string, key: SqlRow, set: SqlRow): Promise<RowState[]> {
    return this.#update(await this.#table(name), cellsOf(set), cellsOf(key));
  }

  async delete(name: string, key: SqlRow): Promise<RowState[]> {
    return this.#delete(await this.#table(name), cellsOf(key));
  }

  async put(name: string, { cells }: RowState): Promise<RowState> {
    return this.#insert(await this.#table(name), cells);
  }

  /** Only what differs is set: an identity column takes no value of ours, not even its own. */
  async overwrite(name: string, place: RowPlace, cells: Cells): Promise<RowState> {
    const table = await this.#table(name);
    const now = only(await this.#select(table, place.key), name);
    const different = [...cells].filter(([column, cell]) => !isSame(now.cells.get(column), cell));
    if (different.length === 0) return now;
    return only(await this.#update(table, new Map(different), place.key), name);
  }

  async drop(name: string, { key }: RowPlace): Promise<void> {
    const { length: gone } = await this.#delete(await this.#table(name), key);
    if (gone !== 1) throw new InspectorError('internal', `${gone} rows of "${name}" match one place.`);
  }

  async count(name: string, key: SqlRow): Promise<number> {
    const table = await this.#table(name);
    const where = whereAll(table, cellsOf(key));
    const { rows } = await this.#run(`SELECT count(*) FROM ${table.sql}${where.sql}`, where.values);
    return Number(rows[0]?.[0]);
  }

  /** Neighbours of one kind go to the server at once. */
  async write(steps: readonly Step[]): Promise<void> {
    for (let at = 0; at < steps.length;) {
      const kind = kindOf(steps[at]);
      let end = at + 1;
      while (end < steps.length && kindOf(steps[end]) === kind) end++;
      const { [at]: first } = steps;
      if (first) await this.#write(await this.#table(first.table), steps.slice(at, end));
      at = end;
    }
  }

  async #write(table: Table, steps: readonly Step[]): Promise<void> {
    const most = Math.floor(MAX_VALUES / (2 * table.columns.length));
    for (let at = 0; at < steps.length; at += most) {
      const some = steps.slice(at, at + most);
      const { sql, values } = writing(table, some);
      if ((await this.#run(sql, values)).rowCount === some.length) continue;
      throw new InspectorError('changed', `A row in "${table.name}" has changed.`, { data: { table: table.name } });
    }
  }

  rowidTaken(): boolean {
    return false;
  }

  /** What this transaction has done to any other table, by the server's own count. */
  async changes(): Promise<number> {
    const sql = `SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM pg_stat_xact_user_tables
      WHERE schemaname <> $1 OR relname <> ALL($2)`;
    const { rows } = await this.#run(sql, [this.#schema, this.#uncounted]);
    return Number(rows[0]?.[0]);
  }

  async #table(name: string): Promise<Table> {
    const table = this.#tables.get(name) ?? (await readTable(this.#client, this.#schema, name));
    this.#tables.set(name, table);
    return table;
  }

  async #select(table: Table, key: Cells): Promise<RowState[]> {
    const where = whereAll(table, key);
    const order = table.keys.map(quotedName).join(', ');
    const result = await this.#run(
      `SELECT ${allColumns(table)} FROM ${table.sql}${where.sql} ORDER BY ${order}`,
      where.values,
    );
    return statesOf(table, result);
  }

  async #insert(table: Table, cells: Cells): Promise<RowState> {
    const columns = [...cells.keys()].map((name) => columnOf(table, name));
    const names = columns.map((one) => quotedName(one.name)).join(', ');
    const marks = columns.map((one, index) => mark(one, index + 1)).join(', ');
    const sql = `INSERT INTO ${table.sql} (${names}) OVERRIDING SYSTEM VALUE VALUES (${marks})`;
    return only(await this.#returning(table, sql, [...cells.values()].map(bound)), table.name);
  }

  async #update(table: Table, set: Cells, key: Cells): Promise<RowState[]> {
    const where = whereAll(table, key, set.size);
    const sets = [...set.keys()].map(
      (name, index) => `${quotedName(name)} = ${mark(columnOf(table, name), index + 1)}`,
    );
    const sql = `UPDATE ${table.sql} SET ${sets.join(', ')}${where.sql}`;
    return this.#returning(table, sql, [...[...set.values()].map(bound), ...where.values]);
  }

  #delete(table: Table, key: Cells): Promise<RowState[]> {
    const where = whereAll(table, key);
    return this.#returning(table, `DELETE FROM ${table.sql}${where.sql}`, where.values);
  }

  async #returning(table: Table, sql: string, values: readonly unknown[]): Promise<RowState[]> {
    return statesOf(table, await this.#run(`${sql} RETURNING ${allColumns(table)}`, values));
  }

  #run(text: string, values: readonly unknown[]): Promise<QueryArrayResult<Stored[]>> {
    return this.#client.query<Stored[]>({ text, values: [...values], rowMode: 'array', types: STORED_TYPES });
  }
}

/** The protocol counts the values of a statement in 16 bits. */
const MAX_VALUES = 65_535;

const kindOf = (step: Step | undefined): string =>
  step ? `${step.before !== undefined} ${step.after !== undefined} ${step.table}` : '';

/** One statement for steps of one kind. A row that is changed or removed has to be as it was, in every column. */
function writing(table: Table, steps: readonly Step[]): { readonly sql: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const names = table.columns.map(({ name }) => quotedName(name));
  const rowOf = (cells: Cells | undefined) =>
    table.columns.map((column) => {
      values.push(bound(cells?.get(column.name)));
      return mark(column, values.length);
    });
  const [first] = steps;
  if (!first?.before) {
    const rows = steps.map(({ after }) => `(${rowOf(after?.cells).join(', ')})`);
    return {
      sql: `INSERT INTO ${table.sql} (${names.join(', ')}) OVERRIDING SYSTEM VALUE VALUES ${rows.join(', ')}`,
      values,
    };
  }
  const rows = steps.map(({ before, after }) => {
    return `(${[...rowOf(before?.cells), ...(after ? rowOf(after.cells) : [])].join(', ')})`;
  });
  const was = names.map((_, at) => `w${at}`);
  const is = first.after ? names.map((_, at) => `i${at}`) : [];
  const same = table.columns.map((column, at) => {
    const sides = [`t.${names[at]}`, `v.${was[at]}`];
    if (table.keys.includes(column.name)) return sides.join(' = ');
    return sides.map((side) => (column.type === 'json' ? `${side}::text` : side)).join(' IS NOT DISTINCT FROM ');
  });
  const from = `(VALUES ${rows.join(', ')}) AS v (${[...was, ...is].join(', ')}) WHERE ${same.join(' AND ')}`;
  if (!first.after) return { sql: `DELETE FROM ${table.sql} AS t USING ${from}`, values };
  // An identity column takes no value, not even its own.
  const changed = table.columns.flatMap(({ name }, at) =>
    steps.some(({ before, after }) => !isSame(before?.cells.get(name), after?.cells.get(name) ?? null))
      ? [`${names[at]} = v.${is[at]}`]
      : [],
  );
  return { sql: `UPDATE ${table.sql} AS t SET ${changed.join(', ')} FROM ${from}`, values };
}

const allColumns = (table: Table): string => table.columns.map(({ name }) => quotedName(name)).join(', ');

/** `$1::text`: the type of the column, so that a value means there what it means in it. */
const mark = ({ type }: Column, at: number): string => `$${at}::${type}`;

function statesOf(table: Table, { rows }: QueryArrayResult<Stored[]>): RowState[] {
  return rows.map((row) => {
    const cells = new Map(table.columns.map((column, at) => [column.name, cellFrom(column, row[at])]));
    return { key: new Map(table.keys.map((name) => [name, cells.get(name) ?? null])), cells };
  });
}

/** Bytes and texts as they come; a system compares whole numbers as numbers. */
function cellFrom(column: Column, value: Stored | undefined): Cell {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return value;
  return column.isWhole ? BigInt(value) : value;
}

/** `WHERE` over these columns, its values after `before` others; every row where there are none. */
function whereAll(table: Table, cells: Cells, before = 0): { readonly sql: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const parts = [...cells].map(([name, cell]) => {
    const column = columnOf(table, name);
    if (cell === null) return `${quotedName(name)} IS NULL`;
    values.push(bound(cell));
    return `${quotedName(name)} = ${mark(column, before + values.length)}`;
  });
  return { sql: parts.length === 0 ? '' : ` WHERE ${parts.join(' AND ')}`, values };
}

function bound(cell: Cell | undefined): unknown {
  if (cell === undefined || cell === null) return null;
  if (isRawText(cell)) throw new InspectorError('unreadable', 'A before-image in the journal is of another engine.');
  return parameter(typeof cell === 'number' ? String(cell) : cell);
}

function isSame(a: Cell | undefined, b: Cell): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return a === b;
}
