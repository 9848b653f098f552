/** Lane glyphs of the history list: what each row draws of the edges that begin, end or pass there. */
import type { LineageKind, TreeNode } from '@checkpoint-inspector/core';
import type { Forks } from '../../lib/forks.ts';
import { Columns } from './columns.ts';

/** A vertical line in column `lane`: the whole row, or from its node up or down. */
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
  /** The column that its node is drawn in. */
  readonly lane: number;
  readonly lines: readonly LaneLine[];
  readonly bends: readonly LaneBend[];
  /** Two children or more hang on it. */
  readonly fork: boolean;
  /** Kind of the edge to the parent, where it has one. */
  readonly kind: LineageKind;
  /** `further`: on a page that is not loaded. `apart`: listed, but there was no free column for the line to it. */
  readonly parent: 'listed' | 'further' | 'apart' | 'other-task' | 'missing' | 'none';
  /** Of `apart` and `other-task`: the parent. */
  readonly from?: TreeNode;
}

/** A row of the list: a checkpoint, or other lanes in one row. */
export interface LanePlace {
  readonly node?: TreeNode | undefined;
  readonly kind: LineageKind;
  /** Of folded lanes: the checkpoint that all of them fork from. */
  readonly from?: TreeNode | undefined;
}

/** Columns at most. The last one is for lanes that found no other: lines there join neighbours only. */
export const LANES_SHOWN = 6;
const LAST = LANES_SHOWN - 1;

/** Listed checkpoints of one lane, as places in the list, and the edge on which they hang. */
interface Run {
  readonly places: readonly number[];
  readonly top: number;
  readonly low: number;
  readonly main: boolean;
  /** Its oldest checkpoint, and where its parent is listed: after the last row where it is not loaded yet. */
  readonly foot: number;
  readonly parent: number | undefined;
  readonly parentNode: TreeNode | undefined;
}

interface Draft extends Omit<LaneRow, 'lines' | 'bends'> {
  lane: number;
  parent: LaneRow['parent'];
  from?: TreeNode;
  readonly lines: LaneLine[];
  readonly bends: LaneBend[];
}

/** One LaneRow per listed row, in the list's order: every line drawn is an edge, and no two edges share one. */
export function laneRows(places: readonly LanePlace[], forks: Pick<Forks, 'tree' | 'layout'>): LaneRow[] {
  const nodes = places.map(({ node }) => node);
  const drafts = places.map(({ node, kind }): Draft => ({
    lane: 0,
    lines: [],
    bends: [],
    fork: (node?.children.length ?? 0) > 1,
    kind: node?.kind ?? kind,
    parent: 'none',
  }));
  const columns = new Columns(LAST);
  for (const run of runsOf(places, forks)) drawRun(run, drafts, columns, nodes);
  return drafts.map((draft) => ({ ...draft, lines: unique(draft.lines), bends: unique(draft.bends) }));
}

/** The main lane first, the others in the order in which the list comes to them. */
function runsOf(places: readonly LanePlace[], { tree, layout: layoutOf }: Pick<Forks, 'tree' | 'layout'>): Run[] {
  const layout = layoutOf();
  const placeOf = new Map(places.flatMap(({ node }, place) => (node ? [[node.index, place] as const] : [])));
  const parentPlace = (node: TreeNode | undefined): number | undefined =>
    node?.parent === undefined ? undefined : placeOf.get(node.parent);
  const goesOn = (node: TreeNode): boolean =>
    node.parent !== undefined && layout.lane[node.parent] === layout.lane[node.index];
  const continued = new Map<number, number>();
  places.forEach(({ node }, place) => {
    const parent = parentPlace(node);
    if (node && parent !== undefined && goesOn(node)) continued.set(parent, place);
  });
  const runs: Run[] = [];
  places.forEach(({ node, from }, foot) => {
    if (node && goesOn(node) && parentPlace(node) !== undefined) return;
    const own = [foot];
    for (let at = continued.get(foot); at !== undefined; at = continued.get(at)) own.push(at);
    const parentNode = from ?? (node?.parent === undefined ? undefined : tree.nodes[node.parent]);
    const listed = from ? placeOf.get(from.index) : parentPlace(node);
    const parent = !parentNode || parentNode.ghost ? undefined : (listed ?? places.length);
    const [top, low] = endsOf(own);
    const main = node !== undefined && layout.lane[node.index] === 0;
    runs.push({ places: own, top, low, foot, parent, parentNode, main });
  });
  return runs.sort((a, b) => Number(b.main) - Number(a.main) || a.top - b.top);
}

/** Without spreading: a run may be as long as the task. */
function endsOf(places: readonly number[]): [top: number, low: number] {
  const [first = 0] = places;
  return places.reduce<[number, number]>(([top, low], at) => [Math.min(top, at), Math.max(low, at)], [first, first]);
}

function drawRun(run: Run, drafts: readonly Draft[], columns: Columns, nodes: readonly (TreeNode | undefined)[]): void {
  const { places, foot, parent, parentNode } = run;
  const column = columnOf(run, columns);
  for (const place of places) {
    const draft = drafts[place];
    if (draft) draft.lane = column.own;
  }
  places.slice(1).forEach((child, at) => {
    const below = places[at] ?? 0;
    const draft = drafts[child];
    if (!draft) return;
    const draws = column.own < LAST || Math.abs(child - below) === 1;
    if (draws) drawEdge(drafts, child, below, column.own);
    setParent(draft, draws ? 'listed' : 'apart', nodes[below]);
  });
  const last = drafts[foot];
  if (!last || !parentNode) return;
  if (parent === undefined) setParent(last, parentNode.ghost ?? 'missing', parentNode);
  else if (column.edge === undefined) setParent(last, 'apart', parentNode);
  else {
    setParent(last, parent < drafts.length ? 'listed' : 'further', parentNode);
    drawEdge(drafts, foot, parent, column.edge);
  }
}

function setParent(draft: Draft, parent: LaneRow['parent'], node: TreeNode | undefined): void {
  draft.parent = parent;
  if ((parent === 'apart' || parent === 'other-task') && node) draft.from = node;
}

/** Where the run is drawn, and in which column the line to its parent runs; none where all are taken. */
function columnOf(run: Run, columns: Columns): { own: number; edge: number | undefined } {
  const { top, low, foot, parent, parentNode, main } = run;
  if (main) return { own: 0, edge: 0 };
  if (parent === undefined || !parentNode) return { own: columns.take(top, low) ?? LAST, edge: undefined };
  // An edge to a row further up the list has no trunk: it is rare, and takes its column alone.
  const down = parent > foot;
  const shared = down ? columns.trunk(parentNode.index, foot) : undefined;
  if (shared !== undefined) {
    const own = columns.take(top, low);
    if (own !== undefined) return { own, edge: shared };
  }
  const alone = columns.take(Math.min(top, parent), Math.max(low, parent));
  if (alone !== undefined && down) columns.open(parentNode.index, alone, foot);
  if (alone !== undefined) return { own: alone, edge: alone };
  const own = columns.take(top, low);
  return { own: own ?? LAST, edge: Math.abs(parent - foot) === 1 ? (own ?? LAST) : undefined };
}

/** The line leaves the child, runs in `column`, and bends into the parent's node in the parent's own row. */
function drawEdge(drafts: readonly Draft[], child: number, parent: number, column: number): void {
  const down = parent > child;
  const leave = down ? 'below' : 'above';
  const from = drafts[child];
  if (from?.lane === column) from.lines.push({ lane: column, part: leave });
  else from?.bends.push({ lane: column, from: leave });
  const [first, last] = down ? [child + 1, parent - 1] : [parent + 1, child - 1];
  for (let place = first; place <= last && place < drafts.length; place++)
    drafts[place]?.lines.push({ lane: column, part: 'through' });
  const to = drafts[parent];
  if (!to) return;
  const arrive = down ? 'above' : 'below';
  if (to.lane === column) to.lines.push({ lane: column, part: arrive });
  else to.bends.push({ lane: column, from: arrive });
}

/** Edges that join one line to the same parent draw it once. */
function unique<T extends object>(parts: readonly T[]): T[] {
  const seen = new Map(parts.map((part) => [JSON.stringify(part), part]));
  return [...seen.values()];
}

export const lanesUsed = (rows: readonly LaneRow[]): number =>
  rows.reduce((most, row) => Math.max(most, row.lane + 1, ...row.lines.map((line) => line.lane + 1)), 1);
