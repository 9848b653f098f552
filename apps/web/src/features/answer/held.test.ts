import { forkTree, type LineageRow, refKey } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { heldNodes } from './held.ts';

const row = (id: string, seq: number, parent?: string): LineageRow => ({
  id,
  ...(parent === undefined ? {} : { parent: { task: 'run', id: parent } }),
  kind: 'recorded',
  status: 'completed',
  seq,
  isLatest: false,
});

it('marks the way from the newest that holds the value to the one that wrote it, and no other lane', () => {
  const tree = forkTree('run', [
    row('a', 1),
    row('b', 2, 'a'),
    row('fork', 3, 'b'),
    row('c', 4, 'b'),
    row('d', 5, 'c'),
  ]);
  const nodeOf = (ref: { readonly task: string; readonly id: string }) =>
    tree.nodes.find((node) => refKey(node.ref) === refKey(ref));
  const step = (id: string) => ({ ref: { task: 'run', id }, seq: 0 });
  const ids = (from: string, to: string) =>
    heldNodes(tree, nodeOf, { from: step(from), to: step(to) }).map((index) => tree.nodes[index]?.ref.id);
  expect(ids('b', 'd')).toEqual(['b', 'c', 'd']);
  expect(ids('c', 'c')).toEqual(['c']);
  expect(ids('elsewhere', 'c')).toEqual(['a', 'b', 'c']);
  expect(heldNodes(tree, nodeOf, undefined)).toEqual([]);
});
