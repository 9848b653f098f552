import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeWithPostgres } from '../testing/describe-postgres.ts';
import { postgresForTests, type TestPostgres } from '../testing/postgres.ts';
import { postgresAddress } from './address.ts';
import { postgresChangeable, postgresColumns, postgresSchemasWith, postgresTables } from './catalog.ts';
import { openPostgres, type PostgresDatabase } from './open.ts';
import { watchPostgres } from './watch.ts';

it.each([
  ['postgres://a:b@h/db?sslmode=require&schema=x', 'postgres://a:b@h/db?sslmode=verify-full'],
  ['postgresql://h:6000/db?sslmode=no-verify', 'postgres://h:6000/db?sslmode=no-verify'],
  ['postgres://h/db?uselibpqcompat=true&sslmode=require', 'postgres://h/db?uselibpqcompat=true&sslmode=require'],
])('gives the driver %s as %s', (text, url) => {
  expect(postgresAddress(text).url).toBe(url);
});

describeWithPostgres('a database over PostgreSQL', () => {
  let db: TestPostgres;
  const open: PostgresDatabase[] = [];
  const opened = async (url = db.url, options = {}): Promise<PostgresDatabase> => {
    const database = await openPostgres(url, options);
    open.push(database);
    return database;
  };
  const at = (change: (url: URL) => void): string => {
    const url = new URL(db.url);
    change(url);
    return url.href;
  };
  beforeAll(async () => {
    db = await postgresForTests();
    await db.run(`CREATE SCHEMA "Team A"; CREATE TABLE "Team A".notes (id int PRIMARY KEY, text text);
      CREATE TABLE notes (id int PRIMARY KEY, text text); CREATE VIEW seen AS SELECT * FROM notes;
      INSERT INTO "Team A".notes VALUES (1, 'of the team')`);
  });
  afterAll(async () => {
    await Promise.all(open.map((database) => database.close()));
    await db.close();
  });

  it('reads every digit and every byte', async () => {
    const database = await opened();
    const rows = await database.query(`SELECT 9007199254740993::int8 AS big, 1.10::numeric AS exact, -7 AS small,
      '{"a": 1.0, "a": 12345678901234567890}'::json AS json, '{"a": 1.10}'::jsonb AS jsonb, decode('00ff10', 'hex') AS bytes,
      true AS yes, 0.1::float8 AS real, 'NaN'::float8 AS nan, timestamptz '2026-01-02 03:04:05.123456+02' AS time, NULL AS none,
      ARRAY['a', NULL] AS list, chr(128512) AS text`);
    expect(rows).toEqual([
      {
        big: '9007199254740993',
        exact: '1.10',
        small: -7,
        json: '{"a": 1.0, "a": 12345678901234567890}',
        jsonb: '{"a": 1.10}',
        bytes: Buffer.from([0, 255, 16]),
        yes: true,
        real: 0.1,
        nan: Number.NaN,
        time: '2026-01-02 01:04:05.123456+00',
        none: null,
        list: '{a,NULL}',
        text: '😀',
      },
    ]);
    const given = [null, true, 1.5, 12345678901234567890n, "it's", new Uint8Array([0, 255]), ['a', 'b"c']] as const;
    const sql = `SELECT $1::text AS a, $2::bool AS b, $3::float8 AS c, $4::numeric AS d, $5::text AS e, $6::bytea AS f,
      'b"c' = ANY($7::text[]) AS g`;
    expect(await database.query(sql, given)).toEqual([
      { a: null, b: true, c: 1.5, d: '12345678901234567890', e: "it's", f: Buffer.from([0, 255]), g: true },
    ]);
  });

  it('writes nothing, whatever it is asked', async () => {
    const database = await opened();
    await expect(database.query("INSERT INTO notes VALUES (9, 'x')")).rejects.toMatchObject({ code: 'read_only' });
    for (const way of ['SET transaction_read_only = off', "SELECT set_config('transaction_read_only', 'off', false)"]) {
      const daring = database.snapshot(async ({ query }) => {
        await query('SELECT 1 FROM notes');
        await query(way);
        await query("INSERT INTO notes VALUES (9, 'x')");
      });
      await expect(daring).rejects.toMatchObject({ data: { postgres: expect.stringMatching(/^250/) } });
    }
    expect(await db.run('SELECT * FROM notes')).toEqual([]);
  });

  it('takes the schema of the address, else the first of the user, and says which there are', async () => {
    const team = await opened(at((url) => url.searchParams.set('schema', 'Team A')));
    const own = await opened();
    expect([team.schema, own.schema]).toEqual(['Team A', 'public']);
    expect(await team.query('SELECT text FROM notes')).toEqual([{ text: 'of the team' }]);
    expect(await own.query('SELECT text FROM notes')).toEqual([]);
    expect(team.identity).not.toBe(own.identity);
    expect(await postgresTables(own, 'public')).toEqual(['notes']);
    expect(await postgresColumns(team, 'Team A', 'notes')).toEqual(['id', 'text']);
    expect(await postgresColumns(own, 'public', 'seen')).toEqual([]);
    expect(await postgresSchemasWith(own, ['notes'])).toEqual(['Team A', 'public']);
    await expect(opened(db.url, { schema: 'nowhere' })).rejects.toMatchObject({
      code: 'no_store',
      remedy: expect.stringContaining('Team A, public'),
    });
  });

  it('has one identity for one schema, whoever reached it, and tells who may change it', async () => {
    const reader = `inspector_reader_${process.pid}`;
    const tables = ['notes'];
    await db.run(`CREATE ROLE ${reader} LOGIN PASSWORD 'secret-of-the-reader'`);
    const first = await opened();
    const second = await opened(
      at((url) => {
        url.username = reader;
        url.password = 'secret-of-the-reader';
        url.hostname = 'localhost';
      }),
    );
    expect(await postgresChangeable(first, 'public', tables)).toBe(true);
    expect(await postgresChangeable(second, 'public', tables)).toContain(
      "doesn't have permission to change the tables notes",
    );
    await db.run(`DROP ROLE ${reader}`);
    expect(second.identity).toBe(first.identity);
    expect(first.identity).toMatch(/^postgres:\d+\/inspector_test_\w+\/public$/);
  });

  it('names what is wrong with an address, and never the password', async () => {
    const secret = 'p4ss/w@rd%';
    const wrong = at((url) => (url.password = encodeURIComponent(secret)));
    const errors = await Promise.all(
      [
        wrong,
        at((url) => (url.pathname = '/nowhere')),
        wrong.replace(/:\d+\//, ':1/'),
        wrong.replace('127.0.0.1', 'nowhere.invalid'),
        wrong.replace('127.0.0.1', 'not a host'),
        'env:NO_SUCH_DATABASE_URL',
        at((url) => url.searchParams.set('sslmode', 'no-verify')),
      ].map((url) => openPostgres(url).then(String, (error: unknown) => error)),
    );
    expect(errors).toEqual([
      expect.objectContaining({ code: 'wrong_key', remedy: expect.stringContaining('password') }),
      expect.objectContaining({ code: 'no_store', message: expect.stringContaining("doesn't exist") }),
      expect.objectContaining({ code: 'no_store', message: expect.stringContaining("doesn't answer") }),
      expect.objectContaining({ code: 'no_store', message: expect.stringContaining("doesn't answer") }),
      expect.objectContaining({ code: 'invalid_input' }),
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining('NO_SUCH_DATABASE_URL') }),
      expect.objectContaining({ code: 'unreadable', remedy: expect.stringContaining('sslmode') }),
    ]);
    const password = new URL(db.url).password;
    const said = inspect([...errors, ...open.map((database) => ({ ...database }))], { depth: 8, showHidden: true });
    for (const text of [secret, encodeURIComponent(secret), ...(password === '' ? [] : [password])])
      expect(said).not.toContain(text);
    vi.stubEnv('TEAM_DATABASE', db.url);
    expect((await opened('env:TEAM_DATABASE')).address).toBe(`${postgresAddress(db.url).shown}?schema=public`);
  });

  it('sees one moment in a snapshot, also in batches, while others write', async () => {
    const database = await opened();
    await db.run('CREATE TABLE many AS SELECT n FROM generate_series(1, 1200) n');
    const sizes = await database.snapshot(async ({ query, batches }) => {
      const before = await query('SELECT count(*) FROM many');
      await db.run('INSERT INTO many VALUES (0)');
      expect(await query('SELECT count(*) FROM many')).toEqual(before);
      const found: number[] = [];
      for await (const rows of batches('SELECT n FROM many WHERE n >= $1', [0])) found.push(rows.length);
      return found;
    });
    expect(sizes).toEqual([500, 500, 200]);
    expect(await database.query('SELECT count(*) FROM many')).toEqual([{ count: '1201' }]);
  });

  it('goes on by itself after the server ended its connections, and says busy for what was cut off', async () => {
    const database = await opened();
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'checkpoint-inspector' AND datname = current_database()`;
    await database.query('SELECT 1');
    await db.run(end);
    expect(await database.query('SELECT 2 AS two')).toEqual([{ two: 2 }]);
    const cut = database.query('SELECT pg_sleep(20)');
    const failed = expect(cut).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining('lost') });
    await expect
      .poll(() => db.run("SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(20)'"))
      .toHaveLength(1);
    await db.run(end);
    await failed;
    expect(await database.query('SELECT 3 AS three')).toEqual([{ three: 3 }]);
  });

  it('bounds the time of a statement, and gives a cancelled one up at once', async () => {
    const impatient = await opened(db.url, { statementMs: 50 });
    await expect(impatient.query('SELECT pg_sleep(20)')).rejects.toMatchObject({ code: 'busy' });
    const cancelled = new AbortController();
    const waiting = (await opened()).query('SELECT pg_sleep(2)', [], { signal: cancelled.signal });
    cancelled.abort(new Error('left the page'));
    await expect(waiting).rejects.toThrow('left the page');
    expect(await impatient.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '50ms' }]);
  });

  it('has no statement compiled that is read once', async () => {
    const database = await opened();
    expect(await database.query('SHOW jit')).toEqual([{ jit: 'off' }]);
    expect(await database.snapshot((reader) => reader.query('SHOW jit'))).toEqual([{ jit: 'off' }]);
  });

  it('refuses to read once it is closed', async () => {
    const database = await openPostgres(db.url);
    await database.close();
    await database.close();
    await expect(database.query('SELECT 1')).rejects.toMatchObject({ code: 'no_store' });
  });

  it('hears of commits to its tables at once, and of those elsewhere seldom', async () => {
    const database = await opened();
    const heard = vi.fn();
    const stop = watchPostgres(database, heard, { tables: ['notes'], pollMs: 20, unclearMs: 60_000 });
    try {
      await new Promise((resolve) => setTimeout(resolve, 100));
      heard.mockClear();
      await db.run("INSERT INTO notes VALUES (1, 'first')");
      await expect.poll(() => heard.mock.calls.length).toBe(1);
      const first = heard.mock.calls.length;
      for (let n = 0; n < 5; n++) await db.run('INSERT INTO many VALUES (0)');
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(heard.mock.calls.length - first).toBeLessThanOrEqual(1);
      const before = heard.mock.calls.length;
      // On a connection of its own, which the server counts when it ends.
      const other = await openWriter(db);
      await other("INSERT INTO notes VALUES (2, 'second')");
      await expect.poll(() => heard.mock.calls.length, { timeout: 5000 }).toBeGreaterThan(before);
    } finally {
      stop();
    }
  });
});

async function openWriter(db: TestPostgres): Promise<(sql: string) => Promise<void>> {
  const { default: pg } = await import('pg');
  return async (sql) => {
    const client = new pg.Client({ connectionString: db.url });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
}
