import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient, PoolConfig, QueryResultRow } from 'pg';
import { stateOf } from '../postgres/errors.ts';
import { parameter, READABLE_TYPES, type PgParameter } from '../postgres/values.ts';
import { loadDump } from './postgres-dump.ts';
import { findPostgres, NO_POSTGRES, serverUrl } from './postgres-server.ts';

export { findPostgres, NO_POSTGRES };

export interface TestSession {
  run(sql: string, values?: readonly PgParameter[]): Promise<void>;
  close(): Promise<void>;
}

/** A pool as a program has it. */
export interface TestPool {
  readonly pool: Pool;
  /** Every query in turn: each was sent and answered before the next. */
  readonly sent: string[];
}

/** Tells the connections of `run` from all others. */
const OWN_NAME = 'tests';

/** A database of one test on a real server; empty at first. */
export interface TestPostgres {
  /** With user and password. */
  readonly url: string;
  /** One or more statements, as an agent would run them: may write. */
  run<Row extends QueryResultRow>(sql: string, values?: readonly PgParameter[]): Promise<Row[]>;
  /** Once nobody else is connected: a server finishes what a killed process has asked of it. */
  alone(): Promise<void>;
  /** A connection of its own, for a transaction that stays open. */
  session(): Promise<TestSession>;
  /** Ends with the database. */
  pool(options?: PoolConfig): Promise<TestPool>;
  /** What `pg_dump` wrote as text, COPY blocks included. */
  load(dump: string): Promise<void>;
  /** Drops the database, whoever is connected. */
  close(): Promise<void>;
}

/**
 * A fresh database on a real server: the one named, that of `DATABASE_URL`, or one that the tests start for themselves once
 * per run.
 * @example const db = await postgresForTests(); await db.run('CREATE TABLE t (a int)'); … await db.close();
 */
export async function postgresForTests(server?: string): Promise<TestPostgres> {
  const source = server === undefined ? findPostgres() : { url: server };
  if (!source) throw new Error(NO_POSTGRES);
  const { default: pg } = await import('pg');
  const admin = await serverUrl(source);
  const name = `inspector_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await createDatabase(admin, name);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({
    connectionString: url.href,
    max: 2,
    allowExitOnIdle: true,
    types: READABLE_TYPES,
    application_name: OWN_NAME,
  });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const pools: Pool[] = [];
  return {
    url: url.href,
    async run<Row extends QueryResultRow>(sql: string, values: readonly PgParameter[] = []) {
      const result = await pool.query<Row>(sql, values.map(parameter));
      // Several statements give several results.
      return [result].flat().at(-1)?.rows ?? [];
    },
    async alone() {
      const others = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> '${OWN_NAME}'`;
      while ((await pool.query(others)).rowCount !== 0) await sleep(20);
    },
    async session() {
      const client = new pg.Client({ connectionString: url.href });
      client.on('error', () => undefined);
      await client.connect();
      return {
        run: async (sql, values = []) => void (await client.query(sql, values.map(parameter))),
        close: () => client.end(),
      };
    },
    async pool(options = {}) {
      const own = new pg.Pool({ connectionString: url.href, allowExitOnIdle: true, ...options });
      const sent: string[] = [];
      own.on('error', () => undefined);
      own.on('connect', (client) => recordQueries(client, sent));
      pools.push(own);
      return { pool: own, sent };
    },
    async load(dump) {
      const client = await pool.connect();
      // Its settings (search_path and others) end with the connection.
      await loadDump(client, dump).finally(() => client.release(true));
    },
    async close() {
      await Promise.all([pool, ...pools].map((one) => one.end()));
      const dropped = tell(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      // Our own server goes with its tests, so nobody needs to wait.
      if ('url' in source) await dropped;
      else dropped.catch(() => undefined);
    },
  };
}

function recordQueries(client: PoolClient, sent: string[]): void {
  client.on('error', () => undefined);
  const query = client.query.bind(client) as (...given: readonly unknown[]) => unknown;
  Object.assign(client, {
    query(...given: readonly unknown[]): unknown {
      const [first] = given;
      sent.push(typeof first === 'object' && first !== null && 'text' in first ? String(first.text) : String(first));
      return query(...given);
    },
  });
}

/** Copying the files of an empty database is twice as fast as logging it; servers before 15 always do. */
async function createDatabase(admin: string, name: string): Promise<void> {
  try {
    await tell(admin, `CREATE DATABASE ${name} STRATEGY file_copy`);
  } catch (error) {
    if (stateOf(error) !== SYNTAX_ERROR) throw error;
    await tell(admin, `CREATE DATABASE ${name}`);
  }
}

const SYNTAX_ERROR = '42601';
const admins = new Map<string, Promise<Pool>>();

/** Over a connection that the tests of a process share. */
async function tell(url: string, sql: string): Promise<void> {
  const made = admins.get(url) ?? adminOf(url);
  admins.set(url, made);
  await (await made).query(sql);
}

async function adminOf(url: string): Promise<Pool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: url, max: 2, allowExitOnIdle: true });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
