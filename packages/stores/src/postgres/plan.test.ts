import type { Plan } from '@checkpoint-inspector/core';
import { ENGINES, openPostgres } from '@checkpoint-inspector/io';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { planIn } from './plan.ts';
import { openPostgresStore, type PostgresStore } from './store.ts';

describeWithPostgres('changes to our own store in PostgreSQL', () => {
  let db: TestPostgres;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());

  const state = (n: number) => ({ n, messages: Array.from({ length: n }, (_, at) => `${at} `.repeat(400)) });
  const hooks = { tag: 'test', prepared: () => undefined };
  /** Answers what undoes it. */
  async function apply({ job }: Pick<Plan, 'job'>) {
    const engine = ENGINES.get(job.engine);
    const { images } = await engine.apply(job, hooks);
    return { job: await engine.undo(job.place, images) };
  }
  async function filled(schema: string, count: number): Promise<PostgresStore> {
    const store = await openPostgresStore({ url: db.url, schema });
    for (let n = 0; n < count; n++) await store.save({ task: 't', id: `c${n}`, value: state(n) });
    await store.save({ task: 't', id: 'spaced', text: '{ "n": 1.0 }', description: 'kept whole' });
    return store;
  }
  const rowsIn = (schema: string) =>
    db.run(`SELECT seq, task, id, state_hash, size_bytes, description FROM ${schema}.checkpoints ORDER BY seq`);
  const count = async (schema: string, table: string) =>
    Number((await db.run<{ n: string }>(`SELECT count(*) AS n FROM ${schema}.${table}`))[0]?.n);
  const miscounted = (schema: string) =>
    db.run(`SELECT task, count, bytes, updated FROM ${schema}.tasks EXCEPT
      SELECT task, count(*), sum(size_bytes), max(created_at) FROM ${schema}.checkpoints GROUP BY task`);

  it('what is deleted is collected, and undo puts all of it back in its place, byte for byte', async () => {
    const store = await filled('collected', 30);
    const before = await rowsIn('collected');
    const nodes = await count('collected', 'nodes');
    const refs = [
      ...Array.from({ length: 27 }, (_, n) => ({ task: 't', id: `c${n + 3}` })),
      { task: 't', id: 'spaced' },
    ];
    const undo = await apply(await store.plan({ kind: 'delete', refs }));
    expect([await count('collected', 'nodes'), await count('collected', 'texts')]).toEqual([expect.any(Number), 0]);
    expect(await count('collected', 'nodes')).toBeLessThan(nodes / 5);
    await apply(undo);
    expect(await rowsIn('collected')).toEqual(before);
    for (let n = 0; n < 30; n++)
      expect((await store.state({ task: 't', id: `c${n}` }))?.text).toBe(JSON.stringify(state(n)));
    expect((await store.state({ task: 't', id: 'spaced' }))?.text).toBe('{ "n": 1.0 }');
    // What came back shares its nodes again.
    expect(await count('collected', 'nodes')).toBeLessThan(nodes * 1.5);
    expect(await miscounted('collected')).toEqual([]);
    await store.close();
  });

  it('saves of other tasks go on during changes, and the store is whole afterwards', async () => {
    const store = await filled('busy', 5);
    const other = await openPostgresStore({ url: db.url, schema: 'busy' });
    const saving = (async () => {
      for (let n = 0; n < 40; n++) await other.save({ task: 'other', id: `o${n}`, value: state(n % 7) });
    })();
    for (let round = 0; round < 5; round++) {
      await apply(await apply(await store.plan({ kind: 'delete', refs: [{ task: 't', id: `c${round}` }] })));
      await apply(await store.plan({ kind: 'restore', ref: { task: 't', id: 'c0' } }));
    }
    await saving;
    for (let n = 0; n < 40; n++)
      expect((await store.state({ task: 'other', id: `o${n}` }))?.text).toBe(JSON.stringify(state(n % 7)));
    const ids = (await store.checkpoints('t')).items.map(({ id }) => id);
    expect(ids.toSorted()).toEqual(
      [1, 2, 3, 4, 5]
        .map((n) => `c0-restored-${n}`)
        .concat('c0', 'c1', 'c2', 'c3', 'c4', 'spaced')
        .toSorted(),
    );
    expect(await miscounted('busy')).toEqual([]);
    await other.close();
    await store.close();
  });

  it('a deletion of many is planned with as many statements as one of few', async () => {
    const store = await filled('many', 60);
    const database = await openPostgres(db.url, { schema: 'many' });
    const statements = (count: number) => {
      const refs = Array.from({ length: count }, (_, n) => ({ task: 't', id: `c${n}` }));
      const to = { store: store.info.id, place: database.identity, maxPerTask: undefined };
      return database.snapshot(async (reader) => {
        const query = vi.spyOn(reader, 'query');
        const { view } = await planIn(reader, to, { kind: 'delete', refs });
        expect(view.removes.count).toBe(count);
        return query.mock.calls.length;
      });
    };
    expect(await statements(60)).toBe(await statements(2));
    await database.close();
    await store.close();
  });

  it('refuses where a trigger of somebody else changes more rows, and what PostgreSQL keeps nowhere', async () => {
    const store = await filled('watched', 2);
    await db.run(`CREATE TABLE watched.audit (id text);
      CREATE FUNCTION watched.audit() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO watched.audit VALUES (OLD.id); RETURN NULL; END $$;
      CREATE TRIGGER audit AFTER DELETE ON watched.checkpoints FOR EACH ROW EXECUTE FUNCTION watched.audit()`);
    const before = await rowsIn('watched');
    const ref = { task: 't', id: 'c0' };
    await expect(apply(await store.plan({ kind: 'delete', refs: [ref] }))).rejects.toMatchObject({
      code: 'unsupported',
    });
    for (const targetTask of ['a\0', 'é'.repeat(2_000)])
      await expect(store.plan({ kind: 'fork', ref, targetTask })).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await rowsIn('watched')).toEqual(before);
    await store.close();
  });

  it('says why nothing can be changed where this user only reads', async () => {
    const store = await filled('granted', 1);
    const role = `inspector_reader_${process.pid}`;
    await db.run(`CREATE ROLE ${role} LOGIN PASSWORD 'reads';
      GRANT USAGE ON SCHEMA granted TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA granted TO ${role}`);
    const url = new URL(db.url);
    [url.username, url.password] = [role, 'reads'];
    const reader = await openPostgresStore({ url: url.href, schema: 'granted', readOnly: true });
    expect(reader.info.capabilities.delete).toMatch(/permission to change the tables checkpoints, nodes/);
    const refs = [{ task: 't', id: 'c0' }];
    await expect(reader.plan({ kind: 'delete', refs })).rejects.toMatchObject({ code: 'unsupported' });
    expect((await reader.state({ task: 't', id: 'c0' }))?.text).toBe(JSON.stringify(state(0)));
    await reader.close();
    await store.close();
    await db.run(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
});
