import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { searchStates } from './offline.ts';
import { createSearch } from './service.ts';

async function seeded(): Promise<MemoryStore> {
  const store = new MemoryStore({ id: storeId('m') });
  const save = (task: string, id: string, value: unknown, description: string) =>
    store.save({ task, id, text: JSON.stringify(value), description, status: id === 'c' ? 'failed' : 'completed' });
  await save('sales', 'a', { revenue: { north: 42 }, note: 'Weather is fine' }, 'plan');
  await save('sales', 'b', { revenue: { north: 4200 }, note: 'Weather is fine' }, 'fetch weather');
  await save('sales', 'c', { revenue: { north: 4200 }, log: ['a "quoted" word'] }, 'report');
  await save('other', 'd', { big: 'x'.repeat(2000), deep: [{ weather: null }] }, 'plan');
  return store;
}

const QUERIES = ['weather', 'revenue.north:4200', '42', '"is fine"', 'plan', 'status:failed', 'status:failed 4200'];
const MORE = [
  '-status:failed north',
  'task:sales weather',
  '>1kB',
  'quoted',
  'weather -fine',
  'nothing at all',
  'north -4200',
];

it.each([...QUERIES, ...MORE])('finds for %j what the index finds', async (query) => {
  const store = await seeded();
  const stores = { list: () => [store.info], source: () => store, mayKeep: () => true, onEvent: () => () => true };
  const search = createSearch({ stores, timeLimitMs: 60_000 });
  await search.settled(30_000);
  const [indexed, gone] = [await search.search(query), await searchStates(store, query)];
  await search.close();
  const told = ({ items }: typeof gone) =>
    items.map(({ ref, in: where, path, snippet, count, firstSeen }) =>
      JSON.stringify([ref, where, path, snippet, count, firstSeen.ref]),
    );
  expect(told(gone).toSorted()).toEqual(told(indexed).toSorted());
  expect(gone.total).toBe(indexed.total);
});

it('refuses what cannot be read, and ends when nobody waits', async () => {
  await expect(searchStates(await seeded(), 'status:odd')).rejects.toMatchObject({ code: 'invalid_input' });
  const reason = new Error('Enough.');
  await expect(searchStates(await seeded(), 'x', AbortSignal.abort(reason))).rejects.toBe(reason);
});
