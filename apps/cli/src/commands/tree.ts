import { forkTree, layoutLanes } from '@checkpoint-inspector/core';
import type { ForkTree, LaneLayout, LineageRow, TreeNode } from '@checkpoint-inspector/core';
import { print, printable } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import type { Run } from '../session.ts';

/** `tree <task>`: the fork tree, children below their parent, one indent per lane. */
export async function tree({ session, output }: Run, task: string): Promise<void> {
  const source = await resolveTask(session, task);
  const rows: LineageRow[] = [];
  for await (const row of source.lineage(task)) rows.push(row);
  print(output, { items: rows }, () => drawTree(task, rows));
}

export function drawTree(task: string, rows: readonly LineageRow[]): string[] {
  const forks = forkTree(task, rows);
  const layout = layoutLanes(forks);
  const head = `${rows.length} checkpoints, ${layout.lanes} lanes, ${forks.forkPoints.length} fork points`;
  return [head, ...inOrder(forks, layout).map((node) => drawNode(node, layout))];
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
    return printable(`${lane}◌ ${node.ref.id} (${where})`);
  }
  const { row } = node;
  const step = row.stepIndex === undefined ? '' : `#${row.stepIndex} `;
  const mark = row.isLatest ? ' ← latest' : '';
  const problem = node.problem ? ` (${node.problem})` : '';
  return printable(
    `${lane}● ${step}${row.description ?? ''} ${row.id} ${row.status}${EDGE[row.kind]}${problem}${mark}`,
  );
}
