import type { MemoryAccess, NativeRow } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { MemoryRows } from './memory.ts';

/** Rows of one table, found by equal values. */
function rowsOf(...start: NativeRow[]): MemoryAccess {
  let next = 1n;
  let rows = start.map((row) => ({ rowid: next++, row }));
  const matches = (row: NativeRow, key: NativeRow): boolean =>
    Object.entries(key).every(([name, value]) => row[name] === value);
  const found = (key: NativeRow) => rows.filter(({ row }) => matches(row, key));
  return {
    select: (_, key) => found(key),
    insert(_, row, rowid = next++) {
      rows.push({ rowid, row });
      return rowid;
    },
    update(_, key, set) {
      const hits = new Set(found(key));
      rows = rows.map((one) => (hits.has(one) ? { ...one, row: { ...one.row, ...set } } : one));
      return hits.size;
    },
    delete(_, key) {
      const hits = new Set(found(key));
      rows = rows.filter((one) => !hits.has(one));
      return hits.size;
    },
  };
}

it('the greatest value is found among the rows of the key, and there may be none', () => {
  const rows = new MemoryRows(
    rowsOf({ task: 'a', n: 2 }, { task: 'a', n: 7 }, { task: 'a', n: null }, { task: 'b', n: 9 }),
  );
  expect(rows.max('t', { task: 'a' }, 'n')).toBe(7);
  expect(rows.max('t', { task: 'c' }, 'n')).toBeNull();
});

it('every row that is added, changed or removed is counted', () => {
  const rows = new MemoryRows(rowsOf({ id: 'a' }, { id: 'b' }));
  rows.insert('t', { id: 'c' });
  expect(rows.changes()).toBe(1);
  rows.update('t', { id: 'c' }, { n: 1 });
  expect(rows.changes()).toBe(2);
  rows.delete('t', {});
  expect(rows.changes()).toBe(5);
});
