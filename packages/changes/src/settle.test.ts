import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyPlanLists, MemoryStore, storeId, type PlanView } from '@checkpoint-inspector/core';
import { ENGINES } from '@checkpoint-inspector/io';
import type { NewIntent } from './journal/types.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { conclude } from './run.ts';
import { makeReceipt, readBack, removedRefs } from './receipt.ts';
import { placeOf } from './store.ts';
import { makeBench, ref, restore, type Bench } from './testing/bench.ts';
import { STORE, TASK } from './testing/stores.ts';
import type { Context } from './types.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await makeBench();
});
afterEach(() => bench.close());

const LATER = '2100-01-01T00:00:00.000Z';

async function restoring(): Promise<PlanView> {
  const { view: plan } = await bench.store.plan(restore('c2'));
  return { ...plan, id: 'p1', expiresAt: LATER, request: plan.request as PlanView['request'] };
}

describe('a change that was undone', () => {
  it('has a receipt in which nothing was done, removed, proven or linked', async () => {
    const plan = await restoring();
    const intent: NewIntent = { id: 'i1', store: STORE, plan, engine: 'files', place: bench.folder };
    bench.journal.begin(intent, []);
    const context: Context = {
      journal: bench.journal,
      sources: () => bench.store,
      readOnly: false,
      now: () => new Date('2026-01-01'),
      executors: ENGINES,
    };
    // The agent evicts meanwhile what the change was to evict.
    await unlink(join(bench.folder, 'c1.json'));
    const receipt = await conclude(context, intent, { outcome: 'rolled-back', skipped: [], failed: [], done: [] }, []);
    expect(receipt).toMatchObject({
      done: [],
      written: [],
      removed: [],
      proof: 'none',
      undoable: 'Nothing was changed.',
    });
    expect(receipt.failed).toMatchObject([{ what: 'restore' }]);
    expect(bench.journal.sidecar(placeOf(bench.store), STORE)).toEqual([]);
  });

  it('has written nothing, whatever its plan says', async () => {
    const plan = await restoring();
    const receipt = makeReceipt({
      id: 'r1',
      store: STORE,
      plan,
      appliedAt: new Date('2026-01-01'),
      done: [],
      failed: [],
      removed: [],
      readBack: { latest: { basis: 'none' }, proof: 'none' },
    });
    expect(receipt.written).toEqual([]);
    expect(receipt).not.toHaveProperty('next');
  });
});

describe('what a change removed', () => {
  it('is neither what cannot be read nor what a later save evicts', async () => {
    const [now, later] = [ref('c1'), ref('c2')];
    const plan: PlanView = {
      ...(await restoring()),
      removes: { count: 1, items: [{ ref: ref('c3'), reason: 'x' }] },
      evicts: {
        count: 2,
        items: [
          { ref: now, reason: 'x', when: 'now' },
          { ref: later, reason: 'x', when: 'next-save' },
        ],
      },
    };
    const store = new MemoryStore({ id: storeId('memory') });
    vi.spyOn(store, 'raw').mockImplementation(async ({ id }) => {
      if (id === 'c3') throw new Error('torn');
      return undefined;
    });
    expect(await removedRefs(store, plan, [])).toEqual([now]);
  });
});

describe('the proof of an undo', () => {
  async function proofOf(more: Partial<PlanView>): Promise<string> {
    const store = new MemoryStore({ id: storeId('memory') });
    await store.save({ task: TASK, id: 'old', text: '{"n":1}' });
    await store.save({ task: TASK, id: 'new', text: '{"n":2}' });
    const plan: PlanView = {
      ...emptyPlanLists(),
      id: 'p1',
      expiresAt: LATER,
      request: { kind: 'undo', receiptId: 'r1' },
      store: STORE,
      task: TASK,
      preconditions: [],
      warnings: [],
      latestBefore: { basis: 'none' },
      latestAfter: ref('old'),
      proofHash: 'f'.repeat(64),
      bytesFreed: 0,
      ...more,
    };
    return (await readBack(store, plan)).proof;
  }

  it('says nothing where an agent has saved above what was put back', async () => {
    expect(await proofOf({})).toBe('none');
  });

  it('says "different" where the head was to stay, or where what was put back is the latest', async () => {
    expect(await proofOf({ preconditions: [{ kind: 'head', task: TASK, ref: ref('old') }] })).toBe('different');
    expect(await proofOf({ writes: { count: 1, items: [{ ref: ref('new'), reason: 'put back' }] } })).toBe('different');
  });
});
