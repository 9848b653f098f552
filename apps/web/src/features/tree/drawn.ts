import type { Grid } from './geometry.ts';
import type { TreeView } from './view-tree.ts';

/** A view with its measures. */
export interface Drawn extends TreeView {
  readonly grid: Grid;
}

/** How an item is drawn where there is no room for words; also in the minimap. */
export function toneOf(view: TreeView, item: number, selected: number | undefined): string {
  if (item === selected) return 'on';
  const here = view.items[item];
  const node = view.tree.nodes[here?.nodes[0] ?? -1];
  if (here?.kind === 'chain') return 'chain';
  if (node?.row === undefined) return 'ghost';
  if (node.row.status === 'failed') return 'failed';
  if (node.row.isLatest) return 'latest';
  // Every step before the end of a lane was running once: only the end still is.
  return node.row.status === 'running' && node.children.length === 0 ? 'running' : 'plain';
}

/** Which mark wins where several fall on one spot: the later one. */
const TONES = ['chain', 'ghost', 'plain', 'running', 'latest', 'failed', 'on'];
export const toneWeight = (tone: string): number => TONES.indexOf(tone);
