import { createHash } from 'node:crypto';
import type { QueryResultRow } from 'pg';
import { run, type PostgresReader } from './open.ts';
import { storeLock, taskLock } from './locks.ts';
import { isOwnConnection, type Connections } from './pool.ts';
import { settings } from './settings.ts';
import { READABLE_TYPES, type PgParameter } from './values.ts';

const STATEMENT_MS = 60_000;
/** Saves of one task wait for each other, and all of them for a collection. */
const LOCK_MS = 30_000;

/** Which of our own store's locks a transaction holds: of one task, or of the whole store. */
export type PostgresLock = { readonly task: string } | 'store';

/** A transaction that may write. */
export interface PostgresWriter<Looked extends QueryResultRow = QueryResultRow> extends PostgresReader {
  /** The same for a statement that is asked again and again: it is parsed once per connection, where none is shared. */
  prepared<Row extends QueryResultRow>(sql: string, values: readonly PgParameter[]): Promise<Row[]>;
  /** What `look` answered. */
  readonly looked: readonly Looked[];
  /** Asks a last question, without parameters, and commits, in one round trip. Nothing may follow. */
  commit<Row extends QueryResultRow>(sql: string): Promise<Row[]>;
}

export interface PostgresWrite {
  readonly schema: string;
  readonly lock: PostgresLock;
  /** A statement without parameters that is answered along with the beginning, once the locks are held. */
  readonly look?: string;
}

/** One transaction that may write, with its locks held. Durable when it resolves, as the server's settings say. */
export async function writePostgres<T, Looked extends QueryResultRow = QueryResultRow>(
  pool: Connections,
  { schema, lock, look }: PostgresWrite,
  work: (writer: PostgresWriter<Looked>) => Promise<T>,
): Promise<T> {
  const begin = [
    'BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
    'SET LOCAL row_security = off',
    `SET LOCAL lock_timeout = ${LOCK_MS}`,
    settings(schema, STATEMENT_MS),
    ...lockStatements(schema, lock),
    ...(look === undefined ? [] : [look]),
  ];
  return pool.use(begin.join('; '), async (client, begun) => {
    let isCommitted = false;
    const backend: unknown = begun.flatMap(({ rows }) => rows).find(({ pid }) => pid !== undefined)?.pid;
    const isOwn = pool.isOurs && isOwnConnection(client, backend);
    const result = await work({
      looked: look === undefined ? [] : (begun.at(-1)?.rows ?? []),
      query: (sql, values = [], options = {}) => run(client, sql, values, options),
      prepared: (sql, values) => run(client, sql, values, isOwn ? { name: nameOf(sql) } : {}),
      commit: async <Row extends QueryResultRow>(sql: string) => {
        // The rest of a query is left out once one of its statements fails.
        const answers = [await client.query<Row>({ text: `${sql}; COMMIT`, types: READABLE_TYPES })].flat();
        isCommitted = true;
        return answers[0]?.rows ?? [];
      },
    });
    if (!isCommitted) await client.query('COMMIT');
    return result;
  });
}

function lockStatements(schema: string, lock: PostgresLock): string[] {
  const store = storeLock(schema);
  if (lock === 'store') return [`SELECT pg_advisory_xact_lock(${store}), pg_backend_pid() AS pid`];
  return [
    `SELECT pg_advisory_xact_lock_shared(${store}), pg_backend_pid() AS pid`,
    `SELECT pg_advisory_xact_lock(${taskLock(schema, lock.task)})`,
  ];
}

const names = new Map<string, string>();

function nameOf(sql: string): string {
  const known = names.get(sql) ?? `checkpoint_inspector_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`;
  names.set(sql, known);
  return known;
}
