import type { SqliteDatabase } from './open.ts';

/**
 * Names of a table's columns in their order; empty when there is no such table. Reads the schema only.
 * @example tableColumns(db, 'checkpoints') // ['thread_id', 'checkpoint_ns', …]
 */
export function tableColumns(database: SqliteDatabase, table: string): readonly string[] {
  const rows = database.prepare<{ name: string }>('SELECT name FROM pragma_table_info(?) ORDER BY cid').all(table);
  return rows.map((row) => row.name);
}

/** Names of the ordinary tables, sorted. */
export function tableNames(database: SqliteDatabase): readonly string[] {
  const sql =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
  return database
    .prepare<{ name: string }>(sql)
    .all()
    .map((row) => row.name);
}
