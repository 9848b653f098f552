import type { PoolClient } from 'pg';
import { InspectorError } from '@checkpoint-inspector/core';
import { quotedName } from '../../postgres/values.ts';

export interface Column {
  readonly name: string;
  /** As SQL writes it, without a length: what does not fit is an error then, never cut. */
  readonly type: string;
  /** Whole numbers of 16, 32 and 64 bits. */
  readonly isWhole: boolean;
  /** The database gives it a value of its own at an insert. */
  readonly isSerial: boolean;
}

/** What a row op needs to know of a table. */
export interface Table {
  readonly name: string;
  /** Quoted, with its schema. */
  readonly sql: string;
  /** Columns that can be written: no generated ones. */
  readonly columns: readonly Column[];
  /** The primary key, in its order. */
  readonly keys: readonly string[];
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly whole: boolean;
  readonly serial: boolean;
  readonly generated: boolean;
  readonly at: number | null;
}

const COLUMNS = `SELECT attname AS name, format_type(atttypid, -1) AS type, atttypid IN (20, 21, 23) AS whole,
    pg_get_serial_sequence(format('%I.%I', $1::text, $2::text), attname) IS NOT NULL AS serial,
    attgenerated <> '' AS generated, array_position(indkey::int2[], attnum) AS at
  FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace AND nspname = $1
  JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
  LEFT JOIN pg_index ON indrelid = pg_class.oid AND indisprimary
  WHERE relname = $2 AND relkind IN ('r', 'p') ORDER BY attnum`;

/** @throws InspectorError unsupported: no ordinary table, or one without primary key */
export async function readTable(client: PoolClient, schema: string, name: string): Promise<Table> {
  const { rows } = await client.query<ColumnRow>(COLUMNS, [schema, name]);
  if (rows.length === 0) throw unsupported(name, `"${name}" isn't an ordinary table in schema "${schema}".`);
  const inKey = rows.filter(({ at }) => at !== null).sort((a, b) => Number(a.at) - Number(b.at));
  if (inKey.length === 0) throw unsupported(name, `"${name}" has no primary key to find its rows by.`);
  return {
    name,
    sql: `${quotedName(schema)}.${quotedName(name)}`,
    columns: rows
      .filter(({ generated }) => !generated)
      .map((row) => ({ name: row.name, type: row.type, isWhole: row.whole, isSerial: row.serial })),
    keys: inKey.map((row) => row.name),
  };
}

/** @throws InspectorError unsupported */
export function columnOf(table: Table, name: string): Column {
  const column = table.columns.find((one) => one.name === name);
  if (column) return column;
  throw unsupported(table.name, `Table "${table.name}" has no column "${name}".`);
}

function unsupported(table: string, message: string): InspectorError {
  return new InspectorError('unsupported', message, { data: { table } });
}
