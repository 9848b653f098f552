/** Copies to a schema of a real PostgreSQL server. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { refOfMeta, type CheckpointSource } from '@checkpoint-inspector/core';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { openPostgresStore } from '@checkpoint-inspector/stores/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultRegistry } from '../stores/registry.ts';
import { everyRow, everyTask } from '../stores/task-lists.ts';
import { openFixture } from '../testing/fixtures.ts';
import { seededStore } from '../testing/seeded.ts';
import { copyStore, type CopyOptions } from './copy.ts';
import { openCopyTarget } from './target.ts';

const DUMP = new URL('../../../systems/src/langgraph/fixtures/js-postgres.sql.gz', import.meta.url);

describeWithPostgres('a copy to PostgreSQL', () => {
  let db: TestPostgres;
  beforeAll(async () => {
    db = await postgresForTests();
    await db.load(gunzipSync(readFileSync(DUMP)).toString());
  });
  afterAll(() => db.close());

  async function copy(source: CheckpointSource, url: string, options?: CopyOptions) {
    const target = await openCopyTarget(url, { source }, defaultRegistry());
    try {
      return await copyStore(source, target, options);
    } finally {
      await target.close();
    }
  }
  const schemas = async () =>
    (await db.run<{ name: string }>('SELECT nspname AS name FROM pg_namespace ORDER BY 1')).map(({ name }) => name);
  async function statesOf(source: CheckpointSource, task?: string) {
    const states = new Map<string, string | undefined>();
    for await (const { id } of everyTask(source))
      if (id === (task ?? id))
        for await (const meta of everyRow(source, id))
          states.set(JSON.stringify(refOfMeta(meta)), (await source.state(refOfMeta(meta)))?.text);
    return states;
  }

  it('makes the schema at the first save, is whole, goes on where it was, and is copied from again', async () => {
    const source = await openFixture('langgraph/fixtures/js.sqlite');
    const to = `${db.url}?schema=copied`;
    const dry = await copy(source, to, { dryRun: true });
    expect([dry.copied, await schemas()]).toEqual([477, expect.not.arrayContaining(['copied'])]);
    const task = 'fork-demo';
    const whole = await copy(source, to, { task });
    expect(whole).toMatchObject({ verified: whole.checkpoints, copied: whole.checkpoints, conflicts: [], failed: [] });
    const store = await openPostgresStore({ url: to });
    expect(await statesOf(store)).toEqual(await statesOf(source, task));
    const [last] = (await store.checkpoints(task)).items;
    await store.remove(refOfMeta(last ?? expect.unreachable()));
    expect(await copy(source, to, { task })).toMatchObject({
      copied: 1,
      present: whole.copied - 1,
      verified: whole.copied,
    });
    // From there to another schema, as from any store.
    const again = await copy(store, `${db.url}?schema=again`, { task });
    expect(again).toMatchObject({ copied: whole.copied, failed: [], notKept: [] });
    await store.close();
  });

  it('lists another content under the same id, and refuses what it would have to evict', async () => {
    const source = await seededStore();
    const url = `${db.url}?schema=small`;
    const small = await openPostgresStore({ url, maxPerTask: 2 });
    await expect(copy(source, url)).rejects.toMatchObject({ code: 'unsupported' });
    await small.close();
    await (await openPostgresStore({ url, keepAll: true })).close();
    const other = await openPostgresStore({ url });
    await other.save({ task: 'run-2', id: 'cp-1', text: '{"other": 1}' });
    await other.close();
    const report = await copy(source, url);
    expect(report).toMatchObject({ copied: 3, verified: 3, conflicts: [{ ref: { task: 'run-2', id: 'cp-1' } }] });
  });

  it('refuses itself, the tables of another program, other addresses and a server that does not answer', async () => {
    const url = `${db.url}?schema=itself`;
    const store = await openPostgresStore({ url });
    const refused = { code: 'invalid_input' };
    await expect(copy(store, url)).rejects.toMatchObject(refused);
    await expect(copy(store, `${db.url}?schema=public`)).rejects.toMatchObject(refused);
    await expect(copy(store, 'mysql://a:hidden@b/c')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.not.stringContaining('hidden'),
    });
    await expect(copy(store, 'postgres://127.0.0.1:1/app')).rejects.toMatchObject({ code: 'no_store' });
    await store.close();
  });
});
