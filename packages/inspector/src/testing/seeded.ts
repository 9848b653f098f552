/** For tests: a store in memory. */
import { MemoryStore, storeId } from '@checkpoint-inspector/core';

/** Three checkpoints of `run-1` (each the parent of the next), and one of `run-2` with an id of `run-1`. */
export async function seededStore(): Promise<MemoryStore> {
  const store = new MemoryStore({ id: storeId('memory') });
  const save = async (task: string, id: string, text: string, parent?: string) => {
    await store.save({ task, id, text, ...(parent === undefined ? {} : { parent: { task, id: parent } }) });
  };
  await save('run-1', 'cp-1', '{"n": 1, "big": 12345678901234567890}');
  await save('run-1', 'cp-2', '{"n": 2, "big": 12345678901234567891}', 'cp-1');
  await save('run-1', 'cp-3', '{"n": 3.0, "big": 12345678901234567891}', 'cp-2');
  await save('run-2', 'cp-1', '{"other": true}');
  return store;
}
