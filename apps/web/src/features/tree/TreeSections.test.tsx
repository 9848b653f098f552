// @vitest-environment jsdom
import { storeId, type Task } from '@checkpoint-inspector/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { api } from '../../lib/api.ts';
import { rows } from './testing/rows.ts';
import { TreeProblems } from './TreeSections.tsx';
import { treeBase, treeView } from './view-tree.ts';

afterEach(cleanup);

const OTHER: Task = {
  store: storeId('s'),
  id: 'other',
  title: 'Rank the companies',
  system: 'codex',
  checkpointCount: 1,
  unreadable: 0,
  status: 'completed',
};

it('a fork of another task is told by its title, apart from what is wrong', async () => {
  vi.spyOn(api, 'tasks').mockResolvedValue({ items: [OTHER], failures: [] });
  const view = treeView(treeBase('t', rows(['a', { task: 'other', id: 'p' }], ['b', 'gone'])), new Set(), new Set());
  const select = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TreeProblems store="s" model={{ view, select }} />
    </QueryClientProvider>,
  );
  const origin = await screen.findByText('Continues p of Rank the companies.');
  expect(screen.getAllByRole('heading').map((one) => one.textContent)).toEqual([
    'From another task 1',
    'Problems in this tree 1',
  ]);
  expect(screen.getByText('gone is no longer in the store.')).toBeDefined();
  fireEvent.click(origin);
  expect(view.tree.nodes[Number(select.mock.calls[0]?.[0])]?.ghost).toBe('other-task');
});
