import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { MemoryStore, storeId, type CallOptions, type CheckpointSource } from '@checkpoint-inspector/core';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { sourceFor } from './router.ts';

setFlagsFromString('--allow-natives-syntax');
const haveOneShape: (a: object, b: object) => boolean = runInThisContext('(a, b) => %HaveSameMap(a, b)');

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
