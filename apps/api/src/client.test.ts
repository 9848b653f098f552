import { readFile } from 'node:fs/promises';
import { idToSegment, InspectorError } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { createApiClient } from './client.ts';
import { HOST, TOKEN, testApp } from './testing/app.ts';

async function client(token = TOKEN) {
  const { app, store } = await testApp();
  const send: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('host', HOST);
    return app.request(String(input), { ...init, headers });
  };
  return { api: createApiClient({ baseUrl: `http://${HOST}`, token, fetch: send }).api, store };
}

describe('createApiClient', () => {
  it('calls routes by name, with the token', async () => {
    const { api, store } = await client();
    const answer = await api.tasks.$get({ query: { limit: '10', text: undefined } });
    expect((await answer.json()).items).toHaveLength(2);
    await store.save({ task: 'a/b', id: '~odd?', text: '{"x":1}' });
    const param = { store: 'memory', id: idToSegment('~odd?') };
    const state = await api.stores[':store'].checkpoints[':id'].state.$get({ param, query: { task: 'a/b', ns: '' } });
    expect(await state.text()).toBe('{"x":1}');
  });

  it('sends bodies and repeated values', async () => {
    const { api } = await client();
    const request = { kind: 'delete' as const, refs: [{ task: 'run-1', id: 'cp-1' }] };
    const plan = await (await api.plans.$post({ json: { store: 'memory', request } })).json();
    expect(plan.request).toEqual(request);
    const query = { a: 'memory/run-1/cp-1', b: 'memory/run-1/cp-2', ignore: ['$.n', '$.x'] };
    expect((await (await api.diff.$get({ query })).json()).ignoreRules).toEqual(['$.n', '$.x']);
  });

  it('throws what the server answers', async () => {
    const { api } = await client();
    const call = api.stores[':store'].tasks[':task'].$get({ param: { store: 'memory', task: 'none' } });
    await expect(call).rejects.toMatchObject({ name: 'InspectorError', code: 'not_found', data: { task: 'none' } });
    const { api: stranger } = await client('wrong');
    const refused = await stranger.status.$get().catch((error: unknown) => error);
    expect(InspectorError.is(refused) && refused.code).toBe('unauthorised');
  });

  it('passes 304 on, and names an answer that is not ours', async () => {
    const { api } = await client();
    const param = { store: 'memory', id: 'cp-3' };
    const get = api.stores[':store'].checkpoints[':id'].state.$get;
    const etag = (await get({ param, query: {} })).headers.get('etag') ?? '';
    expect((await get({ param, query: {} }, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const proxy: typeof fetch = async () => new Response('<h1>Bad gateway</h1>', { status: 502 });
    const behind = createApiClient({ baseUrl: 'http://x', token: 't', fetch: proxy });
    await expect(behind.api.status.$get()).rejects.toMatchObject({ code: 'internal', message: /502/ });
  });

  it('brings no server code into a bundle', async () => {
    const source = await readFile(new URL('./client.ts', import.meta.url), 'utf8');
    const values = [...source.matchAll(/^import (?!type ).* from '(.+)';$/gm)].map((match) => match[1]);
    expect(values).toEqual(['@checkpoint-inspector/core', 'hono/client']);
  });
});
