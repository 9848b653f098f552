import { postgresAddress } from './address.ts';
import type { PostgresReader } from './open.ts';

/** Names of the schema's ordinary tables, partitioned ones among them, sorted. A view may run a query that never ends. */
export async function postgresTables(reader: PostgresReader, schema: string): Promise<readonly string[]> {
  const sql = `SELECT relname AS name FROM pg_class
    WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND relkind IN ('r', 'p') ORDER BY 1`;
  return (await reader.query<{ name: string }>(sql, [schema])).map(({ name }) => name);
}

/** Columns of an ordinary table in their order; empty where there is none. */
export async function postgresColumns(
  reader: PostgresReader,
  schema: string,
  table: string,
): Promise<readonly string[]> {
  const sql = `SELECT attname AS name FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attrelid = (
      SELECT oid FROM pg_class WHERE relname = $2 AND relkind IN ('r', 'p')
        AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
    ) ORDER BY attnum`;
  return (await reader.query<{ name: string }>(sql, [schema, table])).map(({ name }) => name);
}

/** Schemas that have all of these tables and that this user may look into, sorted. */
export async function postgresSchemasWith(
  reader: PostgresReader,
  tables: readonly string[],
): Promise<readonly string[]> {
  const sql = `SELECT nspname AS name FROM pg_namespace JOIN pg_class ON relnamespace = pg_namespace.oid
    WHERE relkind IN ('r', 'p') AND relname = ANY($1) AND has_schema_privilege(pg_namespace.oid, 'usage')
    GROUP BY nspname HAVING count(*) = cardinality($1::text[]) ORDER BY nspname`;
  return (await reader.query<{ name: string }>(sql, [tables])).map(({ name }) => name);
}

/** The same, but only the schema that the address names, if it names one. */
export async function postgresSchemasOf(
  reader: PostgresReader,
  url: string,
  tables: readonly string[],
): Promise<readonly string[]> {
  const { schema } = postgresAddress(url);
  const all = await postgresSchemasWith(reader, tables);
  return schema === undefined ? all : all.filter((name) => name === schema);
}

/** Whether this user may change rows of these tables; a text says why not. */
export async function postgresChangeable(
  reader: PostgresReader,
  schema: string,
  tables: readonly string[],
): Promise<true | string> {
  const sql = `SELECT pg_is_in_recovery() AS standby, (
      SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class
      WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND relname = ANY($2)
        AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
          AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
    ) AS denied`;
  const [row] = await reader.query<{ standby: boolean; denied: string | null }>(sql, [schema, tables]);
  if (row?.standby === true) return 'This server is a standby, which can only be read.';
  if (row?.denied) return `This user doesn't have permission to change the tables ${row.denied}.`;
  return true;
}
