import type { PoolClient } from 'pg';
import { run, type PostgresReader } from './open.ts';
import { storeLock, taskLock } from './locks.ts';
import type { Connections } from './pool.ts';
import { settings } from './settings.ts';

const STATEMENT_MS = 60_000;
/** Saves of one task wait for each other, and all of them for a collection. */
const LOCK_MS = 30_000;

/** Which of our own store's locks a transaction holds: of one task, or of the whole store. */
export type PostgresLock = { readonly task: string } | 'store';

/** One transaction that may write, with its locks held. Durable when it resolves, as the server's settings say. */
export async function writePostgres<T>(
  pool: Connections,
  schema: string,
  lock: PostgresLock,
  work: (writer: PostgresReader) => Promise<T>,
): Promise<T> {
  const begin = [
    'BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
    'SET LOCAL row_security = off',
    `SET LOCAL lock_timeout = ${LOCK_MS}`,
    settings(schema, STATEMENT_MS),
    ...lockStatements(schema, lock),
  ];
  return pool.use(begin.join('; '), async (client) => {
    const result = await work(writerOn(client));
    await client.query('COMMIT');
    return result;
  });
}

function lockStatements(schema: string, lock: PostgresLock): string[] {
  const store = storeLock(schema);
  if (lock === 'store') return [`SELECT pg_advisory_xact_lock(${store})`];
  return [
    `SELECT pg_advisory_xact_lock_shared(${store})`,
    `SELECT pg_advisory_xact_lock(${taskLock(schema, lock.task)})`,
  ];
}

const writerOn = (client: PoolClient): PostgresReader => ({
  query: (sql, values = [], options = {}) => run(client, sql, values, options),
});
