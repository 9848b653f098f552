import { storeId } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import type { TrashItem } from '../../lib/api.ts';
import { bytesOf, changesOf, expiryText, sumWords } from './trashed.ts';

const item = (receiptId: string, id: string, sizeBytes?: number): TrashItem => ({
  receiptId,
  store: storeId('s'),
  ref: { task: 't', id },
  what: id,
  deletedAt: '2026-01-01T00:00:00Z',
  expiresAt: '2026-01-31T00:00:00Z',
  restorable: true,
  ...(sizeBytes === undefined ? {} : { sizeBytes }),
});

describe('the trash', () => {
  it('is listed by change, in its own order, each with all that it removed', () => {
    const changes = changesOf([item('r2', 'c'), item('r2', 'b'), item('r1', 'a'), item('r2', 'd')]);
    expect(changes.map(({ receiptId, items }) => [receiptId, items.map(({ ref }) => ref.id)])).toEqual([
      ['r2', ['c', 'b', 'd']],
      ['r1', ['a']],
    ]);
    expect(changesOf([])).toEqual([]);
  });

  it('has no size where one is not known', () => {
    expect(bytesOf([item('r', 'a', 2), item('r', 'b', 3)])).toBe(5);
    expect(bytesOf([item('r', 'a', 2), item('r', 'b')])).toBeUndefined();
  });

  it('tells what it takes up on the disk apart from the sizes of its rows', () => {
    expect(sumWords({ checkpoints: 2, bytes: 6200 })).toBe('2 checkpoints, kept byte for byte; 6.2 kB on disk');
  });

  it('says how long it is kept, and that nothing goes by itself', () => {
    const now = Date.parse('2026-01-10T12:00:00Z');
    expect(expiryText('2026-02-09T12:00:00Z', now)).toBe('kept 30 more days');
    expect(expiryText('2026-01-10T12:00:01Z', now)).toBe('kept 1 more day');
    expect(expiryText('2026-01-10T12:00:00Z', now)).toBe('expired, kept until you purge it');
  });
});
