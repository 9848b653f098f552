import { storeId } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import type { CheckpointRow } from '../../lib/api.ts';
import { factOf, timeTitle, timeWords } from './HistoryRow.tsx';

const LOCAL: CheckpointRow = {
  store: storeId('s'),
  id: 'a',
  taskId: 't',
  lineage: 'none',
  seq: 1,
  createdAtText: '2026-11-21T08:29:44.834706Z',
  timeBasis: 'local',
  status: 'failed',
  labels: [],
  sizeBytes: 1,
  isLatest: true,
};

it('calls a time local that is, whatever zone is written behind it', () => {
  expect(timeTitle(LOCAL)).toBe('2026-11-21T08:29:44.834706Z, local time');
  expect(timeWords(LOCAL)).toBe('2026-11-21 08:29:44, local time');
});

it('tells an error once: where the row is called so, the second line tells what changed', () => {
  const row = { ...LOCAL, error: 'KeyError: no dates in the plan', summary: '+plan' };
  expect(factOf({ ...row, description: 'fetch' })).toBe(row.error);
  expect(factOf({ ...row, description: 'KeyError: no dates…' })).toBe('failed: +plan');
});
