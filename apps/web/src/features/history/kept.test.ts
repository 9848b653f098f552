import { storeId } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import type { CheckpointRow } from '../../lib/api.ts';
import { keepSummaries, type Told } from './kept.ts';

const row = (id: string, more: Partial<CheckpointRow> = {}): CheckpointRow => ({
  store: storeId('s'),
  id,
  taskId: 't',
  lineage: 'recorded',
  seq: 1,
  timeBasis: 'none',
  status: 'completed',
  labels: [],
  sizeBytes: 9,
  isLatest: false,
  revision: `${id}-1`,
  ...more,
});

describe('keepSummaries', () => {
  it('keeps what a row said while a later page leaves it out', () => {
    const told: Told = new Map();
    const first = [row('b', { summary: 'n 1 → 2', changes: 1 }), row('a', { error: 'no answer' })];
    expect(keepSummaries(told, first)).toBe(first);
    const later = keepSummaries(told, [row('c'), row('b'), row('a')]);
    expect(later.map(({ summary, changes, error }) => [summary, changes, error])).toEqual([
      [undefined, undefined, undefined],
      ['n 1 → 2', 1, undefined],
      [undefined, undefined, 'no answer'],
    ]);
  });

  it('forgets it where the checkpoint was saved again, and takes new words', () => {
    const told: Told = new Map();
    keepSummaries(told, [row('b', { summary: 'n 1 → 2', changes: 1 })]);
    expect(keepSummaries(told, [row('b', { revision: 'b-2' })])[0]?.summary).toBeUndefined();
    keepSummaries(told, [row('b', { summary: 'n 1 → 3', changes: 1 })]);
    expect(keepSummaries(told, [row('b')])[0]?.summary).toBe('n 1 → 3');
  });
});
