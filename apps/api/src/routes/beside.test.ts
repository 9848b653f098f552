import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import type { Beside, CheckpointSource } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { testApp } from '../testing/app.ts';

const BESIDE: Beside = {
  error: 'TypeError: no',
  errors: [{ text: 'TypeError: no', node: 'fetch' }],
  requests: [{ text: 'Go on?', from: 'ask' }],
  writes: [{ taskId: 'a', node: 'fetch_ok', channel: 'log', text: '["done"]', sizeBytes: 8 }],
  next: ['fetch'],
};

async function appOf(more: Partial<CheckpointSource>) {
  const store = new MemoryStore({ id: storeId('memory') });
  await store.save({ task: 't', id: 'a', text: '{}', status: 'failed' });
  return testApp({}, Object.assign(store, more));
}

describe('GET …/checkpoints/:id/beside', () => {
  it('answers with what the system keeps beside the checkpoint, and what this row refuses', async () => {
    const { ask } = await appOf({ beside: async () => BESIDE, capability: async () => ({ edit: 'It is msgpack.' }) });
    const answer = await ask('/api/stores/memory/checkpoints/a/beside');
    expect(await answer.json()).toEqual({ ...BESIDE, refused: { edit: 'It is msgpack.' } });
  });

  it('is empty where a system keeps nothing there, and 404 where there is no such checkpoint', async () => {
    const { ask } = await appOf({});
    expect(await (await ask('/api/stores/memory/checkpoints/a/beside')).json()).toEqual({ requests: [], refused: {} });
    expect((await ask('/api/stores/memory/checkpoints/none/beside')).status).toBe(404);
  });
});
