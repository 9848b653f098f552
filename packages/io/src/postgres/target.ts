import type { Pool } from 'pg';
import { InspectorError } from '@checkpoint-inspector/core';
import { postgresAddress, type PostgresAddress } from './address.ts';
import { connections, connectionsOf, type Connections } from './pool.ts';

/**
 * A pool of the package `pg`, as a program has it already.
 * @example import pg from 'pg'; const pool: PostgresPool = new pg.Pool({ connectionString });
 */
export interface PostgresPool {
  readonly options: object;
  connect(): Promise<unknown>;
}

/** A database: how it is reached, and what may be shown of it. */
export interface PostgresTarget {
  readonly address: PostgresAddress;
  /** A program's own; absent where the address makes one. */
  readonly pool?: Pool;
}

/** @throws InspectorError invalid_input; the message never quotes the address */
export function postgresTarget(given: string | PostgresPool): PostgresTarget {
  if (typeof given === 'string') return { address: postgresAddress(given) };
  if (!isPool(given)) throw new InspectorError('invalid_input', 'pool must be a Pool of the package pg.');
  return { address: addressOf(given.options), pool: given };
}

/** Nothing is connected yet. */
export const connect = ({ address, pool }: PostgresTarget): Promise<Connections> =>
  pool === undefined ? connections(address) : Promise.resolve(connectionsOf(pool, address));

const isPool = (pool: PostgresPool): pool is PostgresPool & Pool =>
  'query' in pool && typeof pool.query === 'function' && typeof pool.connect === 'function';

/** As the driver itself reads them; what is missing it takes from the environment. */
function addressOf(options: object): PostgresAddress {
  const given = (name: string, variable: string): string | undefined => {
    const value: unknown = Reflect.get(options, name);
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    return process.env[variable];
  };
  const written: unknown = Reflect.get(options, 'connectionString');
  if (typeof written === 'string') return postgresAddress(written);
  const user = given('user', 'PGUSER') ?? process.env['USER'] ?? '';
  const server = `${given('host', 'PGHOST') ?? 'localhost'}:${given('port', 'PGPORT') ?? '5432'}`;
  const password = given('password', 'PGPASSWORD');
  const shown = `postgres://${server}/${encodeURIComponent(given('database', 'PGDATABASE') ?? user)}`;
  return { url: shown, shown, server, secrets: password === undefined || password === '' ? [] : [password] };
}
