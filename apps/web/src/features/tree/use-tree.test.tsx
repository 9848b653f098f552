// @vitest-environment jsdom
import { InspectorError, storeId } from '@checkpoint-inspector/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { api, type CheckpointRow } from '../../lib/api.ts';
import { createQueryClient, treeQuery } from '../../lib/queries.ts';
import { rows } from './testing/rows.ts';
import { useTree } from './use-tree.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const told: CheckpointRow = {
  store: storeId('s'),
  id: 'b',
  taskId: 't',
  lineage: 'recorded',
  seq: 2,
  timeBasis: 'none',
  status: 'completed',
  labels: [],
  sizeBytes: 1,
  isLatest: true,
  summary: 'n 1 → 2',
};

function drawn(focus?: string) {
  const client = createQueryClient();
  client.setQueryData(treeQuery('s', 't').queryKey, rows(['a'], ['b', 'a', { isLatest: true }]));
  const asked = { store: 's', task: 't', focus, expand: [], mode: undefined, onFocus: vi.fn(), onExpand: vi.fn() };
  const hook = renderHook(() => useTree(asked), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  return { client, tree: () => hook.result.current };
}

it('tells of the newest checkpoints where the one that the address names is gone', async () => {
  vi.spyOn(api, 'checkpoints').mockImplementation(async (_store, _task, { around }) => {
    if (around !== undefined) throw new InspectorError('not_found', 'No checkpoint "gone" in task "t".');
    return { items: [told] };
  });
  const { tree } = drawn('gone');
  await waitFor(() => {
    const node = tree().model?.view.tree.nodes[1];
    expect(node && tree().model?.tellOf(node)?.summary).toBe('n 1 → 2');
  });
});

it('keeps the tree that was read, and says so where it cannot be read any longer', async () => {
  vi.spyOn(api, 'checkpoints').mockResolvedValue({ items: [told] });
  vi.spyOn(api, 'tree').mockRejectedValue(new InspectorError('no_store', 'There is no file runs.db.'));
  const { client, tree } = drawn();
  expect(tree().error).toBeNull();
  await client.invalidateQueries({ queryKey: treeQuery('s', 't').queryKey });
  await waitFor(() => expect(tree().error?.message).toBe('There is no file runs.db.'));
  expect(tree().model?.view.tree.nodes).toHaveLength(2);
});
