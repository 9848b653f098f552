import { connect, postgresTarget, storeChannel } from '@checkpoint-inspector/io';
import {
  describeWithPostgres,
  poolerForTests,
  postgresForTests,
  type TestPostgres,
} from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgresStore } from './store.ts';

const PATIENCE = { timeout: 20_000 };

describeWithPostgres('a watch over our own store in PostgreSQL', () => {
  let db: TestPostgres;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());
  const opened = async (url: string) => {
    const store = await openPostgresStore({ url: db.url, schema: 'watched' });
    const watching = await openPostgresStore({ url, schema: 'watched', readOnly: true });
    const heard: (string | undefined)[] = [];
    const unwatch = watching.watch?.(({ task }) => heard.push(task));
    const close = async () => {
      unwatch?.();
      await Promise.all([store.close(), watching.close()]);
    };
    return { store, heard, close };
  };
  const ref = { task: 'one', id: 'c1' };

  it('names the task of each save, write, removal and change', async () => {
    const { store, heard, close } = await opened(db.url);
    const isHeard = async () => {
      await store.save({ task: 'first', id: 'c', value: 1 });
      return heard.includes('first');
    };
    await expect.poll(isHeard, PATIENCE).toBe(true);
    const hears = async (work: Promise<unknown>, task: string) => {
      heard.length = 0;
      await work;
      await expect.poll(() => heard, PATIENCE).toContain(task);
    };
    await hears(store.save({ ...ref, value: 1 }), 'one');
    await hears(store.save({ ...ref, value: 1 }), 'one');
    await hears(store.saveWrites?.(ref, [{ run: 'r', index: 0, channel: 'c', text: '1' }]) ?? Promise.resolve(), 'one');
    await hears(store.save({ task: 'two', id: 'c1', value: 1 }), 'two');
    await hears(store.remove({ task: 'two', id: 'c1' }), 'two');
    await hears(db.run("DELETE FROM watched.checkpoints WHERE task = 'one'"), 'one');
    await close();
  });

  it('is what makes saves say anything: else they are committed side by side', async () => {
    const store = await openPostgresStore({ url: db.url, schema: 'unwatched' });
    const { pool } = await db.pool();
    const client = await pool.connect();
    const sent: (string | undefined)[] = [];
    client.on('notification', ({ payload }) => sent.push(payload));
    await client.query(`LISTEN "${storeChannel('unwatched')}"`);
    for (let n = 0; n < 5; n++) await store.save({ task: 'before', id: `c${n}`, value: n });
    const unwatch = store.watch?.(() => undefined);
    const isSent = async () => {
      await store.save({ task: 'after', id: 'c', value: 1 });
      return sent.includes('after');
    };
    await expect.poll(isSent, PATIENCE).toBe(true);
    expect(sent).not.toContain('before');
    unwatch?.();
    client.release(true);
    await store.close();
  });

  it('hears of saves behind a pooler too, where nothing is prepared on a connection that others get', async () => {
    const pooler = await poolerForTests(db.url);
    const { heard, store, close } = await opened(pooler.url);
    const through = await openPostgresStore({ url: pooler.url, schema: 'watched' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    heard.length = 0;
    for (let n = 0; n < 5; n++) await through.save({ task: 'one', id: `p${n}`, value: n });
    await expect.poll(() => heard.length, PATIENCE).toBeGreaterThan(0);
    expect(new Set(heard)).toEqual(new Set([undefined]));
    expect(await store.meta({ task: 'one', id: 'p4' })).toBeDefined();
    expect(await preparedOn(pooler.url)).toBe(0);
    await store.save({ task: 'one', id: 'direct', value: 1 });
    expect(await preparedOn(db.url)).toBe(1);
    await through.close();
    await close();
    await pooler.close();
  });
});

/** Statements that are kept on the connection that the stores of this address use. */
async function preparedOn(url: string): Promise<number> {
  const pool = await connect(postgresTarget(url));
  const count = await pool.use('BEGIN READ ONLY', async (client) => {
    const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM pg_prepared_statements');
    await client.query('COMMIT');
    return rows[0]?.n ?? 0;
  });
  await pool.close();
  return count;
}
