/** Moves the viewport: fit, zoom, follow the selection, and stay put when chains open. */
import { refKey } from '@checkpoint-inspector/core';
import { useReactFlow } from '@xyflow/react';
import { useCallback, useEffect, useRef } from 'react';
import {
  MAX_ZOOM,
  READABLE_ZOOM,
  cellCentre,
  centredOn,
  fitView,
  fitZoom,
  isInside,
  keepInPlace,
  worldSize,
  zoomedAt,
  type Point,
  type Size,
  type View,
} from './geometry.ts';
import type { TreeModel } from './use-tree.ts';
import type { TreeView } from './view-tree.ts';

const MOVE_MS = 150;
const motion = (): number => (globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ? 0 : MOVE_MS);

export function useCamera(model: TreeModel, pane: Size, onView: (view: View) => void) {
  const flow = useReactFlow();
  const { view, selected } = model;
  const { columns, lanes } = view;

  const go = useCallback(
    (next: View, duration = 0) => {
      void flow.setViewport(next, { duration });
      onView(next);
    },
    [flow, onView],
  );
  const fit = useCallback(() => go(fitView(worldSize(columns, lanes), pane), motion()), [go, columns, lanes, pane]);
  const zoomBy = useCallback(
    (factor: number) => {
      const now = flow.getViewport();
      const least = Math.min(0.2, fitZoom(worldSize(columns, lanes), pane));
      // Far out a small step would not be seen; and no motion, or a quick second press would begin halfway.
      const step = now.zoom < READABLE_ZOOM ? factor ** 3 : factor;
      const zoom = Math.min(MAX_ZOOM, Math.max(least, now.zoom * step));
      go(zoomedAt(now, { x: pane.width / 2, y: pane.height / 2 }, Math.abs(zoom - 1) < 0.04 ? 1 : zoom));
    },
    [flow, go, columns, lanes, pane],
  );
  const centre = useCallback((point: Point) => go(centredOn(point, flow.getViewport().zoom, pane)), [flow, go, pane]);

  // A pane of another size shows other cells, although the viewport has not moved.
  useEffect(() => onView(flow.getViewport()), [flow, onView]);
  useAnchor(view, selected, pane, go);
  useFollow(view, selected, pane, go);

  const click = (id: string): void => {
    const item = view.items.findIndex((candidate) => candidate.id === id);
    if (item < 0) return;
    if (view.items[item]?.kind === 'chain') model.open(item);
    else model.selectItem(item);
  };
  return { fit, zoomBy, centre, click };
}

/** When the layout changes, what the reader looks at stays under the pointer. */
function useAnchor(view: TreeView, selected: number | undefined, pane: Size, go: (view: View) => void): void {
  const flow = useReactFlow();
  const before = useRef({ view, selected });
  useEffect(() => {
    const old = before.current;
    before.current = { view, selected };
    if (old.view === view) return;
    const now = flow.getViewport();
    for (const node of anchors(old.view, old.selected, view, selected)) {
      const from = old.view.items[old.view.itemOfNode[node.old] ?? -1];
      const to = view.items[view.itemOfNode[node.new] ?? -1];
      if (from === undefined || to === undefined || !isInside(from, now, pane, -120)) continue;
      const next = keepInPlace(now, from, to);
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
  view: TreeView,
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
    if (isInside(cell, now, pane) && now.zoom >= READABLE_ZOOM) return;
    go(centredOn(cellCentre(cell), Math.max(now.zoom, READABLE_ZOOM * 2), pane), motion());
  }, [view, selected, flow, pane, go]);
}
