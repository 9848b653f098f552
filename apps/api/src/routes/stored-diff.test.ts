import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeId } from '@checkpoint-inspector/core';
import { createLargeStates, createStoreService, defaultRegistry } from '@checkpoint-inspector/inspector';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../testing/app.ts';
import { diffAnswerSchema, stepsAnswerSchema } from '../wire/index.ts';

const messages = Array.from({ length: 20_000 }, (_, n) => ({ id: `m${n}`, content: `${n} `.repeat(80) }));
const pair = '?a=agents-db/run/a&b=agents-db/run/b';

it('compares large states of our own store, and gives a value of one, without reading their texts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stored-diff-'));
  const agent = await openSqliteStore({ path: join(folder, 'agents.db') });
  const value = { step: 1, updatedAt: 1, messages };
  await agent.save({ task: 'run', id: 'a', value });
  const next = { step: 2, updatedAt: 2, messages: [...messages, { id: 'new' }] };
  const { sizeBytes } = await agent.save({ task: 'run', id: 'b', value: next, parent: { task: 'run', id: 'a' } });
  expect(sizeBytes).toBeGreaterThan(8_000_000);
  await agent.close();
  const stores = createStoreService({ registry: defaultRegistry() });
  await stores.open(join(folder, 'agents.db'));
  const largeStates = createLargeStates({ stores });
  onTestFinished(async () => {
    await largeStates.close();
    await stores.closeAll();
    await rm(folder, { recursive: true });
  });
  const texts = vi.spyOn(stores.source(storeId('agents-db')), 'state');
  const { ask } = await testApp({ stores, largeStates });
  const diff = diffAnswerSchema.parse(await (await ask(`/api/diff${pair}`)).json());
  expect(diff).toEqual({
    items: [
      { path: '$.step', kind: 'changed', before: '1', after: '2' },
      { path: '$.messages[20000]', kind: 'added', after: '{"id":"new"}' },
    ],
    summary: { added: 1, removed: 0, changed: 1, moved: 0 },
    ignored: expect.arrayContaining([{ rule: '$.updatedAt', count: 1 }]) as unknown,
    ignoreRules: stores.source(storeId('agents-db')).info.volatilePaths,
  });
  const steps = stepsAnswerSchema.parse(await (await ask(`/api/diff/steps${pair}`)).json());
  expect(steps).toMatchObject({ complete: true, items: [{ at: [0] }, { at: [0] }] });
  const url = '/api/stores/agents-db/checkpoints/b/state/value?task=run';
  expect(await (await ask(`${url}&path=$.messages[19999]`)).text()).toBe(JSON.stringify(messages[19_999]));
  expect((await ask(`${url}&path=$.messages[20001]`)).status).toBe(404);
  expect(texts).not.toHaveBeenCalled();
});
