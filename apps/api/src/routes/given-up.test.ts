import { InspectorError, overlaid, type MemoryStore } from '@checkpoint-inspector/core';
import { seededStore } from '@checkpoint-inspector/inspector/testing/seeded';
import { expect, it, vi } from 'vitest';
import { jsonBody, recordingChanges, testApp } from '../testing/app.ts';

/** Calls that end only when their request does, as a store far away may. */
function hanging(store: MemoryStore) {
  let asked = () => {};
  const begun = new Promise<void>((resolve) => (asked = resolve));
  const hang = (options: { readonly signal?: AbortSignal | undefined } = {}) =>
    new Promise<never>((_, reject) => {
      asked();
      options.signal?.addEventListener('abort', () => reject(options.signal?.reason));
    });
  const calls: Partial<MemoryStore> = {
    tasks: (query) => hang(query),
    checkpoints: (_task, query) => hang(query),
    async *lineage(_task, options) {
      yield await hang(options);
    },
    meta: (_ref, options) => hang(options),
    find: (_id, options) => hang(options),
  };
  return { store: overlaid(store, calls), begun };
}

it.each([
  '/api/stores/memory/tasks/run-1',
  '/api/stores/memory/tasks/run-1/tree',
  '/api/stores/memory/tasks/run-1/checkpoints',
  '/api/stores/memory/checkpoints?id=cp-1',
  '/api/stores/memory/checkpoints/cp-2?task=run-1',
  '/api/stores/memory/checkpoints/cp-2/state?task=run-1',
  '/api/stores/memory/checkpoints/cp-2/raw?task=run-1',
  '/api/diff?a=memory/run-1/cp-1&b=memory/run-1/cp-2',
])('%s is read no further once its client is gone, and that is no defect', async (path) => {
  const { store, begun } = hanging(await seededStore());
  const onDefect = vi.fn();
  const { ask } = await testApp({ onDefect }, store);
  const client = new AbortController();
  const answer = ask(path, { signal: client.signal });
  await begun;
  client.abort();
  expect(await (await answer).json()).toMatchObject({ error: { code: 'busy' } });
  expect(onDefect).not.toHaveBeenCalled();
});

it('makes no plan once its client is gone, and that is no defect', async () => {
  const client = new AbortController();
  const onDefect = vi.fn();
  const { changes } = recordingChanges();
  // As the server says it of a connection that has ended, and as the service says it of any failure.
  const preview = async () => {
    client.abort('Client connection prematurely closed.');
    throw InspectorError.from(client.signal.reason);
  };
  const { ask } = await testApp({ onDefect, changes: { ...changes, preview } });
  const request = { kind: 'delete', refs: [{ task: 'run-1', id: 'cp-1' }] };
  const answer = await ask('/api/plans', { ...jsonBody({ store: 'memory', request }), signal: client.signal });
  expect(await answer.json()).toMatchObject({ error: { code: 'busy' } });
  expect(onDefect).not.toHaveBeenCalled();
});
