import { createHash } from 'node:crypto';

/**
 * Advisory locks that our own stores and all inspectors take in a transaction: of a task, whose writers share the lock of
 * the store, or of the whole store. 64 bits of a hash; advisory locks belong to one database already.
 */
export const storeLock = (schema: string): string => key('store', schema);
export const taskLock = (schema: string, task: string): string => key('task', schema, task);

/** Where our own store says which tasks were changed. */
export const storeChannel = (schema: string): string => `checkpoint_inspector_${storeLock(schema)}`;

/** Held together by all who listen there: nobody is told where nobody holds it. */
export const listenLock = (schema: string): string => key('listen', schema);

function key(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(['checkpoint-inspector', ...parts]));
  return String(hash.digest().readBigInt64BE());
}
