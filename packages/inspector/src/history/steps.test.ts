import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { rowsOfWay, stepsBetween, STEP_LIMITS, wayBetween } from './steps.ts';

/** One line of checkpoints, each with `n` more, `first` only in the beginning and `late` from the last one on. */
async function lineOf(length: number): Promise<MemoryStore> {
  const store = new MemoryStore({ id: storeId('line') });
  for (let n = 0; n < length; n++) {
    const state = {
      n,
      x: n < 2 ? 'old' : 'new',
      ...(n === 0 ? { first: 1 } : {}),
      ...(n === length - 1 ? { late: 1 } : {}),
    };
    const parent = n === 0 ? {} : { parent: { task: 'run', id: `cp-${n - 1}` } };
    await store.save({ task: 'run', id: `cp-${n}`, text: JSON.stringify(state), ...parent });
  }
  return store;
}

const at = (n: number) => ({ task: 'run', id: `cp-${n}` });

describe('the steps between two checkpoints', () => {
  it('are named for each row', async () => {
    const { items, steps, of, complete } = await stepsBetween(await lineOf(5), at(0), at(4), []);
    expect([of, complete, steps.map(({ ref }) => ref.id)]).toEqual([4, true, ['cp-1', 'cp-2', 'cp-3', 'cp-4']]);
    expect(items).toEqual(
      [
        { path: '$.n', kind: 'changed', at: [3, 2, 1, 0], count: 4 },
        { path: '$.x', kind: 'changed', at: [1], count: 1 },
        { path: '$.late', kind: 'added', at: [3], count: 1 },
        { path: '$.first', kind: 'removed', at: [0], count: 1 },
      ].toSorted(
        (a, b) => items.findIndex(({ path }) => path === a.path) - items.findIndex(({ path }) => path === b.path),
      ),
    );
  });

  it('begin at the end of a long way, and say that some were left out', async () => {
    const store = await lineOf(STEP_LIMITS.checkpoints + 5);
    const last = STEP_LIMITS.checkpoints + 4;
    const way = await wayBetween(store, at(0), at(last));
    expect([way?.of, way?.steps.length, way?.steps[0]?.ref.id]).toEqual([last, STEP_LIMITS.checkpoints + 1, 'cp-0']);
    const { items, complete } = await stepsBetween(store, at(0), at(last), []);
    const by = new Map(items.map((item) => [item.path, item]));
    expect(complete).toBe(false);
    expect(by.get('$.late')?.count).toBe(1);
    expect(by.get('$.n')?.at).toHaveLength(STEP_LIMITS.named);
    // It changed before the part that was read.
    expect(by.get('$.x')?.at).toEqual([]);
    expect(by.get('$.first')?.at).toEqual([]);
  }, 30_000);

  it('stop at a state that cannot be read', async () => {
    const texts: Record<string, string | undefined> = {
      a: '{"x":1,"y":1}',
      gap: undefined,
      b: '{"x":2,"y":1}',
      c: '{"x":2,"y":2}',
    };
    const read = async (name: string) => texts[name];
    const { items, complete } = await rowsOfWay({ states: ['a', 'gap', 'b', 'c'], read, ignore: [], isCut: false });
    expect(complete).toBe(false);
    expect(items.map(({ path, at: steps }) => [path, steps])).toEqual([
      ['$.x', []],
      ['$.y', [2]],
    ]);
  });
});
