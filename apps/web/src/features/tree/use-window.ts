/** The part of the drawing that is near the viewport. Panning inside it costs nothing. */
import { useCallback, useMemo, useState } from 'react';
import { READABLE_ZOOM, cellsIn, sameRange, shownRect, type CellRange, type Size, type View } from './geometry.ts';
import { project, thinOut } from './minimap.ts';
import { TONE_WEIGHT, toneOf } from './CanvasLayers.tsx';
import { worldSize } from './geometry.ts';
import { edgesIn, itemsIn } from './windowing.ts';
import type { TreeView } from './view-tree.ts';

/** No more boxes than this: more cannot be read, and the page stays quick. */
export const MOST_BOXES = 150;

export interface DrawnWindow {
  /** Items drawn as boxes. */
  readonly boxes: readonly number[];
  /** Items drawn as mere marks, when there are too many for boxes. */
  readonly marks: readonly number[];
  readonly edges: readonly number[];
  /** Words are left out below a readable zoom. */
  readonly far: boolean;
}

interface Look {
  readonly range: CellRange;
  readonly far: boolean;
  /** Zoom in powers of two: how many marks fall on one pixel. */
  readonly scale: number;
}

export function lookOf(view: View, pane: Size): Look {
  return {
    range: cellsIn(shownRect(view, pane)),
    far: view.zoom < READABLE_ZOOM,
    scale: Math.floor(Math.log2(view.zoom)),
  };
}

export function useWindow(tree: TreeView, opening: View, pane: Size) {
  const [look, setLook] = useState<Look>(() => lookOf(opening, pane));
  const onView = useCallback(
    (view: View) => {
      const next = lookOf(view, pane);
      setLook((before) =>
        before.far === next.far && before.scale === next.scale && sameRange(before.range, next.range) ? before : next,
      );
    },
    [pane],
  );
  const drawn = useMemo(() => drawnWindow(tree, look), [tree, look]);
  return { drawn, onView };
}

export function drawnWindow(tree: TreeView, look: Look): DrawnWindow {
  const { items: boxes, total } = itemsIn(tree.window, tree.items, look.range, MOST_BOXES);
  if (total <= MOST_BOXES) {
    return { boxes, marks: [], edges: edgesIn(tree.edges, tree.items, tree.links, boxes, look.range), far: look.far };
  }
  return { boxes: [], marks: thinned(tree, look), edges: [], far: true };
}

/** Of the items that fall on the same few pixels one is enough. */
function thinned(tree: TreeView, look: Look): readonly number[] {
  const all = itemsIn(tree.window, tree.items, look.range, Number.POSITIVE_INFINITY).items;
  const zoom = 2 ** look.scale;
  const world = worldSize(tree.columns, tree.lanes);
  const projection = { ...project(world), scaleX: zoom / 2, scaleY: zoom / 2, left: 0, top: 0 };
  const cells = all.map((item) => tree.items[item] ?? { column: 0, lane: 0 });
  const kept = thinOut(cells, projection, (index) => TONE_WEIGHT[toneOf(tree, all[index] ?? -1, undefined)] ?? 0);
  return kept.map((index) => all[index] ?? 0);
}
