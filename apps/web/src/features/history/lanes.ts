/** Lane glyphs of the history list: what each row draws of the edges that begin, end or pass there. */
import { type LineageKind, refKey } from '@checkpoint-inspector/core';
import { refOf } from '../../lib/address.ts';
import type { Forks } from '../../lib/forks.ts';
import type { CheckpointRow } from '../../lib/api.ts';

/** A vertical line in `lane`: the whole row, or from its node up or down. */
interface LaneLine {
  readonly lane: number;
  readonly part: 'through' | 'above' | 'below';
}

/** A bend from `lane` at the upper or lower edge of the row to this row's own node. */
interface LaneBend {
  readonly lane: number;
  readonly from: 'above' | 'below';
}

export interface LaneRow {
  readonly lane: number;
  readonly lines: readonly LaneLine[];
  readonly bends: readonly LaneBend[];
  /** Two children or more hang on it. */
  readonly fork: boolean;
  /** Kind of the edge to the parent, where it has one. */
  readonly kind: LineageKind;
  /** The parent is not among the rows: gone, in another task, or further down. */
  readonly parent: 'listed' | 'further' | 'missing' | 'none';
}

/** Lanes beyond this share the last column. */
export const LANES_SHOWN = 6;

interface Edge {
  readonly child: number;
  readonly parent: number;
  readonly lane: number;
}

/** One LaneRow per listed row, in the list's order. Linear in rows and edges in view. */
export function laneRows(rows: readonly CheckpointRow[], { tree, layout: layoutOf, nodeOf }: Forks): LaneRow[] {
  const layout = layoutOf();
  const placeOf = new Map(rows.map((row, place) => [refKey(refOf(row)), place]));
  const laneOf = (index: number): number => Math.min(layout.lane[index] ?? 0, LANES_SHOWN - 1);
  const drafts = rows.map((row): Draft => {
    const node = nodeOf(refOf(row));
    return {
      lane: node ? laneOf(node.index) : 0,
      lines: [],
      bends: [],
      fork: (node?.children.length ?? 0) > 1,
      kind: node?.kind ?? row.lineage,
      parent: 'none',
    };
  });
  const edges: Edge[] = [];
  drafts.forEach((draft, place) => {
    const row = rows[place];
    const node = row && nodeOf(refOf(row));
    if (node?.parent === undefined) return;
    const above = tree.nodes[node.parent];
    if (!above || above.ghost) draft.parent = 'missing';
    else {
      const parent = placeOf.get(refKey(above.ref));
      draft.parent = parent === undefined ? 'further' : 'listed';
      edges.push({ child: place, parent: parent ?? rows.length, lane: draft.lane });
    }
  });
  for (const edge of edges) drawEdge(edge, drafts);
  return drafts.map((draft) => ({ ...draft, lines: unique(draft.lines), bends: unique(draft.bends) }));
}

/** A LaneRow while its edges are being drawn. */
interface Draft extends Omit<LaneRow, 'parent' | 'lines' | 'bends'> {
  readonly lines: LaneLine[];
  readonly bends: LaneBend[];
  parent: LaneRow['parent'];
}

/** The line runs in the child's lane and bends into the parent's node in the parent's own row. */
function drawEdge({ child, parent, lane }: Edge, drafts: readonly Draft[]): void {
  const down = parent > child;
  drafts[child]?.lines.push({ lane, part: down ? 'below' : 'above' });
  const [first, last] = down ? [child + 1, parent - 1] : [parent + 1, child - 1];
  for (let place = first; place <= last && place < drafts.length; place++)
    drafts[place]?.lines.push({ lane, part: 'through' });
  const target = drafts[parent];
  if (!target) return;
  if (target.lane === lane) target.lines.push({ lane, part: down ? 'above' : 'below' });
  else target.bends.push({ lane, from: down ? 'above' : 'below' });
}

/** Lanes that share a column would draw the same line many times. */
function unique<T extends object>(parts: readonly T[]): T[] {
  const seen = new Map(parts.map((part) => [JSON.stringify(part), part]));
  return [...seen.values()];
}

export const lanesUsed = (rows: readonly LaneRow[]): number =>
  rows.reduce((most, row) => Math.max(most, row.lane + 1, ...row.lines.map((line) => line.lane + 1)), 1);
