/** Behind a pooler, the next transaction may be on another connection: nothing of one may stay on it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresEngine } from '../engines/postgres/index.ts';
import { postgresJob } from '../engines/rows/job.ts';
import { describeWithPostgres } from '../testing/describe-postgres.ts';
import { postgresForTests, type TestPostgres } from '../testing/postgres.ts';
import { postgresAddress } from './address.ts';
import { openPostgres, type PostgresDatabase } from './open.ts';
import { connections } from './pool.ts';

const STATE = `SELECT (SELECT count(*)::int FROM pg_prepared_statements) AS prepared,
  (SELECT count(*)::int FROM pg_cursors) AS cursors, (SELECT count(*)::int FROM pg_listening_channels()) AS channels,
  (SELECT count(*)::int FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS locks,
  (SELECT count(*)::int FROM pg_class WHERE relpersistence = 't') AS tables,
  (SELECT string_agg(name || '=' || setting, ', ' ORDER BY name) FROM pg_settings
    WHERE source = 'session' AND name NOT IN ('application_name', 'client_encoding')) AS settings`;

describeWithPostgres('a pooler that gives out connections by the transaction', () => {
  let db: TestPostgres;
  let database: PostgresDatabase;
  beforeAll(async () => {
    db = await postgresForTests();
    await db.run(
      'CREATE TABLE rows (id text PRIMARY KEY, n int); INSERT INTO rows SELECT n, n FROM generate_series(1, 1200) n',
    );
    database = await openPostgres(db.url);
  });
  afterAll(async () => {
    await database.close();
    await db.close();
  });

  it('finds nothing on a connection that reading and changing have left', async () => {
    await Promise.all([
      database.query('SELECT 1'),
      database.query('SELECT $1::text', ['x']),
      database.query('SELECT 2'),
    ]);
    const batches = await database.snapshot(async (reader) => {
      const sizes: number[] = [];
      for await (const rows of reader.batches('SELECT * FROM rows')) sizes.push(rows.length);
      return sizes;
    });
    expect(batches).toEqual([500, 500, 200]);
    await expect(database.query('SELECT nothing')).rejects.toThrow();
    const job = postgresJob(database.identity, ['t']).update('rows', { id: '7' }, { n: 0 });
    await postgresEngine.apply(job, { tag: 'test', prepared: () => undefined });

    const pool = await connections(postgresAddress(db.url));
    const seen = await Promise.all(
      Array.from({ length: 4 }, () =>
        pool.use('BEGIN', async (client) => {
          const { rows } = await client.query(STATE);
          await client.query('SELECT pg_sleep(0.05)');
          await client.query('COMMIT');
          return rows[0] as unknown;
        }),
      ),
    );
    await pool.close();
    const nothing = { prepared: 0, cursors: 0, channels: 0, locks: 0, tables: 0, settings: null };
    expect(seen).toEqual([nothing, nothing, nothing, nothing]);
  });
});
