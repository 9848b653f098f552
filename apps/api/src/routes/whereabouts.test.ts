import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import type { CheckpointRef, Receipt, StoreId } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import type { TrashItem } from '@checkpoint-inspector/changes';
import { testApp } from '../testing/app.ts';
import { whereIs } from '@checkpoint-inspector/inspector';

const id = storeId('memory');
const ref = (name: string): CheckpointRef => ({ task: 't', id: name });

const receipt = (parts: Partial<Receipt>): Receipt => ({
  id: 'r1',
  planId: 'p1',
  request: { kind: 'undo', receiptId: 'r0' },
  store: id,
  task: 't',
  appliedAt: '2026-01-01T00:00:00.000Z',
  done: [],
  failed: [],
  written: [],
  removed: [],
  latestNow: { basis: 'none' },
  proof: 'none',
  undoable: true,
  ...parts,
});

/** Asks with one item on a page; every list must be asked for this store alone. */
async function ask(wanted: string, receipts: readonly Receipt[] = [], trash: readonly TrashItem[] = []) {
  const store = new MemoryStore({ id });
  await store.save({ task: 't', id: 'b', text: '{}', parent: ref('a') });
  const seen: (StoreId | undefined)[] = [];
  const page =
    <T>(items: readonly T[]) =>
    async (query: { store?: StoreId; cursor?: string } = {}) => {
      seen.push(query.store);
      const at = Number(query.cursor ?? 0);
      return { items: items.slice(at, at + 1), ...(at + 1 < items.length ? { cursor: String(at + 1) } : {}) };
    };
  const found = await whereIs(store, { receipts: page(receipts), trash: page(trash) }, { task: 't', id: wanted });
  expect(seen.filter((asked) => asked !== id)).toEqual([]);
  return found;
}

describe('whereIs', () => {
  it('finds what is there', async () => {
    expect(await ask('b')).toEqual({ state: 'here', ref: ref('b') });
  });

  it('finds it in the trash, before anything else', async () => {
    const item: TrashItem = {
      receiptId: 'r1',
      store: id,
      ref: ref('a'),
      what: 'a',
      deletedAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-31T00:00:00.000Z',
      restorable: true,
    };
    expect(await ask('a', [receipt({ removed: [ref('a')] })], [item])).toEqual({ state: 'trash', item });
  });

  it('says that a change removed it when the trash has it no more', async () => {
    expect(await ask('x', [receipt({ removed: [ref('x')] })])).toMatchObject({ state: 'deleted', receiptId: 'r1' });
    expect(
      await ask('x', [receipt({ request: { kind: 'fork', ref: ref('b') }, written: [ref('x')], undoneBy: 'r2' })]),
    ).toMatchObject({ state: 'deleted', byUndo: true });
  });

  it('knows by a child or a receipt that it was there once', async () => {
    expect(await ask('a')).toEqual({ state: 'evicted', child: ref('b') });
    expect(await ask('x', [receipt({ request: { kind: 'restore', ref: ref('x') } })])).toEqual({
      state: 'evicted',
      receiptId: 'r1',
    });
  });

  it('looks through every page of the receipts', async () => {
    const other = receipt({ id: 'r0', removed: [ref('y')] });
    const named = receipt({ removed: [ref('x')] });
    expect(await ask('x', [other, other, named])).toMatchObject({ state: 'deleted', receiptId: 'r1' });
  });

  it('says never where nothing names it', async () => {
    expect(await ask('x', [receipt({ removed: [ref('y')] })])).toEqual({ state: 'never' });
  });
});

it('GET gone answers with what is known', async () => {
  const app = await testApp();
  const answer = async (query: string) => (await app.ask(`/api/stores/memory/gone?${query}`)).json();
  expect(await answer('id=none')).toEqual({ state: 'never' });
  expect(await answer('id=cp-1&task=run-2&ns=')).toEqual({ state: 'here', ref: { task: 'run-2', id: 'cp-1' } });
  expect((await app.ask('/api/stores/memory/gone')).status).toBe(400);
});
