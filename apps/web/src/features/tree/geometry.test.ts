import { describe, expect, it } from 'vitest';
import {
  cellCentre,
  cellsIn,
  cellX,
  cellY,
  fitView,
  gridFor,
  isInside,
  keepInPlace,
  openingView,
  READABLE_ZOOM,
  shownRect,
  SMALL,
  THREE_LINES,
  underMap,
  worldSize,
  zoomedAt,
} from './geometry.ts';
import { edgePath } from './CanvasLayers.tsx';

const pane = { width: 1140, height: 812 };
const root = { column: 0, lane: 0 };

describe('the grid of a few lanes', () => {
  it('takes the room there is, and no card is so narrow that it could not be read', () => {
    const roomy = gridFor(5, 3, pane);
    expect(roomy.nodeWidth).toBeGreaterThan(SMALL.nodeWidth);
    expect(roomy.nodeHeight).toBe(THREE_LINES);
    const tight = gridFor(30, 6, { width: 700, height: 500 });
    expect(tight.nodeWidth).toBe(SMALL.nodeWidth);
    expect(tight.nodeHeight).toBeLessThan(THREE_LINES);
    expect(gridFor(5, 40, pane)).toBe(SMALL);
  });

  it('fits three and six lanes whole at a size that can be read', () => {
    for (const lanes of [1, 3, 6]) {
      const grid = gridFor(6, lanes, { width: 1100, height: 560 });
      expect(openingView({ grid, columns: 6, lanes }, root, root, { width: 1100, height: 560 }).zoom).toBeGreaterThan(
        0.9,
      );
      expect(grid.lanePitch).toBeGreaterThan(grid.nodeHeight + 24);
    }
  });
});

describe('the view', () => {
  it('shows a small tree whole, and a long one at a readable zoom where the reader is', () => {
    const small = openingView({ grid: SMALL, columns: 5, lanes: 3 }, { column: 4, lane: 0 }, root, pane);
    expect(small.zoom).toBe(1);
    const at = { column: 900, lane: 0 };
    const long = openingView({ grid: SMALL, columns: 1000, lanes: 12 }, at, root, pane);
    expect(long.zoom).toBe(1);
    expect(isInside(SMALL, at, long, pane)).toBe(true);
  });

  it('shows a dozen lanes whole, as dots where cards do not fit', () => {
    const view = openingView({ grid: SMALL, columns: 12, lanes: 12 }, root, root, pane);
    expect(view.zoom).toBeLessThan(READABLE_ZOOM);
    expect(isInside(SMALL, root, view, pane)).toBe(true);
    expect(isInside(SMALL, { column: 11, lane: 11 }, view, pane)).toBe(true);
  });

  it('shows a single lane of ten steps whole in a narrow pane, because its name is short', () => {
    const narrow = { width: 760, height: 220 };
    const grid = gridFor(10, 1, narrow);
    const view = openingView({ grid, columns: 10, lanes: 1 }, { column: 9, lane: 0 }, root, narrow);
    expect([isInside(grid, root, view, narrow), isInside(grid, { column: 9, lane: 0 }, view, narrow)]).toEqual([
      true,
      true,
    ]);
  });

  it('has the fork in view beside the selection where there is room for both', () => {
    const drawing = { grid: SMALL, columns: 40, lanes: 20 };
    const [at, fork] = [
      { column: 20, lane: 9 },
      { column: 16, lane: 4 },
    ];
    const view = openingView(drawing, at, fork, pane);
    expect([isInside(SMALL, at, view, pane), isInside(SMALL, fork, view, pane)]).toEqual([true, true]);
    const far = openingView(drawing, { column: 39, lane: 19 }, root, pane);
    expect(isInside(SMALL, { column: 39, lane: 19 }, far, pane)).toBe(true);
  });

  it('leaves no empty margin beside the last column', () => {
    const world = worldSize(SMALL, 1000, 1);
    const view = openingView({ grid: SMALL, columns: 1000, lanes: 1 }, { column: 999, lane: 0 }, root, pane);
    expect(world.width * view.zoom + view.x).toBeGreaterThan(pane.width - 60);
  });

  it('keeps the selection clear of the minimap', () => {
    const drawing = { grid: SMALL, columns: 2000, lanes: 30 };
    const at = { column: 1999, lane: 29 };
    for (const small of [
      { width: 730, height: 560 },
      { width: 1280, height: 600 },
    ]) {
      const opened = openingView(drawing, at, at, small);
      expect(underMap(SMALL, at, opened, small)).toBe(0);
      expect(isInside(SMALL, at, opened, small)).toBe(true);
    }
  });

  it('fits all of it', () => {
    const world = worldSize(SMALL, 400, 90);
    const rect = shownRect(fitView(world, pane), pane);
    expect(rect.x).toBeLessThanOrEqual(0);
    expect(rect.x + rect.width).toBeGreaterThanOrEqual(world.width);
    expect(rect.y + rect.height).toBeGreaterThanOrEqual(world.height);
  });

  it('keeps a cell on its place of the screen when its column and lane change', () => {
    const view = { x: -120, y: 40, zoom: 0.7 };
    const before = { column: 3, lane: 1 };
    const after = { column: 12, lane: 4 };
    const next = keepInPlace(SMALL, view, before, after);
    expect(cellX(SMALL, after.column) * next.zoom + next.x).toBeCloseTo(
      cellX(SMALL, before.column) * view.zoom + view.x,
    );
    expect(cellY(SMALL, after.lane) * next.zoom + next.y).toBeCloseTo(cellY(SMALL, before.lane) * view.zoom + view.y);
  });

  it('zooms around a point that stays where it is', () => {
    const view = zoomedAt({ x: 10, y: 20, zoom: 1 }, { x: 300, y: 200 }, 0.5);
    expect((300 - view.x) / view.zoom).toBeCloseTo(290);
    expect((200 - view.y) / view.zoom).toBeCloseTo(180);
  });

  it('covers every cell that touches the pane', () => {
    const range = cellsIn(SMALL, { x: 150, y: 0, width: 10, height: 10 }, 0);
    expect(range).toEqual({ fromColumn: 1, toColumn: 1, fromLane: 0, toLane: 0 });
    expect(cellsIn(SMALL, { x: 131, y: 0, width: 40, height: 10 }, 0)).toMatchObject({ fromColumn: 0, toColumn: 1 });
    expect(cellCentre(SMALL, { column: 0, lane: 0 })).toEqual({ x: 66, y: 25 });
  });
});

describe('edgePath', () => {
  it('ends where its mark begins', () => {
    const { line, mark } = edgePath(SMALL, { column: 0, lane: 0 }, { column: 1, lane: 0 }, 'recorded');
    expect(line).toBe('M132 25H150');
    expect(mark).toEqual({ x: 153.5, y: 25 });
  });

  it('turns to the lane of the child', () => {
    const down = edgePath(SMALL, { column: 0, lane: 0 }, { column: 1, lane: 2 }, 'sidecar').line;
    const up = edgePath(SMALL, { column: 0, lane: 2 }, { column: 1, lane: 0 }, 'sidecar').line;
    expect(down).toContain(`V${cellY(SMALL, 2) + 25 - 6}`);
    expect(up).toContain('V31');
  });
});
