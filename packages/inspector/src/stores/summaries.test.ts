import { InspectorError, MemoryStore, storeId } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { seededStore } from '../testing/seeded.ts';
import { createSummaries } from './summaries.ts';

describe('summaries', () => {
  it('compare each checkpoint with its parent', async () => {
    const store = await seededStore();
    const { items } = await createSummaries().fill(store, await store.checkpoints('run-1'));
    expect(items.map((item) => item.summary)).toEqual([
      'n 2 → 3.0',
      'big 12345678901234567890 → 12345678901234567891, and 1 more',
      undefined,
    ]);
    expect(items.map((item) => item.changes)).toEqual([1, 2, undefined]);
  });

  it('tell no change from one that is unknown', async () => {
    const store = await seededStore();
    await store.save({ task: 'same', id: 'a', text: '{"n": 1}' });
    await store.save({ task: 'same', id: 'b', text: '{"n": 1}', parent: { task: 'same', id: 'a' } });
    const { items } = await createSummaries().fill(store, await store.checkpoints('same'));
    expect(items.map((item) => item.changes)).toEqual([0, undefined]);
  });

  it('read each state once, and follow a checkpoint that was saved again', async () => {
    const store = await seededStore();
    const summaries = createSummaries();
    const state = store.state.bind(store);
    let reads = 0;
    store.state = (ref) => {
      reads += 1;
      return state(ref);
    };
    await summaries.fill(store, await store.checkpoints('run-1'));
    expect(reads).toBe(3);
    await store.save({ task: 'run-1', id: 'cp-3', text: '{"n": 9}', parent: { task: 'run-1', id: 'cp-2' } });
    const { items } = await summaries.fill(store, await store.checkpoints('run-1'));
    expect(items.find((item) => item.id === 'cp-3')?.summary).toContain('2 → 9');
  });

  it('ask for no state that is larger than what is compared', async () => {
    const store = await seededStore();
    const state = store.state.bind(store);
    const asked: unknown[] = [];
    store.state = (ref, options) => {
      asked.push(options?.mostCharacters);
      return ref.id === 'cp-3' ? Promise.reject(new InspectorError('too_large', 'Large.')) : state(ref);
    };
    const { items } = await createSummaries().fill(store, await store.checkpoints('run-1'));
    expect(items.map(({ summary }) => summary !== undefined)).toEqual([false, true, false]);
    expect(asked).toEqual([1_000_000, 1_000_000, 1_000_000]);
  });

  it('stop when the time is used up', async () => {
    const store = await seededStore();
    let clock = 0;
    const summaries = createSummaries({ budgetMs: 15, now: () => (clock += 10) });
    const { items } = await summaries.fill(store, await store.checkpoints('run-1'));
    expect(items).toHaveLength(3);
    expect(items.map((item) => item.summary !== undefined)).toEqual([true, false, false]);
  });

  it('answer what they know before time is counted, and follow a parent that was saved again', async () => {
    const store = await seededStore();
    let clock = 0;
    let step = 0;
    const summaries = createSummaries({ budgetMs: 15, now: () => (clock += step) });
    const page = await store.checkpoints('run-1');
    const first = await summaries.fill(store, page);
    step = 100;
    const again = await summaries.fill(store, page);
    expect(again.items).toEqual(first.items);
    expect(again.items.filter((item) => item.summary !== undefined)).toHaveLength(2);
    await store.save({ task: 'run-1', id: 'cp-2', text: '{"n": 8}', parent: { task: 'run-1', id: 'cp-1' } });
    step = 0;
    const { items } = await summaries.fill(store, await store.checkpoints('run-1'));
    expect(items.find((item) => item.id === 'cp-3')?.summary).toContain('8 → 3.0');
  });

  it('tell the error of a failed one in its own words, in one line', async () => {
    const store = new MemoryStore({ id: storeId('memory') });
    const failed = (id: string, message: string) =>
      store.save({ task: 't', id, text: JSON.stringify({ lastError: { message } }), status: 'failed' });
    await failed('a', 'no answer\nTraceback: …');
    await failed('b', '');
    await store.save({ task: 't', id: 'c', text: '{"lastError":{"message":"old"}}', status: 'completed' });
    const page = await store.checkpoints('t');
    const { fill: withLines } = createSummaries();
    const { items } = await withLines(store, page);
    expect(items.map((item) => [item.id, item.error])).toEqual([
      ['c', undefined],
      ['b', undefined],
      ['a', 'no answer'],
    ]);
  });

  it('leave out large, unreadable and missing states', async () => {
    const store = await seededStore();
    const large = JSON.stringify({ text: 'x'.repeat(1_000_000) });
    const parent = { task: 't', id: 'a' };
    await store.save({ task: 't', id: 'a', text: large });
    await store.save({ task: 't', id: 'b', text: '{}', parent });
    await store.save({ task: 't', id: 'c', text: '{}', parent: { task: 't', id: 'gone' } });
    let largeReads = 0;
    const state = store.state.bind(store);
    store.state = async (ref) => {
      if (ref.id === 'a') largeReads += 1;
      if (ref.id === 'c') throw new Error('unreadable');
      return state(ref);
    };
    const { items } = await createSummaries().fill(store, await store.checkpoints('t'));
    expect(items.map((item) => item.summary)).toEqual([undefined, undefined, undefined]);
    expect(largeReads).toBe(0);
  });

  it('does not read a large parent that is on the next page', async () => {
    const store = new MemoryStore({ id: storeId('memory') });
    await store.save({ task: 't', id: 'large', text: `"${'x'.repeat(1_000_001)}"` });
    await store.save({ task: 't', id: 'small', text: '1', parent: { task: 't', id: 'large' } });
    const read: string[] = [];
    const state = store.state.bind(store);
    store.state = async (ref) => {
      read.push(ref.id);
      return state(ref);
    };
    const page = await store.checkpoints('t', { limit: 1 });
    const { fill } = createSummaries();
    const { items } = await fill(store, page);
    expect(items.map(({ id, summary }) => [id, summary])).toEqual([['small', undefined]]);
    expect(read).not.toContain('large');
  });
});

describe('summaries of a task', () => {
  const state = (step: number) =>
    JSON.stringify({
      step,
      status: `running: ${step % 2 === 0 ? 'fetch' : 'check'}`,
      quota: (step * 37) % 100,
      fee: step < 6 ? 31 : 31_000,
      messages: [{ role: 'user', content: 'Go.' }],
    });
  const saved = async (steps: number): Promise<MemoryStore> => {
    const store = new MemoryStore({ id: storeId('memory') });
    for (let step = 0; step < steps; step++)
      await store.save({
        task: 't',
        id: `${step}`,
        text: state(step),
        ...(step > 0 ? { parent: { task: 't', id: `${step - 1}` } } : {}),
      });
    return store;
  };

  it('lead with what moves seldom', async () => {
    const store = await saved(12);
    const { items } = await createSummaries().fill(store, await store.checkpoints('t'));
    expect(items.find(({ id }) => id === '6')?.summary).toMatch(/^fee 31 → 31000,/);
  });

  it('are told again where little was known when they were told', async () => {
    const store = await saved(12);
    let clock = 0;
    let step = 100;
    const summaries = createSummaries({ budgetMs: 150, now: () => (clock += step) });
    const page = await store.checkpoints('t', { around: { task: 't', id: '6' }, limit: 12 });
    const [first] = page.items.filter(({ id }) => id === '6');
    const one = await summaries.fill(store, { items: first ? [first] : [] });
    expect(one.items[0]?.summary).toMatch(/^fee 31 → 31000, quota/);
    step = 0;
    const { items } = await summaries.fill(store, page);
    expect(items.find(({ id }) => id === '6')?.summary).toMatch(/^fee 31 → 31000, and 3 more$/);
  });

  it('count a checkpoint that is saved again as the step it was', async () => {
    const store = await saved(3);
    const summaries = createSummaries();
    for (let again = 0; again < 4; again++) {
      await store.save({ task: 't', id: '2', text: state(7 + again), parent: { task: 't', id: '1' } });
      await summaries.fill(store, await store.checkpoints('t'));
    }
    expect((await summaries.rolesOf(store, 't')).steps).toBe(2);
  });

  it('know what the changes of a task are about without being asked for its rows', async () => {
    const store = await saved(12);
    let clock = 0;
    // However slow the machine is, as much is learned.
    const roles = await createSummaries({ now: () => (clock += 10_000) }).rolesOf(store, 't');
    expect(roles.of({ path: '$.quota', kind: 'changed', before: '3', after: '40' })).toBe('bookkeeping');
    expect(roles.of({ path: '$.fee', kind: 'changed', before: '31', after: '31000' })).toBe('data');
  });
});
