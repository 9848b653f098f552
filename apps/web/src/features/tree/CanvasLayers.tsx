/** What is drawn around the boxes, in world pixels: lines, their marks, and the names of the lanes. */
import { type LineageKind, lineageKinds } from '@checkpoint-inspector/core';
import { useStore } from '@xyflow/react';
import { memo, useMemo } from 'react';
import { plural } from '../../lib/format.ts';
import { patternOf, type TreeView } from './view-tree.ts';
import { type Drawn, toneOf } from './drawn.ts';
import { type Cell, cellCentre, cellX, cellY, type Grid, type Point } from './geometry.ts';
import type { LaneBook } from './lanes/book.ts';
import { LaneName } from './lanes/LaneName.tsx';

export interface LayerProps {
  readonly view: Drawn;
  /** Indexes of the items, or of the edges, near the viewport. */
  readonly shown: readonly number[];
}

export const EdgeLayer = memo(function EdgeLayer({ view, shown, selected }: FarProps) {
  const path = useMemo(() => pathTo(view, selected), [view, selected]);
  const mixed = lineageKinds(view.tree).size > 1;
  return (
    <svg className="tree-edges" aria-hidden="true">
      {shown.map((edge) => {
        const link = view.links[edge];
        const from = view.items[link?.from ?? -1];
        const to = view.items[link?.to ?? -1];
        if (link === undefined || from === undefined || to === undefined) return null;
        // Of one kind, the legend says it once and every edge ends in an arrow.
        const kind = mixed || link.kind === 'none' ? link.kind : 'recorded';
        const { line, mark } = edgePath(view.grid, from, to, kind);
        const ordinal = view.branches[view.branchOf[link.to] ?? -1]?.ordinal ?? 0;
        return (
          <g key={to.id} className={path.has(link.to) ? 'on' : undefined} data-kind={link.kind} data-testid="tree-edge">
            <path d={line} className={`lane-${patternOf(view, ordinal)}`} />
            <EdgeMark kind={kind} at={mark} />
          </g>
        );
      })}
    </svg>
  );
});

/** The items on the way from the root to this one. */
export function pathTo({ parentOf }: TreeView, item: number | undefined): ReadonlySet<number> {
  const path = new Set<number>();
  for (let at = item ?? -1; at >= 0; at = parentOf[at] ?? -1) path.add(at);
  return path;
}

export function EdgeMark({ kind, at }: { readonly kind: LineageKind; readonly at: Point }) {
  switch (kind) {
    case 'recorded':
      return <path className="mark filled" d={`M${at.x - 3.5} ${at.y - 4}l7 4-7 4z`} />;
    case 'sidecar':
      return <path className="mark" d={`M${at.x - 5.5} ${at.y}l5.5-5.5 5.5 5.5-5.5 5.5z`} />;
    case 'inferred':
      return (
        <>
          <circle className="mark" cx={at.x} cy={at.y} r={6.5} />
          <text x={at.x} y={at.y + 3.8} textAnchor="middle">
            ?
          </text>
        </>
      );
    case 'none':
      return null;
  }
}

interface LabelProps extends LayerProps {
  readonly book: LaneBook;
  readonly far: boolean;
}

/** Above the first node of each lane: what it is called and how long it is, 12 px at any zoom. */
export const LaneLabels = memo(function LaneLabels({ view, shown, book, far }: LabelProps) {
  const larger = useStore((state) => largerFor(state.transform[2]));
  const infos = useMemo(() => new Map(book.lanes.map((info) => [info.lane.label, info])), [book]);
  const { grid } = view;
  return shown.map((item) => {
    const here = view.items[item];
    const branch = view.branches[view.branchOf[item] ?? -1];
    const info = infos.get(branch?.name ?? '');
    if (here === undefined || branch === undefined || info === undefined || branch.start !== item) return null;
    const tip = view.items[branch.end] ?? here;
    // Beside cards the name is above the first, beside dots behind the last.
    const [x, y] = far
      ? [cellCentre(grid, tip).x + 14 * larger, cellCentre(grid, tip).y - 10 * larger]
      : [cellX(grid, here.column), cellY(grid, here.lane) - 24 * larger];
    return (
      <div key={here.id} className="tree-lane" style={{ transform: `translate(${x}px, ${y}px) scale(${larger})` }}>
        <LaneName info={info} book={book} /> <span className="muted">{plural(branch.steps, 'step')}</span>
      </div>
    );
  });
});

/** How much larger words are drawn, in steps, so that they keep their size on the screen. */
export const largerFor = (zoom: number): number => (zoom >= 1 ? 1 : Math.round(10 / zoom) / 10);

export interface FarProps extends LayerProps {
  readonly selected: number | undefined;
}

/** Too many boxes to read: one mark each, drawn as a handful of paths that are only moved while panning. */
export function FarLayer(props: FarProps) {
  const [x, y, zoom] = useStore((state) => state.transform);
  return (
    <svg className="tree-far" aria-hidden="true" data-testid="tree-far">
      <g transform={`translate(${x} ${y}) scale(${zoom})`}>
        <FarMarks {...props} />
      </g>
    </svg>
  );
}

const FarMarks = memo(function FarMarks({ view, shown, selected }: FarProps) {
  const toneAt = (item: number): string => toneOf(view, item, selected);
  const markAt = (item: number): string => {
    const { column, lane } = view.items[item] ?? { column: 0, lane: 0 };
    const { grid } = view;
    return `M${cellX(grid, column)} ${cellY(grid, lane)}h${grid.nodeWidth}v${grid.nodeHeight}h${-grid.nodeWidth}z`;
  };
  return (
    <>
      <path className="line" d={farLines(view, shown)} />
      {pathsByTone(shown, toneAt, markAt).map(([tone, d]) => (
        <path key={tone} className={tone} d={d} />
      ))}
    </>
  );
});

/** From each mark up to its parent: enough to see what hangs on what. */
function farLines(view: Drawn, shown: readonly number[]): string {
  const { grid } = view;
  const parts: string[] = [];
  for (const item of shown) {
    const to = view.items[item];
    const from = view.items[view.parentOf[item] ?? -1];
    if (to === undefined || from === undefined) continue;
    const x = cellX(grid, from.column) + grid.nodeWidth;
    const [y1, y2] = [cellCentre(grid, from).y, cellCentre(grid, to).y];
    parts.push(`M${x} ${y1}V${y2}H${cellX(grid, to.column)}`);
  }
  return parts.join('');
}

export function pathsByTone(
  items: readonly number[],
  toneAt: (item: number) => string,
  markAt: (item: number) => string,
) {
  const paths = new Map<string, string>();
  for (const item of items) {
    const tone = toneAt(item);
    paths.set(tone, (paths.get(tone) ?? '') + markAt(item));
  }
  return [...paths];
}

// The lines between items, as SVG path data in world pixels.

const BEND = 6;
/** Where a line turns to another lane: as far after the node as leaves room for the mark. */
const TURN = 8;
/** Room for the mark before the node. */
const MARK: Record<LineageKind, number> = { recorded: 7, sidecar: 11, inferred: 15, none: 0 };

/** The line of an edge, and the middle of its mark. */
export function edgePath(grid: Grid, from: Cell, to: Cell, kind: LineageKind) {
  const x1 = cellX(grid, from.column) + grid.nodeWidth;
  const y1 = cellCentre(grid, from).y;
  const x2 = cellX(grid, to.column) - 1;
  const y2 = cellCentre(grid, to).y;
  const end = x2 - MARK[kind];
  const mark = { x: x2 - MARK[kind] / 2, y: y2 };
  if (y1 === y2) return { line: `M${x1} ${y1}H${end}`, mark };
  const turn = x1 + TURN;
  const down = y2 > y1 ? 1 : -1;
  const bend = Math.min(BEND, Math.max(1, end - turn));
  return {
    line: `M${x1} ${y1}H${turn - bend}Q${turn} ${y1} ${turn} ${y1 + bend * down}V${y2 - bend * down}Q${turn} ${y2} ${turn + bend} ${y2}H${Math.max(end, turn + bend)}`,
    mark,
  };
}
