import { InspectorError } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '../../sqlite/index.ts';

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
    throw new InspectorError('unsupported', `"${table}" is no ordinary table of this database.`, { data: { table } });
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
  if (name.includes('\0')) throw new InspectorError('invalid_input', 'A table or column name holds a NUL.');
  return `"${name.replaceAll('"', '""')}"`;
}
