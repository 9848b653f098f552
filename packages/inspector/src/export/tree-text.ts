import { forkTree, laneCount, layoutLanes } from '@checkpoint-inspector/core';
import type { ForkTree, LaneLayout, LineageRow, TreeNode } from '@checkpoint-inspector/core';

/**
 * The fork tree as lines: children below their parent, one indent per lane. Of more rows than `most` those are drawn
 * that show its form: the latest, where it forks and ends, then the newest; a line counts what is left out between.
 */
export function treeText(task: string, rows: readonly LineageRow[], most = Number.POSITIVE_INFINITY): string[] {
  const forks = forkTree(task, rows);
  const layout = layoutLanes(forks);
  const counts: [number, string][] = [
    [rows.length, 'checkpoint'],
    [laneCount(forks), 'lane'],
    [forks.forkPoints.length, 'fork point'],
  ];
  const head = counts.map(([count, word]) => `${count} ${word}${count === 1 ? '' : 's'}`).join(', ');
  const order = inOrder(forks, layout);
  const shown = new Set(order.length > most ? tellingFirst(order).slice(0, most) : order);
  return [head, ...drawn(order, shown, layout)];
}

function tellingFirst(nodes: readonly TreeNode[]): TreeNode[] {
  const rank = ({ row, children }: TreeNode): number => (row?.isLatest ? 2 : children.length === 1 ? 0 : 1);
  return nodes.toSorted((a, b) => rank(b) - rank(a) || (b.row?.seq ?? 0) - (a.row?.seq ?? 0));
}

function drawn(order: readonly TreeNode[], shown: ReadonlySet<TreeNode>, layout: LaneLayout): string[] {
  const lines: string[] = [];
  let left = 0;
  const gap = () => (left === 0 ? [] : [`┆ ${left.toLocaleString('en')} more`]);
  for (const node of order) {
    if (!shown.has(node)) {
      left++;
      continue;
    }
    lines.push(...gap(), drawNode(node, layout));
    left = 0;
  }
  return [...lines, ...gap()];
}

/** Depth first without recursion: chains may be as long as the store. */
function inOrder(forks: ForkTree, layout: LaneLayout): TreeNode[] {
  const order: TreeNode[] = [];
  const byLane = (indices: readonly number[]) =>
    indices.toSorted((a, b) => (layout.lane[b] ?? 0) - (layout.lane[a] ?? 0));
  const open = byLane(forks.roots);
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const node = forks.nodes[index];
    if (!node) continue;
    order.push(node);
    open.push(...byLane(node.children));
  }
  return order;
}

const EDGE = {
  recorded: '',
  sidecar: ' (parent kept by the inspector)',
  inferred: ' (parent inferred)',
  none: '',
} as const;

function drawNode(node: TreeNode, layout: LaneLayout): string {
  const lane = '│ '.repeat(layout.lane[node.index] ?? 0);
  if (!node.row) {
    const where = node.ghost === 'other-task' ? `in task "${node.ref.task}"` : 'not in the store';
    return `${lane}◌ ${node.ref.id} (${where})`;
  }
  const { row } = node;
  const step = row.stepIndex === undefined ? '' : `#${row.stepIndex} `;
  const mark = row.isLatest ? ' ← latest' : '';
  const problem = node.problem ? ` (${node.problem})` : '';
  return `${lane}● ${step}${row.description ?? ''} ${row.id} ${row.problem ?? row.status}${EDGE[row.kind]}${problem}${mark}`;
}
