import type { SqliteDatabase } from './open.ts';

/** SQLite writes this for tables that hold their rows. A view or virtual table may run a query that never ends. */
const ORDINARY = "type = 'table' AND rootpage > 0 AND sql LIKE 'CREATE TABLE %'";

/** Stored columns of an ordinary table in their order; empty when there is none. Reads the schema only. */
export function tableColumns(database: SqliteDatabase, table: string): readonly string[] {
  const sql = `SELECT name FROM pragma_table_info(@table)
    WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE name = @table COLLATE NOCASE AND ${ORDINARY}) ORDER BY cid`;
  return database
    .prepare<{ name: string }>(sql)
    .all({ table })
    .map((row) => row.name);
}

/** Names of the ordinary tables, sorted. */
export function tableNames(database: SqliteDatabase): readonly string[] {
  const sql = `SELECT name FROM sqlite_schema WHERE ${ORDINARY} AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`;
  return database
    .prepare<{ name: string }>(sql)
    .all()
    .map((row) => row.name);
}

/** Columns of every ordinary table, by its name in lower case: SQLite tells no others apart. */
export function tableShapes(database: SqliteDatabase): ReadonlyMap<string, ReadonlySet<string>> {
  const sql = `SELECT lower(t.name) AS name, c.name AS column_name
    FROM (SELECT name FROM sqlite_schema WHERE ${ORDINARY}) AS t, pragma_table_info(t.name) AS c`;
  const shapes = new Map<string, Set<string>>();
  for (const row of database.prepare<{ name: string; column_name: string }>(sql).all())
    shapes.set(row.name, (shapes.get(row.name) ?? new Set()).add(row.column_name));
  return shapes;
}
