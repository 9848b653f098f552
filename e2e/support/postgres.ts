/** A database on a real PostgreSQL server: the one of DATABASE_URL, else one that runs as long as this process. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Ends with the process that it is told of. */
const KEEPER = resolve(import.meta.dirname, '../../packages/io/src/testing/postgres-keeper.mjs');
const DEBIAN = '/usr/lib/postgresql';
const START_MS = 60_000;

export const NO_POSTGRES = 'no PostgreSQL server: set DATABASE_URL, or install PostgreSQL';

export interface TestDatabase {
  readonly url: string;
  /** Rows of a query, each as one text. */
  lines(sql: string): Promise<string[]>;
  close(): Promise<void>;
}

export function hasPostgres(): boolean {
  return (process.env['DATABASE_URL'] ?? '') !== '' || programs() !== undefined;
}

/** A database of its own with what `pg_dump` wrote, COPY blocks included. */
export async function databaseOf(dump: string): Promise<TestDatabase> {
  const admin = await serverUrl();
  const name = `inspector_e2e_${process.pid}_${randomBytes(4).toString('hex')}`;
  await once(admin, (client) => client.query(`CREATE DATABASE ${name}`));
  const address = new URL(admin);
  address.pathname = `/${name}`;
  const url = address.href;
  await once(url, (client) => load(client, dump));
  return {
    url,
    lines: async (sql) => {
      const { rows } = await once(url, (client) => client.query<[unknown]>({ text: sql, rowMode: 'array' }));
      return rows.map(([cell]) => String(cell));
    },
    close: async () => void (await once(admin, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`))),
  };
}

async function once<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const COPY = /^COPY (\S+) \(([^)]*)\) FROM stdin;\n([\s\S]*?)^\\\.\n/gm;

async function load(client: pg.Client, dump: string): Promise<void> {
  let at = 0;
  for (const copy of dump.matchAll(COPY)) {
    await client.query(statements(dump.slice(at, copy.index)));
    at = copy.index + copy[0].length;
    const [, table = '', columns = '', rows = ''] = copy;
    const marks = columns.split(',').map((_, n) => `$${n + 1}`);
    for (const line of rows.split('\n').filter((row) => row !== '')) {
      await client.query(`INSERT INTO ${table} (${columns}) VALUES (${marks.join(', ')})`, line.split('\t').map(cell));
    }
  }
  await client.query(statements(dump.slice(at)));
}

/** `\restrict` and the like are for psql alone. */
const statements = (sql: string): string => sql.replaceAll(/^\\.*$/gm, '');

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** As COPY writes a cell. */
function cell(text: string): string | null {
  return text === String.raw`\N` ? null : text.replaceAll(/\\(.)/g, (_, one: string) => ESCAPES[one] ?? one);
}

let server: Promise<string> | undefined;

/** The workers of a run have a server each, started by the first test that asks. */
function serverUrl(): Promise<string> {
  const known = process.env['DATABASE_URL'] ?? '';
  server ??= known === '' ? startServer() : Promise.resolve(known);
  return server;
}

async function startServer(): Promise<string> {
  const bin = programs();
  if (bin === undefined) throw new Error(NO_POSTGRES);
  const folder = mkdtempSync(join(tmpdir(), `inspector-${process.getuid?.() ?? 'user'}-postgres-`));
  const account = process.getuid?.() === 0 ? unprivileged() : undefined;
  const options = JSON.stringify({ bin, folder, owner: process.pid, account });
  spawn(process.execPath, [KEEPER, options], { detached: true, stdio: 'ignore' }).unref();
  for (const until = Date.now() + START_MS; Date.now() < until; await sleep(50)) {
    if (existsSync(join(folder, 'failed.txt'))) throw new Error(readFileSync(join(folder, 'failed.txt'), 'utf8'));
    if (!existsSync(join(folder, 'ready.json'))) continue;
    const ready = JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8')) as { port: number; password: string };
    return `postgres://postgres:${ready.password}@127.0.0.1:${ready.port}/postgres`;
  }
  throw new Error('The PostgreSQL of the tests did not start.');
}

/** The folder of the machine's own programs. */
function programs(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...versions.map((one) => join(DEBIAN, one, 'bin'))];
  const found = folders.find(
    (folder) => folder !== '' && ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
  );
  return found === undefined ? undefined : dirname(realpathSync(join(found, 'postgres')));
}

/** PostgreSQL does not run as root. */
function unprivileged(): { uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] = ['postgres', 'nobody'].flatMap((name) => users.find((user) => user[0] === name) ?? []);
  return { uid: Number(uid), gid: Number(gid) };
}
