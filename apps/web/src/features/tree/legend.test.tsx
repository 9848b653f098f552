// @vitest-environment jsdom
import { forkTree } from '@checkpoint-inspector/core';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { laneBook } from './lanes/book.ts';
import { Legend } from './Minimap.tsx';
import { rows } from './testing/rows.ts';
import { treeBase, treeView } from './view-tree.ts';

afterEach(cleanup);

it('calls each lane what the graph and the table call it', () => {
  const sketch = rows(['a'], ['b', 'a', { isLatest: true }], ['c', 'a']);
  const fact = {
    lane: 'f1',
    parent: 'main',
    first: { task: 't', id: 'c' },
    tip: { task: 't', id: 'c' },
    steps: 1,
    status: 'completed' as const,
    differences: [{ path: '$.prompt', key: 'prompt', value: 'two-pass', before: 'one' }],
    nameLength: 1,
  };
  const book = laneBook(forkTree('t', sketch), [fact]);
  render(<Legend view={treeView(treeBase('t', sketch), new Set(), new Set())} book={book} />);
  const lanes = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(lanes).toContain('prompt: two-pass');
  expect(lanes.join()).not.toContain('f1');
});
