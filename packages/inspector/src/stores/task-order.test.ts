import { storeId, type Task } from '@checkpoint-inspector/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byTime, RANKS, rankOf, TaskOrder } from './task-order.ts';

const store = storeId('s');
const tasks = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 0, max: 30 }).map(String),
    updatedAt: fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03'),
    status: fc.constantFrom('failed' as const, 'completed' as const),
  }),
  { selector: ({ id }) => id },
);
const whole = (given: { id: string; updatedAt: string; status: 'failed' | 'completed' }): Task => ({
  ...given,
  store,
  title: given.id,
  system: 'native',
  checkpointCount: 1,
  unreadable: 0,
});

it('is the order of what is known, whatever is put, and of the first ones what a reading has met', () => {
  fc.assert(
    fc.property(fc.array(tasks, { maxLength: 8 }), fc.boolean(), (readings, isPart) => {
      const order = new TaskOrder();
      let known: Task[] = [];
      for (const [seen, given] of readings.entries()) {
        const read = given.map(whole).toSorted(byTime);
        order.put(read, 0, seen);
        const last = isPart ? read.at(-1) : undefined;
        order.dropUnseen(seen, last);
        const ids = new Set(read.map(({ id }) => id));
        const rest = known.filter((task) => !ids.has(task.id) && last !== undefined && byTime(task, last) > 0);
        known = isPart && last === undefined ? [] : [...rest, ...read].toSorted(byTime);
        for (const rank of RANKS) {
          expect(order.of(rank).map(({ task }) => task)).toEqual(known.filter((task) => rankOf(task) === rank));
        }
        expect(order.size).toBe(known.length);
      }
    }),
  );
});

it('looks at few of many tasks to put one of them first', () => {
  const order = new TaskOrder();
  let reads = 0;
  const many = Array.from({ length: 20_000 }, (_, at): Task => {
    const task = whole({ id: String(at), updatedAt: '', status: 'completed' });
    const updatedAt = new Date(1_800_000_000_000 - at).toISOString();
    return Object.defineProperty(task, 'updatedAt', { enumerable: true, get: () => (reads++, updatedAt) });
  });
  order.put(many, 0, 1);
  reads = 0;
  const first = whole({ id: '15000', updatedAt: '2030-01-01', status: 'completed' });
  order.put([first], 0, 2);
  order.dropUnseen(2, first);
  expect(order.of(1)[0]?.task).toBe(first);
  expect(order.size).toBe(20_000);
  expect(reads).toBeLessThan(200);
});
