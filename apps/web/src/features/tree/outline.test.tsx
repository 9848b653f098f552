// @vitest-environment jsdom
import { forkTree } from '@checkpoint-inspector/core';
import { cleanup, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { laneBook } from './lanes/book.ts';
import { Outline } from './Outline.tsx';
import { rows } from './testing/rows.ts';
import type { TreeModel } from './use-tree.ts';
import { treeBase, treeView } from './view-tree.ts';

interface ListProps {
  readonly items: readonly unknown[];
  readonly render: (item: unknown, index: number) => ReactNode;
}

// jsdom lays nothing out, so the real list would draw no row.
vi.mock('../../components/index.ts', async (original) => ({
  ...(await original<object>()),
  VirtualList: (list: ListProps) => list.items.map((item, index) => <div key={index}>{list.render(item, index)}</div>),
}));

afterEach(cleanup);

it('calls each lane what the graph calls it', () => {
  const sketch = rows(['a'], ['b', 'a', { isLatest: true }], ['c', 'a'], ['d', 'a']);
  const first = { task: 't', id: 'c' };
  const differences = [{ path: '$.prompt', key: 'prompt', value: 'two-pass', before: 'one' }];
  const fact = { lane: 'f1', parent: 'main', first, tip: first, steps: 1, differences, nameLength: 1 };
  const book = laneBook(forkTree('t', sketch), [{ ...fact, status: 'completed' }]);
  const view = treeView(treeBase('t', sketch), new Set(), new Set());
  const model = { view, selected: -1, tellOf: () => undefined } as Partial<TreeModel> as TreeModel;
  render(<Outline model={model} book={book} onOpen={vi.fn()} />);
  const cells = screen.getAllByRole('gridcell').map(({ textContent }) => textContent);
  const lanes = cells.filter((_, index) => index % 6 === 1);
  expect(lanes).toEqual(['main', 'prompt: two-pass', 'f2 from #01', 'main']);
});
