import { describe, expect, it } from 'vitest';
import {
  cellCentre,
  cellsIn,
  cellX,
  cellY,
  fitView,
  isInside,
  keepInPlace,
  openingView,
  shownRect,
  worldSize,
  zoomedAt,
} from './geometry.ts';
import { edgePath } from './CanvasLayers.tsx';

const pane = { width: 1140, height: 812 };

describe('the view', () => {
  it('shows a small tree whole, and a long one at a readable zoom where the reader is', () => {
    const small = openingView(worldSize(5, 3), { column: 4, lane: 0 }, pane);
    expect(small.zoom).toBe(1);
    const at = { column: 900, lane: 0 };
    const long = openingView(worldSize(1000, 12), at, pane);
    expect(long.zoom).toBe(1);
    expect(isInside(at, long, pane)).toBe(true);
  });

  it('leaves no empty margin beside the last column', () => {
    const world = worldSize(1000, 1);
    const view = openingView(world, { column: 999, lane: 0 }, pane);
    expect(world.width * view.zoom + view.x).toBeGreaterThan(pane.width - 60);
  });

  it('fits all of it', () => {
    const world = worldSize(400, 90);
    const rect = shownRect(fitView(world, pane), pane);
    expect(rect.x).toBeLessThanOrEqual(0);
    expect(rect.x + rect.width).toBeGreaterThanOrEqual(world.width);
    expect(rect.y + rect.height).toBeGreaterThanOrEqual(world.height);
  });

  it('keeps a cell on its place of the screen when its column and lane change', () => {
    const view = { x: -120, y: 40, zoom: 0.7 };
    const before = { column: 3, lane: 1 };
    const after = { column: 12, lane: 4 };
    const next = keepInPlace(view, before, after);
    expect(cellX(after.column) * next.zoom + next.x).toBeCloseTo(cellX(before.column) * view.zoom + view.x);
    expect(cellY(after.lane) * next.zoom + next.y).toBeCloseTo(cellY(before.lane) * view.zoom + view.y);
  });

  it('zooms around a point that stays where it is', () => {
    const view = zoomedAt({ x: 10, y: 20, zoom: 1 }, { x: 300, y: 200 }, 0.5);
    expect((300 - view.x) / view.zoom).toBeCloseTo(290);
    expect((200 - view.y) / view.zoom).toBeCloseTo(180);
  });

  it('covers every cell that touches the pane', () => {
    const range = cellsIn({ x: 150, y: 0, width: 10, height: 10 }, 0);
    expect(range).toEqual({ fromColumn: 1, toColumn: 1, fromLane: 0, toLane: 0 });
    expect(cellsIn({ x: 131, y: 0, width: 40, height: 10 }, 0)).toMatchObject({ fromColumn: 0, toColumn: 1 });
    expect(cellCentre({ column: 0, lane: 0 })).toEqual({ x: 66, y: 26 });
  });
});

describe('edgePath', () => {
  it('ends where its mark begins', () => {
    const { line, mark } = edgePath({ column: 0, lane: 0 }, { column: 1, lane: 0 }, 'recorded');
    expect(line).toBe('M132 26H150');
    expect(mark).toEqual({ x: 153.5, y: 26 });
  });

  it('turns to the lane of the child', () => {
    const down = edgePath({ column: 0, lane: 0 }, { column: 1, lane: 2 }, 'sidecar').line;
    const up = edgePath({ column: 0, lane: 2 }, { column: 1, lane: 0 }, 'sidecar').line;
    expect(down).toContain(`V${cellY(2) + 26 - 6}`);
    expect(up).toContain('V32');
  });
});
