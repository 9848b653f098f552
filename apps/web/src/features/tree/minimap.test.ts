import { describe, expect, it } from 'vitest';
import {
  frameOf,
  markOf,
  MINIMAP_SIZE,
  project,
  shownRect,
  SMALL,
  thinOut,
  toMinimap,
  toWorld,
  worldSize,
} from './geometry.ts';

describe('the minimap', () => {
  it('projects there and back', () => {
    for (const [columns, lanes] of [
      [7, 4],
      [900, 40],
      [1, 1],
    ] as const) {
      const projection = project(worldSize(SMALL, columns, lanes));
      const back = toWorld(toMinimap({ x: 321, y: 123 }, projection), projection);
      expect(back.x).toBeCloseTo(321);
      expect(back.y).toBeCloseTo(123);
    }
  });

  it('keeps every mark inside the box', () => {
    const projection = project(worldSize(SMALL, 2000, 30));
    for (const cell of [
      { column: 0, lane: 0 },
      { column: 1999, lane: 29 },
    ]) {
      const mark = markOf(SMALL, cell, projection);
      expect(mark.x).toBeGreaterThanOrEqual(0);
      expect(mark.y).toBeGreaterThanOrEqual(0);
      expect(mark.x + mark.width).toBeLessThanOrEqual(MINIMAP_SIZE.width);
      expect(mark.y + mark.height).toBeLessThanOrEqual(MINIMAP_SIZE.height);
      expect(mark.width).toBeGreaterThanOrEqual(1);
    }
  });

  it('frames the part that is shown, and never less than can be seen', () => {
    const world = worldSize(SMALL, 2000, 3);
    const frame = frameOf(shownRect({ x: 0, y: 0, zoom: 1 }, { width: 1100, height: 800 }), project(world));
    expect(frame.width).toBeGreaterThanOrEqual(6);
    expect(frame.x).toBeGreaterThanOrEqual(2);
    expect(frame.x + frame.width).toBeLessThanOrEqual(MINIMAP_SIZE.width);
  });

  it('thins a crowd to about one mark for each pixel and keeps the weightiest', () => {
    const cells = Array.from({ length: 50_000 }, (_, column) => ({ column, lane: 0 }));
    const kept = thinOut(SMALL, cells, project(worldSize(SMALL, 50_000, 1)), (at) => (at === 777 ? 5 : 0));
    expect(kept.length).toBeLessThan(400);
    expect(kept).toContain(777);
  });
});
