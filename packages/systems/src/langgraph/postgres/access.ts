import type { Capability } from '@checkpoint-inspector/core';
import type { PostgresReader } from '@checkpoint-inspector/io';
import { TABLES, type Layout } from './tables.ts';

/** Whether rows of the schema can be changed, and if not, why. */
export async function changeableIn(reader: PostgresReader, { isShallow }: Layout): Promise<Capability> {
  if (isShallow) return 'ShallowPostgresSaver keeps only one checkpoint per thread, so there is nothing to go back to.';
  const may = TABLES.map(
    (table) => `has_table_privilege('${table}', 'INSERT') AND has_table_privilege('${table}', 'UPDATE')
    AND has_table_privilege('${table}', 'DELETE')`,
  ).join(' AND ');
  const sql = `SELECT pg_is_in_recovery() AS standby, ${may} AS may`;
  const [row] = await reader.query<{ standby: boolean; may: boolean }>(sql);
  if (row?.standby) return 'This server is a standby, which only reads. Open the primary server.';
  return row?.may || "This user doesn't have the privileges INSERT, UPDATE and DELETE on LangGraph's tables.";
}
