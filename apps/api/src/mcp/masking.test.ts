/** What a model's provider may read of the secrets in a store. */
import { describe, expect, it } from 'vitest';
import { InspectorError, MemoryStore } from '@checkpoint-inspector/core';
import { createStoreService } from '@checkpoint-inspector/inspector';
import { createMcpServer } from './server.ts';
import { connectTo, readResult } from './testing/client.ts';
import { mcpDeps, toolDeps } from './testing/deps.ts';
import { callTool } from './call.ts';

const KEY = `sk-proj-${'a1B2'.repeat(8)}`;
const NAME = /^sk-p••••#[0-9a-f]{3}$/;
const AWS = 'AKIAIOSFODNN7EXAMPLE';
const STATE = `{"env": "${KEY}", "escaped": "\\u0073k-proj-${'a1B2'.repeat(8)}", "n": 12345678901234567890}`;

async function leaky() {
  const store = new MemoryStore();
  await store.save({ task: 's', id: 'one', text: STATE, description: `called with ${AWS}` });
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(store);
  const call = async (reveal: boolean, name: string, args: object = {}) =>
    readResult(await callTool(toolDeps(stores, reveal), name, { sessionId: 's', ...args }));
  return { store, stores, call };
}

describe('secrets in what the tools return', () => {
  it('are masked in a state, in its description and in lists, and the answer says how many', async () => {
    const { call } = await leaky();
    const loaded = await call(false, 'checkpoint_load');
    expect(loaded.text).not.toContain('a1B2');
    expect(loaded.text).not.toContain('IOSFODNN7');
    expect(loaded.state).toMatchObject({ env: expect.stringMatching(NAME), escaped: expect.stringMatching(NAME) });
    expect(loaded.text).toContain('"n": 12345678901234567890}');
    // Each secret counts once, however often it is in the state.
    expect(JSON.parse(loaded.text)).toMatchObject({ masked: 2, notice: expect.stringMatching(/Do not save/) });
    const listed = await call(false, 'checkpoint_list');
    expect(listed.text).not.toContain('IOSFODNN7');
    expect(JSON.parse(listed.text)).toMatchObject({ masked: 1 });
  });

  it('are masked in what a save answers, while the store keeps them', async () => {
    const { call, store } = await leaky();
    const saved = await call(false, 'checkpoint_save', { state: { text: `{"k":"${KEY}"}` }, description: KEY });
    expect(saved.text).not.toContain('a1B2');
    const stored = await store.state({ task: 's', id: saved.checkpoint?.id ?? '' });
    expect(stored?.text).toBe(`{"k":"${KEY}"}`);
  });

  it('are masked in the words of an error', async () => {
    const { call, store } = await leaky();
    store.state = async () => {
      throw new InspectorError('unreadable', `not JSON near "${KEY}"`, {
        data: { near: `postgres://agent:hunter2@db` },
      });
    };
    const failed = await call(false, 'checkpoint_load');
    expect(failed.error?.code).toBe('unreadable');
    expect(failed.text).not.toMatch(/a1B2|hunter2/);
  });

  it('are masked in text that is not JSON', async () => {
    const { call, store } = await leaky();
    await store.save({ task: 's', id: 'one', text: '{"n":1}' });
    store.state = async () => ({ text: `{"n": NaN, "k": "${KEY}"}`, revision: 'h' });
    const loaded = await call(false, 'checkpoint_load');
    expect(loaded.stateText).toMatch(/^\{"n": NaN, "k": "sk-p••••#[0-9a-f]{3}"\}$/);
  });

  it('are returned after --reveal, and the answer says so', async () => {
    const { call } = await leaky();
    const loaded = await call(true, 'checkpoint_load');
    expect(loaded.text.endsWith(`,"state":${STATE}}`)).toBe(true);
    expect(JSON.parse(loaded.text)).toMatchObject({ revealed: 2, notice: expect.stringContaining('--reveal') });
  });

  it.each([
    [false, /are masked/],
    [true, /--reveal/],
  ])('the server tells its client at the start, with reveal %s', async (reveal, words) => {
    const { stores } = await leaky();
    const { mcp } = createMcpServer(mcpDeps(stores, reveal));
    expect(JSON.stringify(Reflect.get(mcp, '_instructions'))).toMatch(words);
  });

  it('are masked by their name where they are told without it', async () => {
    const { store, stores } = await leaky();
    const text = (pin: number): string =>
      JSON.stringify({ db: { password: `hunter${pin}`, pin }, pad: 'x'.repeat(9_000) });
    await store.save({ task: 'n', id: 'a', text: text(4711) });
    await store.save({ task: 'n', id: 'b', text: text(4712), parent: { task: 'n', id: 'a' } });
    const [a, b] = ['a', 'b'].map((id) => `${store.info.id}/n/${id}`);
    const { client, close } = await connectTo(createMcpServer(mcpDeps(stores)));
    for (const [name, args] of [
      ['show', { checkpoint: b, path: '$.db.password' }],
      ['show', { checkpoint: b, path: '$.db' }],
      ['show', { checkpoint: b }],
      ['diff', { a, b }],
      ['history', { at: 'n', path: '$.db.pin' }],
      ['list', { task: 'n' }],
      ['search', { query: 'hunter4711' }],
    ] as const) {
      const told = JSON.stringify(await client.callTool({ name, arguments: args }));
      expect(told, name).not.toMatch(/471[12]|isError/);
      expect(told, name).toMatch(/\/n\/b|db/);
    }
    await close();
  });

  it("can't be guessed from the revision, which still tells whether a state has changed", async () => {
    const { store, stores } = await leaky();
    const [masked, revealing] = [toolDeps(stores, false), toolDeps(stores, true)];
    const save = (pin: number) => store.save({ task: 's', id: 'pin', text: `{"pin":${pin}}` });
    const told = async (reveal: boolean) => {
      const deps = reveal ? revealing : masked;
      const loaded = readResult(await callTool(deps, 'checkpoint_load', { sessionId: 's', checkpointId: 'pin' }));
      const listed = readResult(await callTool(deps, 'checkpoint_list', { sessionId: 's' }));
      const row = listed.items.find(({ id }) => id === 'pin');
      expect(loaded.checkpoint?.['revision']).toBe(row?.['revision']);
      return row?.['revision'];
    };
    await save(4711);
    const stored = (await store.state({ task: 's', id: 'pin' }))?.revision;
    const first = await told(false);
    expect([await told(false), await told(true)]).toEqual([first, stored]);
    expect(first).not.toBe(stored);
    await save(4712);
    expect(await told(false)).not.toBe(first);
  });
});
