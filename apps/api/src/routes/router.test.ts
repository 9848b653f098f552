import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { MemoryStore, storeId, type CallOptions, type CheckpointSource } from '@checkpoint-inspector/core';
import { z } from '@hono/zod-openapi';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { json, reads, router, sourceFor } from './router.ts';

setFlagsFromString('--allow-natives-syntax');
const haveOneShape: (a: object, b: object) => boolean = runInThisContext('(a, b) => %HaveSameMap(a, b)');

it('only what a request asks that changes nothing is of one reading', async () => {
  const told: CallOptions[] = [];
  const store: CheckpointSource = new MemoryStore();
  store.meta = async (_ref, options = {}) => void told.push(options);
  const app = new Hono();
  app.all('/', async (c) => {
    const source = sourceFor(c, { source: () => store }, storeId('own'));
    for (let n = 0; n < 2; n++) await source.meta({ task: 'run', id: 'cp' });
    return c.json({});
  });
  for (const method of ['GET', 'GET', 'POST']) await app.request('/', { method });
  const readings = told.map(({ reading }) => reading);
  expect(readings).toEqual([{}, {}, {}, {}, undefined, undefined]);
  expect(readings[1]).toBe(readings[0]);
  expect(readings[2]).not.toBe(readings[0]);
});

it('what requests ask of a store has one shape: one of its own would keep the request in memory', async () => {
  const told: CallOptions[] = [];
  const store: CheckpointSource = new MemoryStore();
  store.meta = async (_ref, options = {}) => void told.push(options);
  const stores = { source: () => store };
  const app = new Hono();
  app.get('/', async (c) => c.json((await sourceFor(c, stores, storeId('own')).meta({ task: 'run', id: 'cp' })) ?? {}));
  for (let n = 0; n < 2; n++) await app.request('/');
  const [one, other] = told;
  expect(one?.signal).not.toBe(other?.signal);
  expect(haveOneShape(one ?? {}, other ?? [])).toBe(true);
});

it('an address is checked before its route answers: parameters first that are asked for, then parts of the path', async () => {
  const params = z.object({ n: z.string().regex(/^\d+$/).transform(Number) });
  const query = z.object({ word: z.string(), other: z.string().optional() });
  const route = reads('/at/{n}', 'One', json(z.object({}), 'What was asked'), { params, query });
  const app = router().openapi(route, (c) => c.json({ ...c.req.valid('param'), ...c.req.valid('query') }, 200));
  const refusals: unknown[] = [];
  app.onError((error, c) => {
    refusals.push(error.message);
    return c.text('', 400);
  });
  expect(await (await app.request('/at/7?word=a%20b&more=1')).json()).toEqual({ n: 7, word: 'a b' });
  for (const asked of ['/at/x', '/at/x?word=a&word=b', '/at/x?word=a', '/at/7?word=a&__proto__=b&other=1&other=2'])
    expect((await app.request(asked)).status).toBe(400);
  expect(refusals).toEqual([
    'The query parameter "word" is missing.',
    'The query parameter "word" is given more than once.',
    expect.stringContaining('The part of the path "n"'),
    'The query parameter "other" is given more than once.',
  ]);
});
