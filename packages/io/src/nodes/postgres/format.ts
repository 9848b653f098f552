import { postgresColumns } from '../../postgres/catalog.ts';
import type { PostgresReader } from '../../postgres/open.ts';
import { quotedName } from '../../postgres/values.ts';
import { NODES_FORMAT, PRODUCT } from '../format.ts';

/** What our own store in a schema says of itself; `undefined` where the schema has none. */
export async function storeMetaIn(
  reader: PostgresReader,
  schema: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (!(await postgresColumns(reader, schema, 'store_meta')).includes('k')) return undefined;
  if (!(await postgresColumns(reader, schema, 'checkpoints')).includes('state_hash')) return undefined;
  const rows = await reader.query<{ k: string; v: string }>(`SELECT k, v FROM ${quotedName(schema)}.store_meta`);
  const meta = new Map(rows.map(({ k, v }) => [k, v]));
  return meta.get('product') === PRODUCT ? meta : undefined;
}

/** True for a schema of our own store whose states are nodes. */
export async function hasNodesIn(reader: PostgresReader, schema: string): Promise<boolean> {
  return Number((await storeMetaIn(reader, schema))?.get('format')) === NODES_FORMAT;
}
