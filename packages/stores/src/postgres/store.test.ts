import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgresStore } from './store.ts';

describeWithPostgres('a schema of our own store', () => {
  let db: TestPostgres;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());
  const state = (n: number) => ({
    n,
    messages: Array.from({ length: n }, (_, at) => ({ at, text: `${at} `.repeat(90) })),
  });

  it('collects what removed checkpoints were made of, and another process continues with what is left', async () => {
    const [one, other] = [
      await openPostgresStore({ url: db.url, schema: 'collected' }),
      await openPostgresStore({ url: db.url, schema: 'collected' }),
    ];
    for (let n = 0; n < 30; n++) await one.save({ task: 't', id: `c${n}`, value: state(n) });
    await other.save({ task: 't', id: 'other', value: state(31) });
    const count = async () => Number((await db.run<{ n: string }>('SELECT count(*) AS n FROM collected.nodes'))[0]?.n);
    const before = await count();
    for (let n = 10; n < 30; n++) expect(await one.remove({ task: 't', id: `c${n}` })).toBe(true);
    await one.remove({ task: 't', id: 'other' });
    expect(await count()).toBeLessThan(before / 2);
    // It knows the nodes of a state that has gone.
    await other.save({ task: 't', id: 'last', value: state(32) });
    expect((await one.state({ task: 't', id: 'last' }))?.text).toBe(JSON.stringify(state(32)));
    for (let n = 0; n < 10; n++)
      expect((await other.state({ task: 't', id: `c${n}` }))?.text).toBe(JSON.stringify(state(n)));
    const miscounted = `SELECT task, count, bytes, updated FROM collected.tasks EXCEPT
      SELECT task, count(*), sum(size_bytes), max(created_at) FROM collected.checkpoints GROUP BY task`;
    expect(await db.run(miscounted)).toEqual([]);
    await one.close();
    await other.close();
  });

  it('refuses a schema of another program, a missing one, and what PostgreSQL keeps nowhere', async () => {
    await db.run('CREATE SCHEMA foreign_one; CREATE TABLE foreign_one.checkpoints (id int)');
    const refused = { code: 'invalid_input' };
    await expect(openPostgresStore({ url: db.url, schema: 'foreign_one' })).rejects.toMatchObject(refused);
    await expect(openPostgresStore({ url: db.url, schema: 'x'.repeat(64) })).rejects.toMatchObject(refused);
    await expect(openPostgresStore({})).rejects.toMatchObject(refused);
    const none = openPostgresStore({ url: db.url, schema: 'nowhere', readOnly: true });
    await expect(none).rejects.toMatchObject({ code: 'no_store' });
    const store = await openPostgresStore({ url: db.url, schema: 'own' });
    await expect(store.save({ task: 't', id: 'a\0', value: 1 })).rejects.toMatchObject(refused);
    await expect(store.save({ task: 't', id: 'é'.repeat(2_000), value: 1 })).rejects.toMatchObject(refused);
    const reader = await openPostgresStore({ url: db.url, schema: 'own', readOnly: true });
    await expect(reader.save({ task: 't', id: 'a', value: 1 })).rejects.toMatchObject({ code: 'read_only' });
    expect(JSON.stringify(reader.info)).not.toContain(new URL(db.url).password);
    await reader.close();
    await store.close();
  });
});
