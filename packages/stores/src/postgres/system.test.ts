import { storeIdFrom, type CheckpointSource, type OpenOptions } from '@checkpoint-inspector/core';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { openPostgresStore } from './store.ts';
import { postgresSystem } from './system.ts';

describeWithPostgres('schemas of our own at an address', () => {
  let db: TestPostgres;
  const team = `inspector_team_of_schemas_${process.pid}`;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());

  function options(): OpenOptions {
    const taken = new Set<string>();
    const nameStore = (name: string) => {
      const id = storeIdFrom(name, (other) => taken.has(other));
      taken.add(id);
      return id;
    };
    return { label: 'team', location: 'team', nameStore };
  }
  const at = (url: string) => ({ kind: 'address', url }) as const;
  async function opened(url: string, given = options()): Promise<CheckpointSource[]> {
    const sources = await postgresSystem.open(at(url), given);
    onTestFinished(async () => {
      for (const source of sources) await source.close?.();
    });
    return sources;
  }

  it("are each a store; a newer one is named, another team's and other programs' are left out", async () => {
    expect(await postgresSystem.detect(at(db.url))).toBeUndefined();
    expect(await postgresSystem.detect({ kind: 'path', path: '/', is: 'folder' })).toBeUndefined();
    for (const schema of ['one', 'two', 'hidden', 'newer'])
      await (await openPostgresStore({ url: db.url, schema })).close();
    await db.run(`UPDATE newer.store_meta SET v = '99' WHERE k = 'format'; CREATE SCHEMA other;
      CREATE TABLE other.checkpoints (); CREATE TABLE other.nodes (); CREATE TABLE other.store_meta (k text, v text);
      CREATE TABLE other.tasks (); CREATE TABLE other.texts (); CREATE TABLE other.writes ();
      CREATE ROLE ${team} LOGIN PASSWORD 'team'; GRANT USAGE ON SCHEMA one, two, hidden, newer TO ${team};
      GRANT SELECT ON ALL TABLES IN SCHEMA one, two, newer TO ${team}`);
    onTestFinished(async () => void (await db.run(`DROP OWNED BY ${team}; DROP ROLE ${team}`)));
    const url = new URL(db.url);
    [url.username, url.password] = [team, 'team'];
    expect(await postgresSystem.detect(at(url.href))).toMatchObject({ system: 'native' });
    const onFailure = vi.fn();
    const sources = await opened(url.href, { ...options(), onFailure });
    expect(sources.map(({ info }) => [info.id, info.label])).toEqual([
      ['team-one', 'team one'],
      ['team-two', 'team two'],
    ]);
    expect(onFailure.mock.calls).toEqual([['team newer', expect.objectContaining({ code: 'unsupported_version' })]]);
    const [alone] = await opened(`${url.href}?schema=two`);
    expect(alone?.info).toMatchObject({ label: 'team', identity: expect.stringMatching(/\/two$/) });
    await expect(opened(`${url.href}?schema=newer`)).rejects.toMatchObject({ code: 'unsupported_version' });
    expect(await postgresSystem.detect(at(`${url.href}?schema=hidden`))).toBeUndefined();
  });

  it('are saved to by who opened them, and not made again where they are gone', async () => {
    const store = await openPostgresStore({ url: db.url, schema: 'going', maxPerTask: 2 });
    const [source] = await opened(`${db.url}?schema=going`);
    for (const id of ['a', 'b', 'c']) await source?.save?.({ task: 't', id, text: '1' });
    expect((await store.checkpoints('t')).items.map(({ id }) => id)).toEqual(['c', 'b']);
    await store.close();
    await db.run('DROP SCHEMA going CASCADE');
    await expect(source?.save?.({ task: 't', id: 'd', text: '1' })).rejects.toMatchObject({ code: 'no_store' });
    expect(await db.run("SELECT FROM pg_namespace WHERE nspname = 'going'")).toEqual([]);
  });
});
