import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { describeWithPostgres } from '../testing/describe-postgres.ts';
import { poolerForTests } from '../testing/pooler.ts';
import { postgresForTests, type TestPostgres } from '../testing/postgres.ts';
import { listenPostgres } from './listen.ts';
import { postgresTarget, type PostgresPool } from './target.ts';

/** Transactions of other tests may be under way on the same server. */
const PATIENCE = { timeout: 20_000 };

describeWithPostgres('what a program listens to', () => {
  let db: TestPostgres;
  const stops: (() => void)[] = [];
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });
  afterAll(() => db.close());

  const listen = (given: string | PostgresPool) => {
    const heard: (string | undefined)[] = [];
    const polls = { open: 0 };
    const stop = listenPostgres(postgresTarget(given), (told) => heard.push(told), {
      channel: 'a channel',
      lock: '77',
      writers: '-78',
      retryMs: 50,
      otherwise: () => {
        polls.open++;
        return () => polls.open--;
      },
    });
    stops.push(stop);
    const tell = (text: string) => db.run("SELECT pg_notify('a channel', $1)", [text]);
    return { heard, polls, tell, stop };
  };
  const LISTENING = `SELECT pid FROM pg_locks JOIN pg_database AS d ON d.oid = database
    WHERE locktype = 'advisory' AND objid = 77 AND granted AND datname = current_database()`;

  it('is what was sent, each once where it came together; polling ends', async () => {
    const { heard, polls, tell } = listen(db.url);
    await expect.poll(() => polls.open, PATIENCE).toBe(0);
    heard.length = 0;
    await db.run("SELECT pg_notify('a channel', 't' || n % 2) FROM generate_series(1, 50) AS n");
    await expect.poll(() => heard.toSorted(), PATIENCE).toEqual(['t0', 't1']);
    await tell('later');
    await expect.poll(() => heard.at(-1), PATIENCE).toBe('later');
  });

  it('is nothing any more once it was ended, also what is on its way then', async () => {
    for (let round = 0; round < 5; round++) {
      const { heard, polls, tell, stop } = listen(db.url);
      await expect.poll(() => polls.open, PATIENCE).toBe(0);
      heard.length = 0;
      await tell('late');
      stop();
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(heard).toEqual([]);
    }
  });

  it('goes on after its connection was lost, says that something may have been missed, and nothing else', async () => {
    const said = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
    const { heard, polls, tell } = listen(db.url);
    await expect.poll(() => polls.open, PATIENCE).toBe(0);
    heard.length = 0;
    await db.run(`SELECT pg_terminate_backend(pid) FROM (${LISTENING}) AS listening`);
    await expect.poll(() => heard.length, PATIENCE).toBe(2); // lost, and back
    expect(heard).toEqual([undefined, undefined]);
    expect(polls.open).toBe(0);
    await tell('after');
    await expect.poll(() => heard.at(-1), PATIENCE).toBe('after');
    expect(said.map(({ mock }) => mock.calls)).toEqual([[], []]);
    for (const spy of said) spy.mockRestore();
  });

  it('is polled while a writer is under way that may have found nobody listening, and told of its end', async () => {
    const session = await db.session();
    await session.run('BEGIN; SELECT pg_advisory_xact_lock_shared(-78)');
    const { heard, polls } = listen(db.url);
    await expect.poll(() => db.run(LISTENING), PATIENCE).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect([polls.open, heard]).toEqual([1, []]);
    await session.run('COMMIT');
    await expect.poll(() => [polls.open, heard], PATIENCE).toEqual([0, [undefined]]);
    expect(await db.run('SELECT pg_try_advisory_xact_lock(77) AS free')).toEqual([{ free: false }]);
    await session.close();
  });

  it('is polled behind a pooler, where nothing is left on a connection that others get', async () => {
    const pooler = await poolerForTests(db.url);
    const { polls } = listen(pooler.url);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(polls.open).toBe(1);
    expect(await db.run(LISTENING)).toEqual([]);
    await pooler.close();
  });

  it('takes a connection of its own where a program gave its pool of one', async () => {
    const { pool } = await db.pool({ max: 1 });
    const { heard, polls, tell } = listen(pool);
    await expect.poll(() => polls.open, PATIENCE).toBe(0);
    await pool.query('SELECT 1');
    await tell('t');
    await expect.poll(() => heard.at(-1), PATIENCE).toBe('t');
  });

  it('ends with its watcher', async () => {
    const { polls, stop } = listen(db.url);
    await expect.poll(() => polls.open, PATIENCE).toBe(0);
    stop();
    await expect.poll(() => db.run(LISTENING), PATIENCE).toEqual([]);
    const early = listen(db.url);
    early.stop();
    await new Promise((resolve) => setTimeout(resolve, 100));
    // It may just have connected: then it ends at once.
    await expect.poll(() => db.run(LISTENING), PATIENCE).toEqual([]);
    expect(early.polls.open).toBe(0);
  });
});
