import type { Changeable, CheckpointSource } from '../contract.ts';
import { InspectorError } from '../errors.ts';
import { MemoryStore } from '../memory.ts';
import { applyRows } from './apply-rows.ts';
import { checkpoint } from './builders.ts';
import { describeSystem } from './describe-system.ts';

async function filled(): Promise<MemoryStore> {
  const store = new MemoryStore({ maxPerTask: 4 });
  for (const id of ['a', 'b', 'c', 'd']) await store.save(checkpoint('full', id));
  await store.save(checkpoint('short', 'x', { text: '{ "n": 1.0 }' }));
  await store.save(checkpoint('short', 'y', { parent: { task: 'short', id: 'x' } }));
  return store;
}

const facts = {
  tasks: [
    { id: 'full', checkpoints: 4, latest: 'd', recorded: 0 },
    { id: 'short', checkpoints: 2, unreadable: 0, latest: 'y', recorded: 1 },
  ],
  states: [{ ref: { task: 'short', id: 'x' }, text: '{ "n": 1.0 }' }],
};

/** The same store as a source that cannot be changed. */
function readOnly(store: MemoryStore): CheckpointSource & Changeable {
  const no = 'This is a source for reading.';
  return {
    info: { ...store.info, capabilities: { restore: no, fork: no, edit: no, delete: no } },
    tasks: (query) => store.tasks(query),
    checkpoints: (task, query) => store.checkpoints(task, query),
    lineage: (task, options) => store.lineage(task, options),
    meta: (ref, options) => store.meta(ref, options),
    state: (ref, options) => store.state(ref, options),
    raw: (ref, options) => store.raw(ref, options),
    latest: (task, options) => store.latest(task, options),
    find: (id, options) => store.find(id, options),
    plan: async (_request, options) => {
      options?.signal?.throwIfAborted();
      throw new InspectorError('unsupported', no);
    },
  };
}

describeSystem('a memory store and a read-only one', {
  open: async () => ({
    sources: [await filled(), readOnly(await filled())],
    apply: async (plan) => applyRows(plan),
  }),
  facts: [facts, facts],
  skip: [
    {
      tests: ['edit: undo brings everything back byte for byte'],
      reason: 'undo is made by the engines, and is proven there',
    },
  ],
});
