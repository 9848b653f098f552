import type { PostgresReader } from '../../postgres/open.ts';
import { storeLock } from '../../postgres/locks.ts';

/** Fewer removals are never worth a collection within a save. */
const LEAST = 50;
/** A collection reads every reference there is. */
const COLLECT_MS = 600_000;

/**
 * Counts what is gone or replaced. A sequence, so that two savers don't wait for each other's commit: one that is rolled
 * back has counted too, which only makes a collection come a little sooner.
 */
export const removalsSql = (more: string): string =>
  `SELECT max(nextval('removals')) AS removed FROM generate_series(1, ${more}::int)`;

/** After a removal that somebody asked for: worth collecting once a tenth of what is there has gone. */
export async function isDueAfterRemoval(writer: PostgresReader, more: number): Promise<boolean> {
  if (more === 0) return false;
  return atMost(writer, (await countRemoved(writer, more)) * 10);
}

/** After a save that evicted or replaced: rarely enough that the saves between pay for it. `removed`: already counted. */
export async function isDueAfterSave(writer: PostgresReader, more: number, removed: number): Promise<boolean> {
  if (more === 0) return false;
  // Looking at every removal would count the rows of a large store again and again.
  const isLooked = Math.floor(removed / LEAST) > Math.floor((removed - more) / LEAST);
  return isLooked && atMost(writer, removed);
}

export async function countRemoved(writer: PostgresReader, more: number): Promise<number> {
  const [row] = await writer.query<{ removed: string }>(removalsSql('$1'), [more]);
  return Number(row?.removed ?? 0);
}

/** True where the store has no more checkpoints than that. */
async function atMost(writer: PostgresReader, count: number): Promise<boolean> {
  const rows = await writer.query('SELECT FROM checkpoints LIMIT 1 OFFSET $1', [count]);
  return rows.length === 0;
}

/** True where no other writer is under way, and none can begin before this transaction ends. */
export async function isAlone(writer: PostgresReader, schema: string): Promise<boolean> {
  const [row] = await writer.query<{ alone: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS alone', [
    storeLock(schema),
  ]);
  return row?.alone === true;
}

const REMOVE_DEAD = `WITH RECURSIVE live (id) AS (
    SELECT root FROM checkpoints
    UNION
    SELECT refs.ref[1]::bigint FROM live JOIN nodes USING (id),
      LATERAL regexp_matches(body, chr(31) || '([0-9]+);', 'g') AS refs (ref)
    WHERE position(chr(31) IN body) > 0
  ) DELETE FROM nodes WHERE NOT EXISTS (SELECT FROM live WHERE live.id = nodes.id)`;

/**
 * Removes the nodes and texts that no checkpoint refers to, in the transaction of a writer that is alone. Other writers see
 * the new epoch and forget the states that they know.
 */
export async function collectIn(writer: PostgresReader): Promise<void> {
  await writer.query(`SET LOCAL statement_timeout = ${COLLECT_MS}`);
  await writer.query(REMOVE_DEAD);
  await writer.query('DELETE FROM texts WHERE NOT EXISTS (SELECT FROM checkpoints WHERE whole = texts.id)');
  await writer.query("UPDATE store_meta SET v = (v::bigint + 1)::text WHERE k = 'gc_epoch'");
  await writer.query("SELECT setval('removals', 1, false)");
}
