import type { ClientBase, Pool, PoolClient, QueryResult } from 'pg';
import { InspectorError } from '@checkpoint-inspector/core';
import type { PostgresAddress } from './address.ts';
import { boundMessages } from './bound.ts';
import { isLost, postgresError } from './errors.ts';
import { READABLE_TYPES } from './values.ts';

/** Few: a team's database serves its agents first. */
const MAX_CONNECTIONS = 4;
const CONNECT_MS = 10_000;
const IDLE_MS = 10_000;

/** What the statements of `begin` have answered. */
export type Begun = readonly QueryResult[];
type Work<T> = (client: PoolClient, begun: Begun) => Promise<T>;

/** One pool per server, database and user; stores of several schemas share it. */
interface Shared {
  readonly pool: Pool;
  users: number;
}
const shared = new Map<string, Promise<Shared>>();

export interface Connections {
  /**
   * Runs `begin`, then the work, on one connection, which is given back afterwards and thrown away where the work failed.
   * A connection that turns out to be dead at `begin` is replaced once.
   */
  use<T>(begin: string, work: Work<T>): Promise<T>;
  /** True where nobody else uses these connections. */
  readonly isOurs: boolean;
  close(): Promise<void>;
}

/** Of a pool that a program has made for itself and ends itself. */
export function connectionsOf(pool: Pool, address: PostgresAddress): Connections {
  return { use: using(pool, address), isOurs: false, close: async () => undefined };
}

function using(pool: Pool, address: PostgresAddress): Connections['use'] {
  return async (begin, work) => {
    try {
      const { client, results } = await begun(pool, begin);
      return await given(client, () => work(client, results));
    } catch (error) {
      throw postgresError(error, address);
    }
  };
}

/** The driver is loaded by the first database that is opened. Nothing is connected yet. */
export async function connections(address: PostgresAddress): Promise<Connections> {
  const key = address.url;
  const made = shared.get(key) ?? makeShared(key);
  shared.set(key, made);
  const { pool } = await made.then((one) => {
    one.users++;
    return one;
  });
  let closed = false;
  const use = using(pool, address);
  return {
    use: async (begin, work) => {
      if (closed) throw new InspectorError('no_store', 'The store was closed.', { data: { address: address.shown } });
      return use(begin, work);
    },
    isOurs: true,
    close: async () => {
      if (closed) return;
      closed = true;
      await release(key);
    },
  };
}

const ignore = (): void => undefined;

async function makeShared(url: string): Promise<Shared> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'checkpoint-inspector',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    keepAlive: true,
    types: READABLE_TYPES,
  });
  // An idle connection that the server ends is replaced at the next use.
  pool.on('error', ignore);
  pool.on('connect', (client) => boundMessages(client.connection.stream));
  return { pool, users: 0 };
}

async function release(key: string): Promise<void> {
  const known = await shared.get(key);
  if (!known || --known.users > 0) return;
  shared.delete(key);
  await known.pool.end();
}

interface Started {
  readonly client: PoolClient;
  readonly results: Begun;
}

async function begun(pool: Pool, begin: string): Promise<Started> {
  try {
    return await begunOnce(pool, begin);
  } catch (error) {
    if (!isLost(error)) throw error;
    return begunOnce(pool, begin);
  }
}

async function begunOnce(pool: Pool, begin: string): Promise<Started> {
  const client = await pool.connect();
  // One that breaks between two statements would else end the process; the next statement fails.
  if (client.listenerCount('error') === 0) client.on('error', ignore);
  try {
    // Several statements give several results.
    const results = [await client.query({ text: begin, types: READABLE_TYPES })].flat();
    return { client, results };
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/**
 * False behind a pooler, which may give each transaction another connection: the number that it says the
 * connection has isn't the server's. `backend`: what `pg_backend_pid()` answers on it.
 * Source: https://www.postgresql.org/docs/current/protocol-message-formats.html (BackendKeyData)
 */
export function isOwnConnection(client: ClientBase, backend: unknown): boolean {
  const told: unknown = Reflect.get(client, 'processID');
  return typeof told === 'number' && told === backend;
}

async function given<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  let failed = true;
  try {
    const result = await work();
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}
