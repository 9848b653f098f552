import { storeId } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import type { Storage } from '../../lib/api.ts';
import { barShare, mostBytes, spanText, storageRows } from './rows.ts';

const store = storeId('a');
const none = { changes: 0, checkpoints: 0, bytes: 0 };
const task = (id: string, bytes: number) => ({ store, id, title: id, bytes, checkpoints: 1, unreadable: 0, locked: 0 });
const report: Storage = {
  stores: [
    {
      store,
      label: 'a.db',
      system: 'native',
      bytes: 30,
      checkpoints: 2,
      unreadable: 0,
      locked: 0,
      tasks: [task('big', 20), task('small', 10)],
    },
  ],
  unreadable: [],
  unreadableCount: 0,
  journal: { path: '/j', bytes: 1, cacheBytes: 0 },
  trash: { ...none, expired: none, keepDays: 30 },
  failures: [],
};

it('lists stores with their tasks, then what the inspector keeps, then what cannot be read', () => {
  expect(storageRows(report).map(({ key }) => key)).toEqual(['store a', 'task a big', 'task a small', 'own']);
  const row = {
    store,
    ref: { task: 'big', id: 'x' },
    sizeBytes: 3,
    problem: { code: 'unreadable', message: 'torn' },
  } as const;
  const rows = storageRows({ ...report, unreadable: [row], unreadableCount: 1500 });
  expect(rows.slice(-2)).toMatchObject([
    { kind: 'head', note: 'the first 1 of 1,500' },
    { kind: 'unreadable', row },
  ]);
  expect([mostBytes(report), mostBytes({ ...report, stores: [] })]).toEqual([20, 0]);
});

it('shows times as days, and says which are local', () => {
  const at = (text: string, utc = true) => ({ text, utc });
  expect(spanText({ oldest: at('2026-01-01T10:00:00Z'), newest: at('2026-01-03T10:00:00Z') })).toBe(
    '2026-01-01 to 2026-01-03',
  );
  expect(spanText({ oldest: at('2026-01-01T10:00Z', false), newest: at('2026-01-01T11:00Z', false) })).toBe(
    '2026-01-01 (local time)',
  );
  expect(spanText({})).toBe('no times');
});

it('tells small tasks apart beside a large one', () => {
  const [none, small, middle, whole] = [0, 2_000, 100_000, 18_000_000].map((bytes) => barShare(bytes, 18_000_000));
  expect([none, whole]).toEqual([0, 1]);
  expect(small).toBeGreaterThan(0.1);
  expect(middle).toBeGreaterThan(Number(small) + 0.2);
  expect(middle).toBeLessThan(0.7);
  expect(barShare(5, 0)).toBe(0);
});
