import { refKey } from '@checkpoint-inspector/core';
import type { TreeView } from './view-tree.ts';

/** The id of the opened chain that a node belongs to: walks up its run to the first checkpoint of it. */
export function openChainOf(
  view: Pick<TreeView, 'tree'>,
  node: number,
  expanded: ReadonlySet<string>,
): string | undefined {
  if (expanded.size === 0) return undefined;
  for (
    let at = view.tree.nodes[node];
    at !== undefined && at.children.length === 1;
    at = view.tree.nodes[at.parent ?? -1]
  ) {
    const id = `chain:${refKey(at.ref)}`;
    if (expanded.has(id)) return id;
  }
  return undefined;
}
