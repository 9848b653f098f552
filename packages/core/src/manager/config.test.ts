import { expect, test } from 'vitest';
import { CheckpointManager } from '../manager.ts';
import { MemoryStore } from '../memory.ts';

test.each<[string, () => unknown, string]>([
  ['a store in place of the options', () => new MemoryStore(), 'This is a store, not the options.'],
  ['a store that isn’t open yet', () => ({ store: Promise.resolve() }), 'store must be a store, not a promise.'],
  ['the path of a store', () => ({ store: 'agent.db' }), 'store must be a store, not another value.'],
])('%s is an error: states would end with the process, or at the first save', (_, config, message) => {
  expect(() => Reflect.construct(CheckpointManager, [config()])).toThrow(
    expect.objectContaining({ code: 'invalid_input', message, remedy: expect.stringContaining('store') }),
  );
});

test.each(['restore', 'list', 'deleteAll', 'restoreById', 'delete', 'fork'] as const)(
  '%s refuses an id that isn’t text, whatever the store',
  async (name) => {
    const manager = new CheckpointManager();
    const id = ['restore', 'list', 'deleteAll'].includes(name) ? 'taskId' : 'checkpointId';
    for (const given of [undefined, 5, { taskId: 'report' }])
      await expect(Reflect.apply(manager[name], manager, [given])).rejects.toMatchObject({
        code: 'invalid_input',
        message: `${id} must be text.`,
      });
  },
);
