import { type LineageKind, lineageKinds } from '@checkpoint-inspector/core';
import { useStore } from '@xyflow/react';
import { Minus, Plus } from 'lucide-react';
import { memo, type PointerEvent, useMemo, useRef } from 'react';
import { EdgeMark, pathsByTone } from './CanvasLayers.tsx';
import {
  frameOf,
  markOf,
  MINIMAP_SIZE,
  type Point,
  project,
  type Projection,
  shownRect,
  type Size,
  thinOut,
  toWorld,
  worldSize,
} from './geometry.ts';
import { type Drawn, toneOf, toneWeight } from './drawn.ts';
import type { LaneBook } from './lanes/book.ts';
import { LaneName } from './lanes/LaneName.tsx';
import { hasPatterns, patternOf, type TreeView } from './view-tree.ts';
import { IconButton } from '../../components/index.ts';
import { formatPercent } from '../../lib/format.ts';

interface MinimapProps {
  readonly view: Drawn;
  readonly selected: number | undefined;
  readonly size: Size;
  readonly onMove: (point: Point) => void;
}

/** The whole tree in a corner; click or drag moves the view. Keys do the same in the canvas. */
export function Minimap({ view, selected, size, onMove }: MinimapProps) {
  const box = useRef<SVGSVGElement>(null);
  const projection = useMemo(() => project(worldSize(view.grid, view.columns, view.lanes)), [view]);
  const move = (event: PointerEvent): void => {
    const rim = box.current?.getBoundingClientRect();
    if (rim === undefined) return;
    onMove(toWorld({ x: event.clientX - rim.left, y: event.clientY - rim.top }, projection));
  };
  return (
    <div className="tree-minimap" aria-hidden="true" data-testid="tree-minimap">
      <svg
        ref={box}
        width={MINIMAP_SIZE.width}
        height={MINIMAP_SIZE.height}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          move(event);
        }}
        onPointerMove={(event) => (event.currentTarget.hasPointerCapture(event.pointerId) ? move(event) : undefined)}
      >
        <Marks view={view} selected={selected} projection={projection} />
        <Frame size={size} projection={projection} />
      </svg>
    </div>
  );
}

const Marks = memo(function Marks({
  view,
  selected,
  projection,
}: Pick<MinimapProps, 'view' | 'selected'> & { readonly projection: Projection }) {
  const toneAt = (item: number): string => toneOf(view, item, selected);
  const kept = thinOut(view.grid, view.items, projection, (item) => toneWeight(toneAt(item)));
  const markAt = (item: number): string => {
    const { x, y, width, height } = markOf(view.grid, view.items[item] ?? { column: 0, lane: 0 }, projection);
    return `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
  };
  return pathsByTone(kept, toneAt, markAt).map(([tone, d]) => <path key={tone} className={tone} d={d} />);
});

/** Follows the viewport without drawing the marks again. */
function Frame({ size, projection }: { readonly size: Size; readonly projection: Projection }) {
  const [x, y, zoom] = useStore((state) => state.transform);
  const frame = frameOf(shownRect({ x, y, zoom }, size), projection);
  return <rect className="frame" rx={3} {...frame} />;
}

export function ZoomBox({ onZoom }: { readonly onZoom: (factor: number) => void }) {
  const percent = useStore((state) => formatPercent(state.transform[2]));
  return (
    <div className="tree-zoom" role="group" aria-label="Zoom">
      <IconButton label="Zoom out" kbd="-" icon={Minus} onClick={() => onZoom(0.8)} />
      <span data-testid="tree-zoom">{percent}</span>
      <IconButton label="Zoom in" kbd="+" icon={Plus} onClick={() => onZoom(1.25)} />
    </div>
  );
}

const KINDS: readonly { kind: LineageKind; end: number; at: number; words: string }[] = [
  { kind: 'recorded', end: 38, at: 41, words: 'recorded in the store' },
  { kind: 'sidecar', end: 34, at: 39.5, words: 'sidecar, kept by us' },
  { kind: 'inferred', end: 31, at: 38, words: 'inferred from save order' },
];

/** The mark says how a parent is known, the pattern says which lane. Only what this tree holds is listed. */
export function Legend({ view, book }: { readonly view: TreeView; readonly book: LaneBook }) {
  const kinds = lineageKinds(view.tree);
  const mixed = kinds.size > 1;
  const ghosts = view.problems.some((node) => view.tree.nodes[node]?.ghost !== undefined);
  const lanes = useMemo(() => {
    const infos = new Map(book.lanes.map((info) => [info.lane.label, info]));
    const branches = hasPatterns(view) ? view.branches.toSorted((a, b) => a.ordinal - b.ordinal) : [];
    return branches.map(({ name, ordinal }) => ({ name, ordinal, info: infos.get(name) }));
  }, [view, book]);
  return (
    <ul className="tree-legend" aria-label="Legend">
      {KINDS.filter(({ kind }) => kinds.has(kind)).map(({ kind, end, at, words }) => (
        <li key={kind}>
          <svg viewBox="0 0 46 14" aria-hidden="true">
            <path d={`M0 7h${mixed ? end : 38}`} />
            <EdgeMark kind={mixed ? kind : 'recorded'} at={{ x: mixed ? at : 41, y: 7 }} />
          </svg>
          {mixed ? words : `every parent is ${words}`}
        </li>
      ))}
      {ghosts && (
        <li>
          <svg viewBox="0 0 46 14" aria-hidden="true">
            <rect x="8" y="1" width="30" height="12" rx="3" strokeDasharray="3 2" />
          </svg>
          parent that is not here
        </li>
      )}
      {lanes.length > 1 &&
        lanes.map(({ name, ordinal, info }) => (
          <li key={name}>
            <svg viewBox="0 0 46 14" aria-hidden="true">
              <path d="M0 7h46" className={`lane-${patternOf(view, ordinal)}`} />
            </svg>
            {info ? <LaneName info={info} book={book} /> : name}
          </li>
        ))}
    </ul>
  );
}
