import type { LineageRow } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { matches } from './PickerLists.tsx';

const row: LineageRow = {
  id: 'ckpt-07',
  seq: 9,
  stepIndex: 7,
  kind: 'recorded',
  status: 'failed',
  description: 'fetch_revenue',
  isLatest: false,
};

it('finds a checkpoint by number, name, id or status', () => {
  expect(['#7', '#07', '7', 'fetch', 'ckpt-07', 'failed'].filter((text) => !matches(row, text))).toEqual([]);
  expect(['#70', '#9', 'completed', 'ckpt-08'].filter((text) => matches(row, text))).toEqual([]);
  const { stepIndex: _, ...bare } = row;
  expect(matches(bare, '#9')).toBe(true);
});
