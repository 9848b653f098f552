// @vitest-environment jsdom
import { type CheckpointMeta, storeId } from '@checkpoint-inspector/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { api } from '../../lib/api.ts';
import { rows } from './testing/rows.ts';
import { Provenance } from './TreePanel.tsx';
import type { TreeModel } from './use-tree.ts';
import { treeBase, treeView } from './view-tree.ts';

afterEach(cleanup);

const LOCAL: CheckpointMeta = {
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

it('tells a time without its zone as a local one', async () => {
  vi.spyOn(api, 'checkpoint').mockResolvedValue(LOCAL);
  vi.spyOn(api, 'stores').mockResolvedValue({ items: [] });
  const view = treeView(treeBase('t', rows(['a'])), new Set(), new Set());
  const node = view.tree.nodes[0];
  if (node?.row === undefined) throw new Error('The tree has one checkpoint.');
  const { time: _, ...row } = node.row;
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Provenance store="s" model={{ view } as Partial<TreeModel> as TreeModel} node={{ ...node, row }} />
    </QueryClientProvider>,
  );
  expect(await screen.findByText('2026-11-21 08:29:44, local time')).toBeDefined();
});
