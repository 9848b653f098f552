/** What the tools say of what could not be looked at: an empty list is no all-clear then. */
import { InspectorError, MemoryStore, storeId } from '@checkpoint-inspector/core';
import { createStoreService } from '@checkpoint-inspector/inspector';
import { describe, expect, it } from 'vitest';
import { createMcpServer } from './server.ts';
import { connectTo } from './testing/client.ts';
import { mcpDeps } from './testing/deps.ts';

/** A store with a task whose count is a lower bound, with a damaged row, and a store that can't be listed. */
async function connected() {
  const partly = new MemoryStore({ id: storeId('partly') });
  await partly.save({ task: 'run', id: 'one', text: '{}' });
  const tasks = partly.tasks.bind(partly);
  partly.tasks = async (query) => {
    const page = await tasks(query);
    return { ...page, items: page.items.map((task) => ({ ...task, atLeast: true, unreadable: 1 })) };
  };
  const broken = new MemoryStore({ id: storeId('broken') });
  broken.tasks = async () => {
    throw new InspectorError('unreadable', 'the file is damaged');
  };
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(partly);
  stores.add(broken);
  const client = await connectTo(createMcpServer(mcpDeps(stores)));
  await client.tools();
  /** The client checks each answer against the schema of its tool. */
  const ask = async (name: string) => (await client.client.callTool({ name, arguments: {} })).structuredContent;
  return { ask, close: client.close };
}

describe('what could not be looked at', () => {
  it.each(['errors', 'usage'])(
    '%s names stores that failed and counts checkpoints that cannot be read',
    async (tool) => {
      const { ask, close } = await connected();
      expect(await ask(tool)).toMatchObject({
        unreadable: 1,
        unavailable: [{ store: 'broken', reason: 'the file is damaged' }],
      });
      await close();
    },
  );

  it('tasks counts them, and says where a count is a lower bound', async () => {
    const { ask, close } = await connected();
    expect(await ask('tasks')).toMatchObject({
      items: [{ task: 'partly/run', checkpoints: 1, atLeast: true, unreadable: 1 }],
      unavailable: [{ store: 'broken', reason: 'the file is damaged' }],
    });
    await close();
  });
});
