import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openPostgres } from '../postgres/open.ts';
import { watchPostgres } from '../postgres/watch.ts';
import { partsOf } from './postgres-dump.ts';
import { findPostgres, serverFolder, serverUrl, withoutServer } from './postgres-server.ts';
import { describeWithPostgres } from './describe-postgres.ts';
import { postgresForTests, type TestPostgres } from './postgres.ts';

const DUMP = `\\restrict abc
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.t (id integer, text text, bytes bytea);
CREATE TABLE public.none (id integer);
COPY public.t (id, text, bytes) FROM stdin;
1	two\\nlines; and a tab\\t	\\\\x00ff
2	\\N	\\N
\\.


COPY public.none (id) FROM stdin;
\\.

ALTER TABLE ONLY public.t ADD CONSTRAINT t_pkey PRIMARY KEY (id);
\\unrestrict abc
`;

it('splits a dump into statements and the rows of each COPY', () => {
  const parts = partsOf(DUMP);
  expect(parts.map(({ rows }) => rows?.length)).toEqual([undefined, 42, 0, undefined]);
  expect(parts.map(({ sql }) => sql).join('')).not.toContain('restrict');
  expect(() => partsOf('COPY t FROM stdin;\n1\n')).toThrow('have no end');
});

it('takes DATABASE_URL before the programs of the machine, and those in PATH before all others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-programs-'));
  const made = (name: string): string => {
    const bin = join(folder, name);
    mkdirSync(bin, { recursive: true });
    for (const program of ['initdb', 'postgres']) {
      writeFileSync(join(bin, program), '');
      chmodSync(join(bin, program), 0o755);
    }
    return bin;
  };
  try {
    const path = made('path');
    const newest = [made('lib/9.6/bin'), made('lib/16/bin')][1];
    expect(findPostgres({ DATABASE_URL: 'postgres://db/x', PATH: path })).toEqual({ url: 'postgres://db/x' });
    expect(findPostgres({ PATH: `/nowhere:${path}` }, join(folder, 'lib'))).toEqual({ bin: path });
    expect(findPostgres({ PATH: '' }, join(folder, 'lib'))).toEqual({ bin: newest });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('skips tests without a server, and fails them in CI', () => {
  expect([withoutServer({}), withoutServer({ CI: 'true' })]).toEqual(['skip', 'fail']);
});

describeWithPostgres('a database for a test', () => {
  let db: TestPostgres;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());

  it('is loaded from a dump without psql', async () => {
    await db.load(DUMP);
    expect(await db.run('SELECT * FROM t ORDER BY id')).toEqual([
      { id: 1, text: 'two\nlines; and a tab\t', bytes: Buffer.from([0, 255]) },
      { id: 2, text: null, bytes: null },
    ]);
    await expect(db.load('COPY public.t (id) FROM stdin;\nx\n\\.\n')).rejects.toThrow('integer');
  });

  it('is another one for the next test, and gone after it', async () => {
    const other = await postgresForTests();
    expect(await other.run("SELECT to_regclass('t') AS t")).toEqual([{ t: null }]);
    await other.close();
    const left = () => db.run('SELECT FROM pg_database WHERE datname = $1', [new URL(other.url).pathname.slice(1)]);
    await expect.poll(left).toEqual([]);
  });

  it('has a server that ends with its owner, however that ends; a store over it says busy, and its watch tells', async () => {
    const source = findPostgres();
    if (!source || 'url' in source) return;
    const owner = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    const pid = owner.pid ?? 0;
    const database = await openPostgres(await serverUrl(source, pid));
    const heard = vi.fn();
    const stop = watchPostgres(database, heard, { tables: [], pollMs: 20 });
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    owner.kill('SIGKILL');
    const code = () => database.query('SELECT 1').then(String, (error: { code: string }) => error.code);
    await expect.poll(code, { timeout: 10_000 }).toBe('busy');
    await expect.poll(() => heard.mock.calls.length).toBeGreaterThan(0);
    await expect.poll(() => existsSync(serverFolder(pid)), { timeout: 10_000 }).toBe(false);
    stop();
    await database.close();
  });
});
