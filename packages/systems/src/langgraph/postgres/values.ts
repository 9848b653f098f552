/** Which blobs belong to which checkpoints: what a change of rows has to take along. */
import type { PostgresReader } from '@checkpoint-inspector/io';
import type { Layout } from './tables.ts';

/** One value in the table checkpoint_blobs, within its thread. */
export interface BlobKey {
  readonly ns: string;
  readonly channel: string;
  readonly version: string;
}

export const BLOBS = 'checkpoint_blobs';

/** The primary key. */
export function blobColumns(thread: string, { ns, channel, version }: BlobKey) {
  return { thread_id: thread, checkpoint_ns: ns, channel, version };
}

/** Some checkpoints of a thread. */
export type Part = readonly [thread: string, keys: readonly (readonly [ns: string, id: string])[]];

const NAMES = `c.checkpoint_ns = b.checkpoint_ns AND c.thread_id = b.thread_id
  AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version`;
const PART = '(c.checkpoint_ns, c.checkpoint_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))';

/** The blobs that these checkpoints name, and of each whether a checkpoint beside them does too. */
export async function blobsNamed(
  reader: PostgresReader,
  { checkpoints }: Layout,
  [thread, keys]: Part,
): Promise<(BlobKey & { readonly isShared: boolean })[]> {
  const sql = `SELECT b.checkpoint_ns AS ns, b.channel, b.version,
      EXISTS (SELECT FROM ${checkpoints} c WHERE ${NAMES} AND NOT ${PART}) AS "isShared"
    FROM checkpoint_blobs b WHERE b.thread_id = $1 AND EXISTS (SELECT FROM ${checkpoints} c WHERE ${NAMES} AND ${PART})
    ORDER BY 1, 2, 3`;
  const columns = [keys.map(([ns]) => ns), keys.map(([, id]) => id)];
  return reader.query<BlobKey & { isShared: boolean }>(sql, [thread, ...columns]);
}

/** What is known of the blobs of a thread. */
export interface BlobFacts {
  readonly count: number;
  /** The greatest number that was ever given as a version in the root graph; `null` where versions are not numbers. */
  readonly greatest: number | null;
  /** Several checkpoints of the root graph have the same parent. */
  readonly isBranched: boolean;
}

const NUMBER = "'^[0-9]{1,15}$'";

export async function blobFacts(reader: PostgresReader, { checkpoints }: Layout, thread: string): Promise<BlobFacts> {
  const sql = `SELECT (SELECT count(*)::int FROM checkpoint_blobs WHERE thread_id = $1) AS count,
      greatest((SELECT max(version::float8) FROM checkpoint_blobs
        WHERE thread_id = $1 AND checkpoint_ns = '' AND version ~ ${NUMBER}),
      (SELECT max(e.value::text::float8) FROM ${checkpoints} c, jsonb_each(CASE jsonb_typeof(c.checkpoint -> 'channel_versions')
        WHEN 'object' THEN c.checkpoint -> 'channel_versions' ELSE '{}'::jsonb END) e
        WHERE c.thread_id = $1 AND c.checkpoint_ns = '' AND jsonb_typeof(e.value) = 'number' AND e.value::text ~ ${NUMBER})) AS greatest,
      EXISTS (SELECT FROM ${checkpoints} c WHERE c.thread_id = $1 AND c.checkpoint_ns = ''
        GROUP BY c.parent_checkpoint_id HAVING count(*) > 1) AS "isBranched"`;
  const [row] = await reader.query<{ count: number; greatest: number | null; isBranched: boolean }>(sql, [thread]);
  return row ?? { count: 0, greatest: null, isBranched: false };
}

/** A value of the root graph. */
export type BlobName = readonly [thread: string, channel: string, version: string];

export interface StoredBlob {
  readonly type: string;
  readonly blob: Uint8Array | null;
}

const ONE_BLOB = `FROM checkpoint_blobs WHERE thread_id = $1 AND checkpoint_ns = '' AND channel = $2 AND version = $3`;

/** How a value is stored; `undefined` where there is none. */
export async function typeOfBlob(reader: PostgresReader, name: BlobName): Promise<string | undefined> {
  const [row] = await reader.query<{ type: string }>(`SELECT type ${ONE_BLOB}`, name);
  return row?.type;
}

export async function blobOf(reader: PostgresReader, name: BlobName): Promise<StoredBlob | undefined> {
  const [row] = await reader.query<{ type: string; blob: Uint8Array | null }>(`SELECT type, blob ${ONE_BLOB}`, name);
  return row;
}
