import type { PoolClient, QueryResultRow } from 'pg';
import { InspectorError, untilAborted, type CallOptions } from '@checkpoint-inspector/core';
import type { PostgresAddress } from './address.ts';
import { openingError } from './errors.ts';
import { keepPlace } from './places.ts';
import type { Connections } from './pool.ts';
import { settings } from './settings.ts';
import { connect, postgresTarget, type PostgresPool, type PostgresTarget } from './target.ts';
import { parameter, READABLE_TYPES, type PgParameter } from './values.ts';

const READ_ONLY = 'BEGIN TRANSACTION READ ONLY';
const STATEMENT_MS = 30_000;
const BATCH_ROWS = 500;
/** Since then a server may compile a statement before it runs it: ours are short, and compiling takes longer than most. */
const COMPILES = 110_000;

/** Reads; every value as `PgValue` says. */
export interface PostgresReader {
  query<Row extends QueryResultRow>(
    sql: string,
    values?: readonly PgParameter[],
    options?: CallOptions,
  ): Promise<Row[]>;
}

/** Several reads that see the same moment. */
export interface PostgresSnapshot extends PostgresReader {
  /** Long lists, some hundred rows at a time. */
  batches<Row extends QueryResultRow>(
    sql: string,
    values?: readonly PgParameter[],
    options?: CallOptions,
  ): AsyncIterable<Row[]>;
}

/** A schema of a database, opened for reading. */
export interface PostgresDatabase extends PostgresReader {
  /** Host, port, database and schema: what may be shown. */
  readonly address: string;
  readonly schema: string;
  /** Server, database and schema, whatever way leads there; names no user. Engines take it as their place. */
  readonly identity: string;
  /** As `server_version_num`: 150018 is 15.18. */
  readonly version: number;
  /** REPEATABLE READ, READ ONLY. Ends with the work; locks nothing that a writer waits for. */
  snapshot<T>(work: (reader: PostgresSnapshot) => Promise<T>, options?: CallOptions): Promise<T>;
  close(): Promise<void>;
}

export interface PostgresOptions {
  /** Instead of the address's `?schema=`; the user's own first schema where neither names one. */
  readonly schema?: string;
  /** Longest time of one statement; 30 s. */
  readonly statementMs?: number;
}

/**
 * Opens a database by `postgres://user:password@host:port/database?schema=name`, by `env:NAME` that holds one, or over a
 * program's own pool, which stays open.
 * Each statement runs in a transaction of its own that is READ ONLY, with its settings: they hold behind a pooler too.
 * @throws InspectorError no_store | wrong_key | busy | invalid_input; no error, address or identity has the password
 */
export async function openPostgres(
  given: string | PostgresPool,
  options: PostgresOptions = {},
): Promise<PostgresDatabase> {
  const target = postgresTarget(given);
  const { address } = target;
  const pool = await connect(target);
  try {
    const about = await lookAround(pool, address, options.schema ?? address.schema);
    return database(target, pool, about, options.statementMs ?? STATEMENT_MS);
  } catch (error) {
    await pool.close();
    throw openingError(error, address);
  }
}

interface About {
  readonly schema: string;
  readonly version: number;
  readonly identity: string;
}

interface AboutRow {
  readonly database: string;
  readonly version: string;
  readonly schema: string | null;
  readonly known: boolean;
}

async function lookAround(pool: Connections, address: PostgresAddress, wanted: string | undefined): Promise<About> {
  const sql = `SELECT current_database() AS database, current_setting('server_version_num') AS version,
    coalesce($1::text, current_schema(), 'public') AS schema,
    EXISTS (SELECT FROM pg_namespace WHERE nspname = coalesce($1::text, current_schema(), 'public')) AS known`;
  const [row] = await pool.use(READ_ONLY, (client) =>
    committed(client, () => run<AboutRow>(client, sql, [wanted ?? null])),
  );
  if (!row) throw new InspectorError('unreadable', `${address.shown}: the server gave no answer about itself.`);
  const schema = row.schema ?? 'public';
  if (!row.known) throw await noSchema(pool, address, schema);
  const cluster = (await systemId(pool)) ?? address.server;
  const identity = `postgres:${[cluster, row.database, schema].map(encodeURIComponent).join('/')}`;
  return { schema, version: Number(row.version), identity };
}

/** The cluster's own number; some services do not tell it. */
async function systemId(pool: Connections): Promise<string | undefined> {
  const sql = 'SELECT system_identifier::text AS id FROM pg_control_system()';
  try {
    const [row] = await pool.use(READ_ONLY, (client) => committed(client, () => run<{ id: string }>(client, sql, [])));
    return row?.id;
  } catch (error) {
    if (InspectorError.is(error) && error.code === 'busy') throw error;
    return undefined;
  }
}

async function noSchema(pool: Connections, address: PostgresAddress, schema: string): Promise<InspectorError> {
  const sql = `SELECT nspname AS name FROM pg_namespace
    WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' ORDER BY nspname LIMIT 20`;
  const rows = await pool.use(READ_ONLY, (client) => committed(client, () => run<{ name: string }>(client, sql, [])));
  return new InspectorError('no_store', `${address.shown}: the database has no schema "${schema}".`, {
    remedy: `Name one of its schemas with ?schema=: ${rows.map(({ name }) => name).join(', ')}.`,
    data: { address: address.shown, schema },
  });
}

function database(target: PostgresTarget, pool: Connections, about: About, statementMs: number): PostgresDatabase {
  const { address } = target;
  const local = `${settings(about.schema, statementMs)}${about.version >= COMPILES ? '; SET LOCAL jit = off' : ''}`;
  const inTransaction = <T>(begin: string, { signal }: CallOptions, work: (client: PoolClient) => Promise<T>) =>
    untilAborted(signal, () => pool.use(`${begin}; ${local}`, (client) => committed(client, () => work(client))));
  const forget = keepPlace(about.identity, { ...target, schema: about.schema });
  const shown = `postgres://${address.server}${new URL(address.url).pathname}`;
  return {
    ...about,
    address: `${shown}?schema=${encodeURIComponent(about.schema)}`,
    query: <Row extends QueryResultRow>(sql: string, values: readonly PgParameter[] = [], options: CallOptions = {}) =>
      inTransaction(READ_ONLY, options, (client) => run<Row>(client, sql, values, options)),
    snapshot: (work, options = {}) =>
      inTransaction('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY', options, (client) =>
        work(snapshotOn(client)),
      ),
    close: async () => {
      forget();
      await pool.close();
    },
  };
}

function snapshotOn(client: PoolClient): PostgresSnapshot {
  let cursors = 0;
  return {
    query: (sql, values = [], options = {}) => run(client, sql, values, options),
    async *batches<Row extends QueryResultRow>(
      sql: string,
      values: readonly PgParameter[] = [],
      options: CallOptions = {},
    ): AsyncIterable<Row[]> {
      const name = `batches_${cursors++}`;
      await run(client, `DECLARE ${name} NO SCROLL CURSOR FOR ${sql}`, values, options);
      for (;;) {
        const rows = await run<Row>(client, `FETCH ${BATCH_ROWS} FROM ${name}`, [], options);
        if (rows.length > 0) yield rows;
        if (rows.length < BATCH_ROWS) break;
      }
      await run(client, `CLOSE ${name}`, []);
    },
  };
}

/** The transaction of a connection that fails ends with it. */
async function committed<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  const result = await work();
  await client.query('COMMIT');
  return result;
}

export async function run<Row extends QueryResultRow>(
  client: PoolClient,
  sql: string,
  values: readonly PgParameter[],
  { signal, name }: CallOptions & { readonly name?: string } = {},
): Promise<Row[]> {
  signal?.throwIfAborted();
  const { rows } = await client.query<Row>({
    text: sql,
    values: values.map(parameter),
    types: READABLE_TYPES,
    ...(name === undefined ? {} : { name }),
  });
  return rows;
}
