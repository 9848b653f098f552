import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgresStore, type PostgresStore } from './store.ts';

describeWithPostgres('a save to PostgreSQL', () => {
  let db: TestPostgres;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());
  const opened = async (schema: string, maxPerTask?: number) => {
    const { pool, sent } = await db.pool();
    const store = await openPostgresStore({ pool, schema, ...(maxPerTask === undefined ? {} : { maxPerTask }) });
    const queriesOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = sent.length;
      await work();
      return sent.length - before;
    };
    return { store, queriesOf };
  };
  const state = (n: number) => ({
    n,
    messages: Array.from({ length: n }, (_, at) => ({ at, text: `${at} `.repeat(90) })),
  });
  const save = (store: PostgresStore, n: number) => store.save({ task: 't', id: `c${n}`, value: state(n) });

  it('goes to the server three times, however long the task and the state', async () => {
    const { store, queriesOf } = await opened('counted');
    await save(store, 1);
    for (let n = 2; n < 40; n++) expect(await queriesOf(() => save(store, n))).toBe(3);
    const again = { task: 't', id: 'c1', value: state(3), parent: { task: 't', id: 'c20' } };
    expect(await queriesOf(() => store.save(again))).toBeLessThanOrEqual(4);
    expect(await queriesOf(() => store.save({ task: 't', id: 'text', text: '[ 1.0 ]' }))).toBe(3);
    expect((await store.state({ task: 't', id: 'c1' }))?.text).toBe(JSON.stringify(state(3)));
    expect(await queriesOf(() => store.meta({ task: 't', id: 'c1' }))).toBe(3);
    await store.close();
  });

  it('asks once more where a limit makes it evict, and writes any number of writes at once', async () => {
    const { store, queriesOf } = await opened('evicting', 5);
    for (let n = 0; n < 20; n++) expect(await queriesOf(() => save(store, n))).toBe(n < 5 ? 3 : 4);
    expect((await store.checkpoints('t')).items.map(({ id }) => id)).toEqual(['c19', 'c18', 'c17', 'c16', 'c15']);
    const writes = Array.from({ length: 30 }, (_, index) => ({ run: 'r', index, channel: 'c', text: `${index}` }));
    expect(await queriesOf(() => store.saveWrites?.({ task: 't', id: 'c19' }, writes) ?? Promise.resolve())).toBe(3);
    expect((await store.load?.({ task: 't', id: 'c19' }))?.writes).toHaveLength(30);
    await store.close();
  });

  it('answers with what lists say of it, also of one saved again', async () => {
    const { store } = await opened('answered');
    for (let n = 0; n < 5; n++) expect(await save(store, n)).toEqual(await store.meta({ task: 't', id: `c${n}` }));
    const again = await store.save({ task: 't', id: 'c2', value: 'other' });
    expect(again).toMatchObject({ seq: 3, parentId: 'c1', isLatest: false });
    expect(again).toEqual((await store.checkpoints('t')).items.find(({ id }) => id === 'c2'));
    const beside = await store.save({ task: 't', namespace: 'inner', id: 'c2', value: 1 });
    expect(beside).toMatchObject({ seq: 6, isLatest: false });
    await store.close();
  });

  it('leaves writes that came before their checkpoint when that is removed before it is there', async () => {
    const { store } = await opened('early');
    const ref = { task: 't', id: 'c1' };
    await store.saveWrites?.(ref, [{ run: 'r', index: 0, channel: 'c', text: '1' }]);
    expect(await store.remove(ref)).toBe(false);
    await store.save({ ...ref, value: 1 });
    expect((await store.load?.(ref))?.writes).toHaveLength(1);
    expect(await store.remove(ref)).toBe(true);
    await store.save({ ...ref, value: 1 });
    expect((await store.load?.(ref))?.writes).toEqual([]);
    await store.close();
  });

  it('keeps what a value was when it was given, whatever was saved before and meanwhile', async () => {
    const { store } = await opened('given');
    const value = state(20);
    const texts: string[] = [];
    const saves = [0, 1, 2, 3].map((n) => {
      value.n = n;
      value.messages.push({ at: n, text: 'new' });
      texts.push(JSON.stringify(value));
      return store.save({ task: 't', id: `c${n}`, value });
    });
    value.messages.length = 0;
    await Promise.all(saves);
    for (const [n, text] of texts.entries()) expect((await store.state({ task: 't', id: `c${n}` }))?.text).toBe(text);
    await store.close();
  });

  it('does not look into what was declared immutable and saved before', async () => {
    const { store } = await opened('immutable');
    let looks = 0;
    const items = Array.from({ length: 50 }, (_, at) => ({
      get text() {
        looks++;
        return `${at} `.repeat(90);
      },
    }));
    const first = { items: items.slice(0, 49), step: 1 };
    await store.save({ task: 't', id: 'c1', value: first }, { immutable: true });
    looks = 0;
    await store.save({ task: 't', id: 'c2', value: { ...first, step: 2 } }, { immutable: true });
    expect(looks).toBe(0);
    await store.save({ task: 't', id: 'c3', value: { items, step: 3 } }, { immutable: true });
    expect(looks).toBeLessThanOrEqual(3);
    expect((await store.state({ task: 't', id: 'c3' }))?.text).toBe(JSON.stringify({ items, step: 3 }));
    await store.close();
  });

  it('trusts nothing that it knows of a server that lost what it had acknowledged', async () => {
    const { store } = await opened('lost');
    const withPart = (text: string, more = {}) => ({ part: { text: text.repeat(500) }, ...more });
    await store.save({ task: 't', id: 'c1', value: 1 });
    await store.save({ task: 't', id: 'c2', value: withPart('a') });
    await db.run("DELETE FROM lost.checkpoints WHERE id = 'c2'; DELETE FROM lost.nodes WHERE id > 1");
    await db.run("SELECT setval(pg_get_serial_sequence('lost.nodes', 'id'), 1)");
    const other = await openPostgresStore({ url: db.url, schema: 'lost' });
    await other.save({ task: 't', id: 'c2', value: withPart('b') });
    const next = withPart('a', { next: withPart('c') });
    await store.save({ task: 't', id: 'c3', value: next });
    expect((await other.state({ task: 't', id: 'c2' }))?.text).toBe(JSON.stringify(withPart('b')));
    expect((await other.state({ task: 't', id: 'c3' }))?.text).toBe(JSON.stringify(next));
    // Ids that were given to others too are refused, once.
    await db.run("INSERT INTO lost.nodes SELECT n, 0, '', '0' FROM generate_series(6, 40) AS n ON CONFLICT DO NOTHING");
    await db.run("SELECT setval(pg_get_serial_sequence('lost.nodes', 'id'), 40)");
    const last = { task: 't', id: 'c4', value: withPart('d') };
    await expect(store.save(last)).rejects.toMatchObject({ code: 'changed' });
    await store.save(last);
    await other.close();
    await store.close();
  });

  it('goes on where the schema was dropped and made again', async () => {
    const { store } = await opened('dropped');
    for (let n = 0; n < 5; n++) await save(store, n);
    await db.run('DROP SCHEMA dropped CASCADE');
    const other = await openPostgresStore({ url: db.url, schema: 'dropped' });
    for (let n = 10; n < 20; n++) await save(other, n);
    await save(store, 21);
    expect((await other.state({ task: 't', id: 'c21' }))?.text).toBe(JSON.stringify(state(21)));
    await other.close();
    await store.close();
  });
});
