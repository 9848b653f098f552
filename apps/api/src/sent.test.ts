import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { overlaid, storeId, type MemoryStore } from '@checkpoint-inspector/core';
import { seededStore } from '@checkpoint-inspector/inspector/testing/seeded';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOST, testApp, TOKEN, wire } from './testing/app.ts';

const CHECKPOINT = '/api/stores/memory/checkpoints/cp-1';
const META = `${CHECKPOINT}?task=run-1&ns=`;
const STATE = `${CHECKPOINT}/state?task=run-1&ns=`;

let memory: MemoryStore;
let version: object | undefined;
let asked = 0;
let app: Awaited<ReturnType<typeof testApp>>;

beforeEach(async () => {
  [version, asked] = [{}, 0];
  memory = Object.assign(await seededStore(), { version: () => version });
  const source = overlaid(memory, {
    meta: (ref) => {
      asked += 1;
      return memory.meta(ref);
    },
  });
  app = await testApp({}, source);
});
afterEach(() => void vi.useRealTimers());

/** As the server asks, with an answer of Node's own. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const incoming = new IncomingMessage(new Socket());
  const outgoing = new ServerResponse(incoming);
  const all = { host: HOST, authorization: `Bearer ${TOKEN}`, ...headers };
  const answer = await app.app.fetch(new Request(`http://${HOST}${path}`, { method, headers: all }), {
    incoming,
    outgoing,
  });
  const text = await answer.text();
  return { status: answer.status, text, headers: { ...outgoing.getHeaders(), ...Object.fromEntries(answer.headers) } };
}

describe.each([META, STATE])('the answer of %s', (path) => {
  it('is sent again, with every header, without asking the store', async () => {
    const first = await ask(path);
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(asked).toBe(1);
    expect(await ask(path)).toEqual(first);
    expect(asked).toBe(1);
  });

  it('is made again after a write', async () => {
    await ask(path);
    version = {};
    await ask(path);
    expect(asked).toBe(2);
  });

  it('is made each time while the store has no version', async () => {
    version = undefined;
    await ask(path);
    await ask(path);
    expect(asked).toBe(2);
  });

  it('that was asked for before a write is not taken for one of after it', async () => {
    const meta = memory.meta.bind(memory);
    vi.spyOn(memory, 'meta').mockImplementationOnce(async (ref) => {
      version = {};
      return meta(ref);
    });
    await ask(path);
    await ask(path);
    expect(asked).toBe(2);
  });

  it('is made again after a second, whatever the version', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await ask(path);
    vi.advanceTimersByTime(1_000);
    await ask(path);
    expect(asked).toBe(2);
  });

  it.each<[string, Record<string, string>, number]>([
    ['no token', { authorization: '' }, 401],
    ['another token', { authorization: `Bearer ${TOKEN}x` }, 401],
    ['another host', { host: 'evil.example' }, 403],
    ['another origin', { origin: 'http://evil.example' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('is refused to %s', async (_, headers, status) => {
    await ask(path);
    const refused = await ask(path, headers);
    expect([refused.status, asked]).toEqual([status, 1]);
    expect(refused.headers).toMatchObject({ 'cache-control': 'no-store' });
  });

  it('ends with the store', async () => {
    await ask(path);
    await app.stores.close(storeId('memory'));
    expect((await ask(path)).status).toBe(404);
  });

  it('is as this client takes it', async () => {
    const plain = await ask(path);
    const gzip = await ask(path, { 'accept-encoding': 'gzip' });
    expect(await ask(path, { 'accept-encoding': 'gzip' })).toEqual(gzip);
    expect(await ask(path, { 'accept-encoding': 'gzip;q=0' })).toEqual(plain);
    expect(asked).toBe(3);
  });

  it('has no body for HEAD', async () => {
    await ask(path);
    expect(await ask(path, {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });
});

it('a state that the client has is not sent again', async () => {
  const { headers } = await ask(STATE);
  expect(await ask(STATE, { 'if-none-match': String(headers.etag) })).toMatchObject({ status: 304, text: '' });
});

it('an answer that would be compressed is compressed each time', async () => {
  await memory.save({ task: 'run-1', id: 'told', text: '1', description: 'long '.repeat(2_000) });
  const path = META.replace('cp-1', 'told');
  const [first, second] = [
    await ask(path, { 'accept-encoding': 'gzip' }),
    await ask(path, { 'accept-encoding': 'gzip' }),
  ];
  expect([first.headers['content-encoding'], second.headers['content-encoding'], asked]).toEqual(['gzip', 'gzip', 2]);
});

it('more than is kept is answered all the same, and the rest is sent again', async () => {
  await memory.save({ task: 'run-1', id: 'long', text: `"${'x'.repeat(4_000_000)}"` });
  const path = STATE.replace('cp-1', 'long');
  await ask(path);
  expect((await ask(path)).text).toHaveLength(4_000_002);
  await ask(STATE);
  await ask(STATE);
  expect(asked).toBe(3);
});

it('without a server of Node every answer is made', async () => {
  await wire(app.ask(META));
  await wire(app.ask(META));
  expect(asked).toBe(2);
});
