/** What an agent proposes, from the call of the tool to what a person does about it, over real stores and a journal. */
import { join } from 'node:path';
import { createChangeService, openJournal, type Journal } from '@checkpoint-inspector/changes';
import { storeId } from '@checkpoint-inspector/core';
import { createInspector, type Inspector } from '@checkpoint-inspector/inspector';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from '@hono/zod-openapi';
import { serve, type RunningServer } from '../serve.ts';
import { status } from '../testing/app.ts';
import { connectHttp } from './testing/client.ts';
import { nativeStores } from './testing/native.ts';

const KEY = `sk-proj-${'a1B2'.repeat(8)}`;
const STATE = `{"n": 1.0,  "cache": true, "key": "${KEY}", "list": [1, 2]}`;

const proposedSchema = z.looseObject({
  proposal: z.string(),
  link: z.string(),
  command: z.string(),
  does: z.array(z.string()),
});
const proposalSchema = z.looseObject({
  id: z.string(),
  outcome: z.string(),
  receiptId: z.string().optional(),
  plan: z.looseObject({
    id: z.string(),
    writes: z.looseObject({ items: z.array(z.looseObject({ ref: z.looseObject({ id: z.string() }) })) }),
  }),
});

let place: Awaited<ReturnType<typeof nativeStores>>;
let journal: Journal;
let inspector: Inspector;
let server: RunningServer;
let client: Awaited<ReturnType<typeof connectHttp>>;

beforeEach(async () => {
  place = await nativeStores('db');
  journal = openJournal({ folder: join(place.folder, 'journal') });
  await begin(false);
  await save('one', STATE);
  await save('two', '{"n": 2, "cache": true}', 'one');
});
afterEach(async () => {
  await end();
  journal.close();
  await place.remove();
});

async function begin(readOnly: boolean) {
  const changes = createChangeService({ journal, sources: (id) => place.stores.source(id), readOnly });
  inspector = createInspector({ stores: place.stores, changes, readOnly, proposals: journal.proposals });
  server = await serve({ inspector, status: { ...status, readOnly }, port: 0 });
  client = await connectHttp({ url: server.url, token: server.mcpToken });
}

async function end() {
  await client.close();
  await server.close();
}

const source = () => place.stores.source(storeId('db'));

async function save(id: string, text: string, parent?: string) {
  await source().save?.({ task: 't', id, text, ...(parent ? { parent: { task: 't', id: parent } } : {}) });
}

async function propose(kind: string, args: Record<string, unknown>) {
  await client.tools();
  const { structuredContent } = await client.client.callTool({
    name: `propose_${kind}`,
    arguments: { reason: 'It reads a stale cache.', ...args },
  });
  return proposedSchema.parse(structuredContent);
}

async function rest(path: string, method = 'GET', body?: object) {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${server.url}/api/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

const receiptIn = (body: unknown) => z.looseObject({ id: z.string() }).parse(body).id;

const proposal = async (id: string) => proposalSchema.parse((await rest(`proposals/${id}`)).body);
const ids = async () => (await source().checkpoints('t', {})).items.map(({ id }) => id);

describe('a proposal', () => {
  it('changes nothing until a person applies its plan, and is then undone as any change', async () => {
    const { proposal: id, link, does } = await propose('restore', { checkpoint: 'db/t/one' });
    expect(link).toBe(`${server.url}/proposals/${id}`);
    expect(does.join('\n')).toMatch(/restore in db, task t\nlatest now: two/);
    expect(await ids()).toEqual(['two', 'one']);
    const shown = await proposal(id);
    expect(shown).toMatchObject({
      by: { name: 'test', version: '0' },
      reason: 'It reads a stale cache.',
      outcome: 'open',
    });
    expect(shown).not.toHaveProperty('obstacle');
    expect((await rest(`plans/${shown.plan.id}/apply`, 'POST')).status).toBe(200);
    expect((await ids())[0]).not.toBe('two');
    const applied = await proposal(id);
    expect(applied.outcome).toBe('applied');
    const told = await client.client.callTool({ name: 'proposals', arguments: {} });
    const decided = { proposal: id, outcome: 'applied', change: 'restore', task: 'db/t', receipt: applied.receiptId };
    expect(told.structuredContent).toMatchObject({ items: [decided] });
    expect((await rest(`receipts/${applied.receiptId ?? ''}/undo`, 'POST')).status).toBe(200);
    expect(await ids()).toEqual(['two', 'one']);
  });

  it('cannot be applied by the agent: its token is good at /mcp alone', async () => {
    const { proposal: id } = await propose('restore', { checkpoint: 'db/t/one' });
    const { plan } = await proposal(id);
    const headers = { authorization: `Bearer ${server.mcpToken}` };
    for (const [path, method] of [
      [`plans/${plan.id}/apply`, 'POST'],
      [`proposals/${id}`, 'GET'],
      ['tasks', 'GET'],
    ])
      expect((await fetch(`${server.url}/api/${path}`, { ...(method ? { method } : {}), headers })).status).toBe(401);
    expect(await ids()).toEqual(['two', 'one']);
  });

  it('never tells the client the id of its plan, with which it could be applied', async () => {
    const told = await propose('fork', { checkpoint: 'db/t/one' });
    expect(JSON.stringify(told)).not.toContain((await proposal(told.proposal)).plan.id);
  });

  it('to edit changes the named values and no other', async () => {
    const edits = [
      { path: '$.cache', value: false },
      { path: '$.list[0]', remove: true },
      { path: '$.why', value: 'stale' },
    ];
    const { proposal: id } = await propose('edit', { checkpoint: 'db/t/one', edits });
    const { plan, ...shown } = await proposal(id);
    expect(shown).toMatchObject({
      edits: [
        { path: '$.cache', kind: 'changed', before: 'true', after: 'false' },
        { path: '$.list[0]', kind: 'removed', before: '1' },
        { path: '$.why', kind: 'added', after: '"stale"' },
      ],
    });
    await rest(`plans/${plan.id}/apply`, 'POST');
    const [made = ''] = plan.writes.items.map(({ ref }) => ref.id);
    const text = (await source().state({ task: 't', id: made }))?.text ?? '';
    expect(text).toContain('1.0');
    expect(JSON.parse(text)).toEqual({ n: 1, cache: false, key: KEY, list: [2], why: 'stale' });
  });

  it.each([
    ['a masked value', [{ path: '$.key', value: 'sk-p••••' }], 'masked secret'],
    ['a value that is not there', [{ path: '$.none', remove: true }], 'no value at $.none'],
    ['nothing that changes', [{ path: '$.cache', value: true }], 'change nothing'],
  ])('to edit with %s is refused', async (_what, edits, words) => {
    const refused = await client.call('propose_edit', { checkpoint: 'db/t/one', edits, reason: 'r' });
    expect(refused).toMatchObject({ isError: true, error: { code: 'invalid_input' } });
    expect(refused.error?.message).toContain(words);
    expect(inspector.proposals.list()).toEqual([]);
  });

  it('to delete names what goes; a person may dismiss it', async () => {
    const { proposal: id, does } = await propose('delete', { checkpoints: ['db/t/one'] });
    expect(does.join('\n')).toContain('removes 1:');
    expect((await rest(`proposals/${id}/dismiss`, 'POST')).body).toMatchObject({ outcome: 'dismissed' });
    expect((await rest(`proposals/${id}/dismiss`, 'POST')).status).toBe(400);
    expect((await rest('proposals')).body).toMatchObject({ items: [{ id, outcome: 'dismissed' }] });
    expect(await ids()).toEqual(['two', 'one']);
  });

  it('says why it can no longer be applied when the task has moved on', async () => {
    const { proposal: id } = await propose('restore', { checkpoint: 'db/t/one' });
    await save('three', '{"n": 3}', 'two');
    expect(await proposal(id)).toMatchObject({ outcome: 'open', obstacle: { code: 'head_moved' } });
    expect((await rest('proposals/none')).status).toBe(404);
  });

  it('says what has changed since, where it can still be applied', async () => {
    const { proposal: id } = await propose('delete', { checkpoints: ['db/t/one'] });
    expect(await proposal(id)).not.toHaveProperty('was');
    await save('three', '{"n": 3}', 'two');
    const now = await proposal(id);
    expect(now).not.toHaveProperty('obstacle');
    expect(now['was']).toContain('latest now: two, afterwards: two');
    expect(now.plan['latestBefore']).toMatchObject({ ref: { id: 'three' } });
  });

  it('outlives the server: the next one plans it again and applies what it shows', async () => {
    const { proposal: id, command } = await propose('restore', { checkpoint: 'db/t/one' });
    expect(command).toBe(`checkpoint-inspector proposals show ${id}`);
    await end();
    await begin(false);
    const listed = await client.client.callTool({ name: 'proposals', arguments: {} });
    expect(listed.structuredContent).toMatchObject({ items: [{ proposal: id, outcome: 'open' }] });
    const { plan } = await proposal(id);
    const applied = await rest(`proposals/${id}/apply`, 'POST', { planId: plan.id });
    expect(applied).toMatchObject({ status: 200, body: { proof: 'same', request: { kind: 'restore' } } });
    expect(await proposal(id)).toMatchObject({ outcome: 'applied', receiptId: receiptIn(applied.body) });
    expect((await rest(`proposals/${id}/apply`, 'POST', { planId: plan.id })).status).toBe(400);
  });

  it('is told to the client that made it and to no other', async () => {
    const by = { name: 'another' };
    const request = { kind: 'fork', ref: { task: 't', id: 'one' } } as const;
    const other = await inspector.proposals.propose({ store: storeId('db'), request, by });
    const { proposal: id } = await propose('restore', { checkpoint: 'db/t/one' });
    const told = await client.client.callTool({ name: 'proposals', arguments: {} });
    expect(told.structuredContent).toMatchObject({ items: [{ proposal: id }] });
    expect(JSON.stringify(told)).not.toContain(other.id);
  });

  it('keeps no state of a store that may leave nothing on disk', async () => {
    vi.spyOn(place.stores, 'mayKeep').mockReturnValue(false);
    const edits = [{ path: '$.cache', value: false }];
    const refused = await client.call('propose_edit', { checkpoint: 'db/t/one', edits, reason: 'r' });
    expect(refused.error?.code).toBe('unsupported');
    expect((await propose('restore', { checkpoint: 'db/t/one' })).proposal).not.toBe('');
  });

  it('waits with at most nineteen others', async () => {
    for (let n = 0; n < 20; n++) await propose('fork', { checkpoint: 'db/t/one' });
    const refused = await client.call('propose_fork', { checkpoint: 'db/t/one', reason: 'r' });
    expect(refused.error?.code).toBe('busy');
  });
});

it('under --read-only nothing can be proposed', async () => {
  await end();
  await begin(true);
  const offered = (await client.tools()).map(({ name }) => name);
  expect(offered.filter((name) => name.startsWith('propose'))).toEqual([]);
  await expect(
    client.client.callTool({ name: 'propose_restore', arguments: { checkpoint: 'db/t/one', reason: 'r' } }),
  ).rejects.toThrow(/no tool/);
});
