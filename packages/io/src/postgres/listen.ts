import { Socket } from 'node:net';
import type { Client } from 'pg';
import type { Unwatch } from '@checkpoint-inspector/core';
import { boundMessages } from './bound.ts';
import { isOwnConnection } from './pool.ts';
import type { PostgresTarget } from './target.ts';
import { quotedName } from './values.ts';

const CONNECT_MS = 10_000;
const RETRY_MS = 2_000;
/** A connection whose other end has gone without a word is noticed after so long. */
const PROBE_MS = 15_000;
const SETTLE_MS = 200;
/** Transactions that hold an advisory lock. Its 64 bits are two columns. */
const HOLDERS = `SELECT virtualtransaction AS holder FROM pg_locks JOIN pg_database AS d ON d.oid = database
  WHERE locktype = 'advisory' AND granted AND datname = current_database()
    AND (classid::bigint << 32) | objid::bigint = $1::bigint`;
/** What comes in between is told together. */
const TOGETHER_MS = 50;

export interface PostgresListenOptions {
  readonly channel: string;
  /** An advisory lock that is held together while somebody listens. Who finds it free may send nothing. */
  readonly lock: string;
  /** An advisory lock that writers hold while they write. */
  readonly writers: string;
  /** Whatever is told while nobody can listen. */
  readonly otherwise: (onChange: () => void) => Unwatch;
  readonly retryMs?: number;
  readonly probeMs?: number;
}

/**
 * Calls `onChange` with what is sent to the channel, and with nothing whenever something may have been missed. Listens on a
 * connection of its own, which is made again when it is lost; until then, and behind a pooler, `otherwise`
 * tells; also while writers are under way that began before somebody listened. Doesn't keep the process alive.
 * Source: https://www.postgresql.org/docs/current/sql-listen.html
 */
export function listenPostgres(
  target: PostgresTarget,
  onChange: (told?: string) => void,
  options: PostgresListenOptions,
): Unwatch {
  const listening = new Listening(target, onChange, options);
  void listening.begin();
  return () => listening.stop();
}

class Listening {
  readonly #target: PostgresTarget;
  readonly #onChange: (told?: string) => void;
  readonly #options: PostgresListenOptions;
  readonly #told = new Set<string>();
  #client: Client | undefined;
  #otherwise: Unwatch | undefined;
  #retry: NodeJS.Timeout | undefined;
  #probe: NodeJS.Timeout | undefined;
  #settling: NodeJS.Timeout | undefined;
  #telling: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(target: PostgresTarget, onChange: (told?: string) => void, options: PostgresListenOptions) {
    this.#target = target;
    this.#onChange = onChange;
    this.#options = options;
    this.#otherwise = options.otherwise(() => onChange());
  }

  async begin(): Promise<void> {
    const client = await this.#connected().catch(() => undefined);
    if (this.#isStopped) return end(client);
    if (client === 'shared') return;
    if (client === undefined) return this.#later();
    this.#client = client;
    this.#settle(client);
    this.#probe = setInterval(() => {
      client.query('SELECT 1').catch(() => end(client));
    }, this.#options.probeMs ?? PROBE_MS).unref();
  }

  /** Writers that found nobody listening send nothing: those are over before `otherwise` ends. */
  #settle(client: Client, first?: ReadonlySet<string>): void {
    const look = async (): Promise<void> => {
      const { rows } = await client.query<{ holder: string }>(HOLDERS, [this.#options.writers]);
      if (client !== this.#client || this.#isStopped) return;
      const now = rows.map(({ holder }) => holder);
      const before = first ?? new Set(now);
      if (now.some((holder) => before.has(holder))) return this.#settle(client, before);
      this.#otherwise?.();
      this.#otherwise = undefined;
      this.#onChange();
    };
    const ms = first === undefined ? 0 : SETTLE_MS;
    this.#settling = setTimeout(() => void look().catch(() => end(client)), ms).unref();
  }

  stop(): void {
    this.#isStopped = true;
    this.#otherwise?.();
    for (const timer of [this.#retry, this.#probe, this.#settling, this.#telling]) clearTimeout(timer);
    end(this.#client);
  }

  async #connected(): Promise<Client | 'shared'> {
    const { default: pg } = await import('pg');
    const { pool, address } = this.#target;
    const client = new pg.Client({
      ...(pool === undefined ? { connectionString: address.url } : withPassword(pool.options)),
      application_name: 'checkpoint-inspector',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
      keepAlive: true,
    });
    // It ends after it, which is where it is seen to.
    client.on('error', () => undefined);
    try {
      await client.connect();
      boundMessages(client.connection.stream);
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      if (!isOwnConnection(client, rows[0]?.pid)) {
        end(client);
        return 'shared';
      }
      client.on('notification', ({ payload = '' }) => this.#tell(payload));
      await client.query('SELECT pg_advisory_lock_shared($1)', [this.#options.lock]);
      await client.query(`LISTEN ${quotedName(this.#options.channel)}`);
      client.once('end', () => this.#lost(client));
      if (client.connection.stream instanceof Socket) client.connection.stream.unref();
      return client;
    } catch (error) {
      end(client);
      throw error;
    }
  }

  #lost(client: Client): void {
    if (this.#isStopped || client !== this.#client) return;
    this.#client = undefined;
    clearInterval(this.#probe);
    clearTimeout(this.#settling);
    this.#otherwise ??= this.#options.otherwise(() => this.#onChange());
    this.#onChange();
    this.#later();
  }

  #later(): void {
    this.#retry = setTimeout(() => void this.begin(), this.#options.retryMs ?? RETRY_MS).unref();
  }

  #tell(payload: string): void {
    if (this.#isStopped) return;
    this.#told.add(payload);
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      const all = [...this.#told];
      this.#told.clear();
      for (const told of all) this.#onChange(told);
    }, TOGETHER_MS).unref();
  }
}

/** A pool hides its password from whoever lists its options. */
const withPassword = <T extends { readonly password?: unknown }>(options: T): T => ({
  ...options,
  ...(options.password === undefined ? {} : { password: options.password }),
});

/** Whatever becomes of it: nobody waits for it. */
function end(client: Client | 'shared' | undefined): void {
  if (typeof client === 'object') client.end().catch(() => undefined);
}
