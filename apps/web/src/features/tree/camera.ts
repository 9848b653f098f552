/** Moves the viewport: fit, zoom, follow the selection, and stay put when chains open. */
import { refKey } from '@checkpoint-inspector/core';
import { useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import {
  cellCentre,
  cellsIn,
  centredOn,
  fitView,
  fitZoom,
  FAR_ZOOM,
  type Grid,
  isInside,
  isMapped,
  keepInPlace,
  MAX_ZOOM,
  type Point,
  project,
  READABLE_ZOOM,
  sameRange,
  shownRect,
  type Size,
  thinOut,
  underMap,
  type View,
  worldSize,
  zoomedAt,
} from './geometry.ts';
import type { TreeModel } from './use-tree.ts';
import type { TreeView } from './view-tree.ts';
import { type Drawn, toneOf, toneWeight } from './drawn.ts';
import { edgesIn, itemsIn } from './windowing.ts';

const MOVE_MS = 150;
const motion = (): number => (globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ? 0 : MOVE_MS);

/** What the reader has not moved is placed again in a pane of another size: as it opened, or all of it. */
type Home = 'opening' | 'fit' | undefined;

interface CameraProps {
  readonly view: Drawn;
  readonly model: TreeModel;
  readonly pane: Size;
  readonly onView: (view: View) => void;
  /** Takes the measures for a pane of this size, and tells where it opens. */
  readonly openAt: (pane: Size) => View;
}

export function useCamera({ view, model, pane, onView, openAt }: CameraProps) {
  const flow = useReactFlow();
  const home = useRef<Home>('opening');
  const { selected } = model;
  const { grid, columns, lanes } = view;

  const go = useCallback(
    (next: View, duration = 0) => {
      void flow.setViewport(next, { duration });
      onView(next);
    },
    [flow, onView],
  );
  const fit = useCallback(() => {
    home.current = 'fit';
    go(fitView(worldSize(grid, columns, lanes), pane), motion());
  }, [go, grid, columns, lanes, pane]);
  const moved = useCallback(() => {
    home.current = undefined;
  }, []);
  const zoomBy = useCallback(
    (factor: number) => {
      moved();
      const now = flow.getViewport();
      const least = Math.min(0.2, fitZoom(worldSize(grid, columns, lanes), pane));
      // Far out a small step would not be seen; and no motion, or a quick second press would begin halfway.
      const step = now.zoom < FAR_ZOOM ? factor ** 3 : factor;
      const zoom = Math.min(MAX_ZOOM, Math.max(least, now.zoom * step));
      go(zoomedAt(now, { x: pane.width / 2, y: pane.height / 2 }, Math.abs(zoom - 1) < 0.04 ? 1 : zoom));
    },
    [flow, go, moved, grid, columns, lanes, pane],
  );
  const centre = useCallback(
    (point: Point) => {
      moved();
      go(centredOn(point, flow.getViewport().zoom, pane));
    },
    [flow, go, moved, pane],
  );

  // A pane of another size shows other cells, although the viewport has not moved.
  useEffect(() => onView(flow.getViewport()), [flow, onView]);
  useAnchor(view, selected, pane, go);
  useFollow(view, selected, pane, go);
  const placed = useRef(pane);
  useEffect(() => {
    if (placed.current === pane) return;
    placed.current = pane;
    if (home.current === 'opening') go(openAt(pane));
    else if (home.current === 'fit') go(fitView(worldSize(grid, columns, lanes), pane));
  }, [pane, go, openAt, grid, columns, lanes]);

  const click = (id: string): void => {
    const item = view.items.findIndex((candidate) => candidate.id === id);
    if (item < 0) return;
    if (view.items[item]?.kind === 'chain') model.open(item);
    else model.selectItem(item);
  };
  return { fit, zoomBy, centre, click, moved };
}

/** When the layout changes, what the reader looks at stays under the pointer. */
function useAnchor(view: Drawn, selected: number | undefined, pane: Size, go: (view: View) => void): void {
  const flow = useReactFlow();
  const before = useRef({ view, selected });
  useEffect(() => {
    const old = before.current;
    before.current = { view, selected };
    // Other measures come with a place of their own.
    if (old.view === view || old.view.grid !== view.grid) return;
    const now = flow.getViewport();
    for (const node of anchors(old.view, old.selected, view, selected)) {
      const from = old.view.items[old.view.itemOfNode[node.old] ?? -1];
      const to = view.items[view.itemOfNode[node.new] ?? -1];
      if (from === undefined || to === undefined || !isInside(view.grid, from, now, pane, -120)) continue;
      const next = keepInPlace(view.grid, now, from, to);
      if (next.x !== now.x || next.y !== now.y) go(next);
      return;
    }
  }, [view, selected, flow, pane, go]);
}

/** Candidates to hold on to: what is selected now, then what was. */
function* anchors(old: TreeView, oldSelected: number | undefined, view: TreeView, selected: number | undefined) {
  const now = view.items[selected ?? -1]?.nodes[0];
  const then = old.items[oldSelected ?? -1]?.nodes[0];
  if (now !== undefined) {
    const found = sameNode(view, old, now);
    if (found !== undefined) yield { old: found, new: now };
  }
  if (then !== undefined) {
    const found = sameNode(old, view, then);
    if (found !== undefined) yield { old: then, new: found };
  }
}

/** Saves append, so a node mostly keeps its index. */
function sameNode(from: TreeView, to: TreeView, node: number): number | undefined {
  const ref = from.tree.nodes[node]?.ref;
  if (ref === undefined) return undefined;
  const wanted = refKey(ref);
  const same = to.tree.nodes[node];
  if (same !== undefined && refKey(same.ref) === wanted) return node;
  const found = to.tree.nodes.findIndex((candidate) => candidate.ref.id === ref.id && refKey(candidate.ref) === wanted);
  return found < 0 ? undefined : found;
}

/** A new selection that is out of sight is brought into it, no farther than needed to be read. */
function useFollow(
  view: Drawn,
  selected: number | undefined,
  pane: Size,
  go: (view: View, duration?: number) => void,
): void {
  const flow = useReactFlow();
  const seen = useRef(selected === undefined ? undefined : view.items[selected]?.id);
  useEffect(() => {
    const cell = selected === undefined ? undefined : view.items[selected];
    if (cell === undefined || seen.current === cell.id) return;
    seen.current = cell.id;
    const now = flow.getViewport();
    const isCovered = isMapped(view, pane, now.zoom < READABLE_ZOOM) && underMap(view.grid, cell, now, pane) > 0;
    if (isInside(view.grid, cell, now, pane) && !isCovered && now.zoom >= FAR_ZOOM) return;
    go(centredOn(cellCentre(view.grid, cell), now.zoom < FAR_ZOOM ? 1 : now.zoom, pane), motion());
  }, [view, selected, flow, pane, go]);
}

/** Size of an element in CSS pixels; `undefined` until it is laid out. */
export function usePaneSize(element: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const pane = element.current;
    if (pane === null) return undefined;
    const read = (): void => {
      const { clientWidth: width, clientHeight: height } = pane;
      if (width > 0 && height > 0)
        setSize((before) => (before?.width === width && before.height === height ? before : { width, height }));
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(pane);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

// The part of the drawing that is near the viewport. Panning inside it costs nothing.

/** No more boxes than this: more cannot be read, and the page stays quick. */
export const MOST_BOXES = 150;

/** What is looked at; `scale` in powers of two tells how many marks fall on one pixel. */
export function lookOf(grid: Grid, view: View, pane: Size) {
  return {
    range: cellsIn(grid, shownRect(view, pane)),
    far: view.zoom < READABLE_ZOOM,
    scale: Math.floor(Math.log2(view.zoom)),
  };
}

type Look = ReturnType<typeof lookOf>;

export function useWindow(tree: Drawn, opening: View, pane: Size) {
  const { grid } = tree;
  const [look, setLook] = useState(() => lookOf(grid, opening, pane));
  const onView = useCallback(
    (view: View) => {
      const next = lookOf(grid, view, pane);
      setLook((before) =>
        before.far === next.far && before.scale === next.scale && sameRange(before.range, next.range) ? before : next,
      );
    },
    [grid, pane],
  );
  const drawn = useMemo(() => drawnWindow(tree, look), [tree, look]);
  return { drawn, onView };
}

/** Boxes, or mere marks where there are too many for boxes; `far` makes dots of the boxes. */
export function drawnWindow(tree: Drawn, look: Look) {
  const { items: boxes, total } = itemsIn(tree.window, tree.items, look.range, MOST_BOXES);
  if (total <= MOST_BOXES) {
    return { boxes, marks: [], edges: edgesIn(tree.edges, tree.items, tree.links, boxes, look.range), far: look.far };
  }
  return { boxes: [], marks: thinned(tree, look), edges: [], far: true };
}

/** Of the items that fall on the same few pixels one is enough. */
function thinned(tree: Drawn, look: Look): readonly number[] {
  const all = itemsIn(tree.window, tree.items, look.range, Number.POSITIVE_INFINITY).items;
  const zoom = 2 ** look.scale;
  const world = worldSize(tree.grid, tree.columns, tree.lanes);
  const projection = { ...project(world), scaleX: zoom / 2, scaleY: zoom / 2, left: 0, top: 0 };
  const cells = all.map((item) => tree.items[item] ?? { column: 0, lane: 0 });
  const kept = thinOut(tree.grid, cells, projection, (index) => toneWeight(toneOf(tree, all[index] ?? -1, undefined)));
  return kept.map((index) => all[index] ?? 0);
}
