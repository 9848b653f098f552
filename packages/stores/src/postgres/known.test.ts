import { KnownNodes, openPostgres, type PostgresDatabase } from '@checkpoint-inspector/io';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { readState } from './read.ts';
import { openPostgresStore } from './store.ts';

describeWithPostgres('states that share what was read before', () => {
  let db: TestPostgres;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());

  const state = (n: number, word = 'message') => ({
    n,
    messages: Array.from({ length: 300 + n }, (_, at) => `${word} ${at} `.repeat(60)),
  });
  const ref = (id: string) => ({ task: 't', id });

  async function opened(schema: string): Promise<PostgresDatabase> {
    const database = await openPostgres(db.url, { schema });
    onTestFinished(() => database.close());
    return database;
  }
  /** Rows that a read takes. */
  async function reading(database: PostgresDatabase, id: string, known: KnownNodes) {
    return database.snapshot(async (reader) => {
      const query = vi.spyOn(reader, 'query');
      const found = await readState(reader, ref(id), known);
      const answers = await Promise.all(query.mock.results.map(({ value }) => value as Promise<unknown[]>));
      return { text: found?.text, rows: answers.reduce((sum, rows) => sum + rows.length, 0) };
    });
  }

  it('are read in a few rows, also several at a time, and are what was saved', async () => {
    const store = await openPostgresStore({ url: db.url, schema: 'near' });
    for (let n = 0; n < 20; n++) await store.save({ ...ref(`c${n}`), value: state(n) });
    const database = await opened('near');
    const known = new KnownNodes();
    const first = await reading(database, 'c10', known);
    const next = await reading(database, 'c11', known);
    expect([first.text, next.text]).toEqual([JSON.stringify(state(10)), JSON.stringify(state(11))]);
    expect(next.rows).toBeLessThan(first.rows / 8);
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => store.state(ref(`c${n}`))));
    expect(all.map((one) => one?.text)).toEqual(Array.from({ length: 20 }, (_, n) => JSON.stringify(state(n))));
    await store.close();
  });

  it('are read again after a collection, in a schema that was made again, and where ids were given away again', async () => {
    const store = await openPostgresStore({ url: db.url, schema: 'again' });
    for (let n = 0; n < 5; n++) await store.save({ ...ref(`c${n}`), value: state(n) });
    const known = new KnownNodes();
    const first = await reading(await opened('again'), 'c4', known);
    for (let n = 0; n < 5; n++) await store.remove(ref(`c${n}`));
    for (let n = 0; n < 5; n++) await store.save({ ...ref(`c${n}`), value: state(n, 'other') });
    const collected = await reading(await opened('again'), 'c4', known);
    expect([collected.text, collected.rows]).toEqual([JSON.stringify(state(4, 'other')), first.rows + 1]);
    await store.close();

    await db.run('DROP SCHEMA again CASCADE');
    const made = await openPostgresStore({ url: db.url, schema: 'again' });
    for (let n = 0; n < 5; n++) await made.save({ ...ref(`c${n}`), value: state(n, 'third') });
    expect((await reading(await opened('again'), 'c4', known)).text).toBe(JSON.stringify(state(4, 'third')));
    // As after a crash of a server that acknowledges what it may still lose.
    await db.run(`DELETE FROM again.nodes; DELETE FROM again.checkpoints;
      ALTER TABLE again.nodes ALTER COLUMN id RESTART`);
    await made.close();
    const late = await openPostgresStore({ url: db.url, schema: 'again' });
    for (let n = 0; n < 5; n++) await late.save({ ...ref(`c${n}`), value: state(n, 'last') });
    expect((await reading(await opened('again'), 'c4', known)).text).toBe(JSON.stringify(state(4, 'last')));
    await late.close();
  });
});
