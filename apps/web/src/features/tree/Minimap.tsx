import { useStore } from '@xyflow/react';
import { memo, useMemo, useRef, type PointerEvent } from 'react';
import { TONE_WEIGHT, toneOf } from './CanvasLayers.tsx';
import { shownRect, worldSize, type Point, type Size } from './geometry.ts';
import { MINIMAP_SIZE, frameOf, markOf, project, thinOut, toWorld, type Projection } from './minimap.ts';
import type { TreeView } from './view-tree.ts';

interface MinimapProps {
  readonly view: TreeView;
  readonly selected: number | undefined;
  readonly size: Size;
  /** Puts a point of the world in the middle of the pane. */
  readonly onMove: (point: Point) => void;
}

/** The whole tree in a corner; click or drag moves the view. Keys do the same in the canvas. */
export function Minimap({ view, selected, size, onMove }: MinimapProps) {
  const box = useRef<SVGSVGElement>(null);
  const projection = useMemo(() => project(worldSize(view.columns, view.lanes)), [view]);
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
  const parts = new Map<string, string[]>();
  const kept = thinOut(view.items, projection, (item) => TONE_WEIGHT[toneOf(view, item, selected)] ?? 0);
  for (const item of kept) {
    const cell = view.items[item];
    if (cell === undefined) continue;
    const { x, y, width, height } = markOf(cell, projection);
    const tone = toneOf(view, item, selected);
    const list = parts.get(tone) ?? [];
    list.push(`M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`);
    parts.set(tone, list);
  }
  return [...parts].map(([tone, list]) => <path key={tone} className={tone} d={list.join('')} />);
});

/** Follows the viewport without drawing the marks again. */
function Frame({ size, projection }: { readonly size: Size; readonly projection: Projection }) {
  const [x, y, zoom] = useStore((state) => state.transform);
  const frame = frameOf(shownRect({ x, y, zoom }, size), projection);
  return <rect className="frame" rx={3} {...frame} />;
}
