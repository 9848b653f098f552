/** Our own store in a schema of a PostgreSQL database, through the whole server. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openJournal } from '@checkpoint-inspector/changes';
import {
  createInspector,
  defaultRegistry,
  overJournal,
  verifyStores,
  storesOver,
} from '@checkpoint-inspector/inspector';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { openPostgresStore } from '@checkpoint-inspector/stores/postgres';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createApp } from '../src/app.ts';
import { HOST, status, TOKEN } from '../src/testing/app.ts';

const DUMP = resolve(import.meta.dirname, '../../../packages/systems/src/langgraph/fixtures/js-postgres.sql.gz');

interface Item {
  readonly id: string;
  readonly taskId: string;
  readonly store: string;
  readonly system: string;
}
interface Receipt {
  readonly id: string;
  readonly proof: string;
}

describeWithPostgres('a schema of our own, opened by its address', () => {
  let db: TestPostgres;
  beforeAll(async () => {
    db = await postgresForTests();
    await db.load(gunzipSync(readFileSync(DUMP)).toString());
  });
  afterAll(() => db.close());

  const value = (n: number) => ({ n, messages: Array.from({ length: 30 + n }, (_, at) => `${at} `.repeat(200)) });
  const rowsOf = (table: string) =>
    db.run<{ row: string }>(`SELECT xmin::text || ' ' || t::text AS row FROM agents.${table} t ORDER BY 1`);
  const everything = async () =>
    Promise.all(['checkpoints', 'nodes', 'store_meta', 'tasks', 'texts', 'writes'].map(rowsOf));
  /** Without the nodes: what an undo writes again has new ones. */
  const checkpoints = () => db.run(`SELECT seq, task, id, state_hash, size_bytes FROM agents.checkpoints ORDER BY seq`);

  async function server() {
    const folder = mkdtempSync(join(tmpdir(), 'api-postgres-'));
    const journal = openJournal({ folder });
    const over = overJournal(journal, {
      stores: storesOver(journal, { registry: defaultRegistry() }),
      readOnly: false,
    });
    const inspector = createInspector({ ...over, readOnly: false });
    onTestFinished(async () => {
      await inspector.close();
      journal.close();
      rmSync(folder, { recursive: true });
    });
    const app = createApp({ inspector, status, guards: { token: TOKEN, hosts: [HOST] } });
    const ask = async <T>(path: string, body?: object): Promise<T> => {
      const init = body && { method: 'POST', body: JSON.stringify(body) };
      const headers = { host: HOST, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      const answer = await app.request(`http://${HOST}/api/${path}`, { ...init, headers });
      const text = await answer.text();
      expect([answer.status, text]).toEqual([expect.toSatisfy((code: number) => code < 300), text]);
      return JSON.parse(text) as T;
    };
    return { ask, inspector };
  }

  it('is listed, compared, restored, tidied up and undone, beside the tables of LangGraph; looking writes nothing', async () => {
    const agent = await openPostgresStore({ url: db.url, schema: 'agents' });
    for (let n = 0; n < 12; n++) await agent.save({ task: 'run', id: `c${n}`, value: value(n) });
    const before = await everything();
    const { ask, inspector } = await server();
    await ask('stores', { target: db.url });
    const { items: stores } = await ask<{ items: Item[] }>('stores');
    expect(stores.map(({ system }) => system).toSorted()).toEqual(['langgraph', 'native']);
    const store = stores.find(({ system }) => system === 'native')?.id ?? '';
    const tasks = await ask<{ items: Item[] }>(`tasks?store=${store}`);
    expect(tasks.items).toMatchObject([{ id: 'run', checkpointCount: 12, latestId: 'c11' }]);
    const page = await ask<{ items: Item[] }>(`stores/${store}/tasks/run/checkpoints`);
    expect(page.items.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, n) => `c${11 - n}`));
    expect(await ask(`stores/${store}/checkpoints/c3/state?task=run`)).toEqual(value(3));
    expect(await ask(`diff?a=${store}/run/c3&b=${store}/run/c4`)).toMatchObject({
      items: [
        { path: '$.n', kind: 'changed', before: '3', after: '4' },
        { path: '$.messages[33]', kind: 'added' },
      ],
    });
    expect(await verifyStores(inspector.stores)).toMatchObject({ damaged: 0 });
    expect(await everything()).toEqual(before);

    const rows = await checkpoints();
    const change = async (request: object) => {
      const { id } = await ask<{ id: string }>('plans', { store, request });
      return ask<Receipt>(`plans/${id}/apply`, {});
    };
    const restored = await change({ kind: 'restore', ref: { task: 'run', id: 'c3' } });
    expect(restored).toMatchObject({ proof: 'same', latestNow: { ref: { id: 'c3-restored-1' } } });
    expect((await agent.latest('run')).ref?.id).toBe('c3-restored-1');
    expect(await ask(`receipts/${restored.id}/undo`, {})).toMatchObject({ proof: 'same' });
    expect(await checkpoints()).toEqual(rows);

    const pruned = await change({ kind: 'prune', task: 'run', policy: { beyondNewest: 2 } });
    expect((await checkpoints()).length).toBeLessThan(5);
    expect((await ask<{ items: unknown[] }>('trash')).items.length).toBeGreaterThan(7);
    await ask(`receipts/${pruned.id}/undo`, {});
    expect(await checkpoints()).toEqual(rows);
    for (let n = 0; n < 12; n++)
      expect((await agent.state({ task: 'run', id: `c${n}` }))?.text).toBe(JSON.stringify(value(n)));
    await agent.close();
  });

  it('opens alone where the address names it, tells of saves, and is saved to by an agent through us', async () => {
    const { inspector } = await server();
    const agent = await openPostgresStore({ url: db.url, schema: 'live' });
    const [info, ...others] = await inspector.stores.open(`${db.url}?schema=live`, 'live');
    expect([info?.system, info?.id, others]).toEqual(['native', 'live', []]);
    const events = vi.fn();
    inspector.stores.onEvent(events);
    await agent.save({ task: 'run', id: 'a', value: 1 });
    await vi.waitFor(() => expect(events).toHaveBeenCalledWith(expect.objectContaining({ kind: 'change' })), 20_000);
    const source = inspector.stores.source(info?.id ?? expect.unreachable());
    await source.save?.({ task: 'run', id: 'b', text: '[1.0]', parent: { task: 'run', id: 'a' } });
    expect(await agent.state({ task: 'run', id: 'b' })).toMatchObject({ text: '[1.0]' });
    await agent.close();
  });
});
