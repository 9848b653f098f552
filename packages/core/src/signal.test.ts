import { describe, expect, it } from 'vitest';
import { MemoryStore } from './memory.ts';
import { withOptions } from './signal.ts';

async function storeOfOne() {
  const store = new MemoryStore();
  await store.save({ task: 'run', id: 'cp', text: '{"n":1}' });
  return store;
}

const ref = { task: 'run', id: 'cp' };

describe('a store with a signal', () => {
  it('answers as the store itself', async () => {
    const store = await storeOfOne();
    const lent = withOptions(store, { signal: new AbortController().signal });
    expect(lent.info).toBe(store.info);
    expect(await lent.checkpoints('run', { limit: 5 })).toEqual(await store.checkpoints('run', { limit: 5 }));
    expect(await lent.state(ref)).toEqual(await store.state(ref));
    expect(await lent.plan({ kind: 'delete', refs: [ref] })).toMatchObject({ view: { removes: { count: 1 } } });
  });

  it('gives every reading call up with the signal, with its reason', async () => {
    const lent = withOptions(await storeOfOne(), { signal: AbortSignal.abort(new Error('gone')) });
    const calls: readonly (() => unknown)[] = [
      () => lent.tasks(),
      () => lent.checkpoints('run'),
      () => lent.lineage('run')[Symbol.asyncIterator]().next(),
      () => lent.meta(ref),
      () => lent.state(ref),
      () => lent.latest('run'),
      () => lent.find('cp'),
      () => lent.raw?.(ref),
    ];
    for (const call of calls) await expect((async () => call())()).rejects.toThrow('gone');
  });

  it('leaves a call that names its own signal to that one', async () => {
    const lent = withOptions(await storeOfOne(), { signal: AbortSignal.abort(new Error('gone')) });
    expect(await lent.meta(ref, { signal: new AbortController().signal })).toMatchObject({ id: 'cp' });
  });

  it('asks for a signal that is made when it is asked for, also for a call that names something else', async () => {
    class Late {
      get signal() {
        return AbortSignal.abort(new Error('late'));
      }
    }
    const lent = withOptions(await storeOfOne(), new Late());
    await expect(lent.meta(ref)).rejects.toThrow('late');
    await expect(lent.checkpoints('run', { limit: 5 })).rejects.toThrow('late');
  });
});
