import type { LineageRow } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { treeText } from './tree-text.ts';

it('says of a checkpoint that cannot be read why, as the list does', () => {
  const row: LineageRow = {
    id: 'a',
    kind: 'none',
    status: 'completed',
    seq: 1,
    isLatest: false,
    problem: 'unreadable',
  };
  const text = treeText('t', [row, { id: 'b', kind: 'none', status: 'completed', seq: 2, isLatest: true }]).join('\n');
  expect(text).toMatch(/● +a unreadable\n.*b completed ← latest/);
});
