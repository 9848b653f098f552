/** The whole drawing in a small box: projection both ways. */
import {
  COLUMN_PITCH,
  LANE_PITCH,
  NODE_HEIGHT,
  NODE_WIDTH,
  cellX,
  cellY,
  type Cell,
  type Point,
  type Rect,
  type Size,
} from './geometry.ts';

export const MINIMAP_SIZE: Size = { width: 196, height: 92 };
const PADDING = 10;

export interface Projection {
  /** Minimap pixels per world pixel, sideways and down; a long tree is squeezed rather than shown as a hairline. */
  readonly scaleX: number;
  readonly scaleY: number;
  readonly left: number;
  readonly top: number;
}

/** Up to this many times wider (or higher) than true: the place matters here, not the shape. */
const MAX_STRETCH = 6;

export function project(world: Size, box: Size = MINIMAP_SIZE): Projection {
  const fullX = (box.width - PADDING * 2) / world.width;
  const fullY = (box.height - PADDING * 2) / world.height;
  const scale = Math.min(fullX, fullY, 0.16);
  const scaleX = Math.min(fullX, 0.16, scale * MAX_STRETCH);
  const scaleY = Math.min(fullY, 0.16, scale * MAX_STRETCH);
  return {
    scaleX,
    scaleY,
    left: (box.width - world.width * scaleX) / 2,
    top: (box.height - world.height * scaleY) / 2,
  };
}

export function toMinimap(point: Point, projection: Projection): Point {
  return { x: projection.left + point.x * projection.scaleX, y: projection.top + point.y * projection.scaleY };
}

export function toWorld(point: Point, projection: Projection): Point {
  return { x: (point.x - projection.left) / projection.scaleX, y: (point.y - projection.top) / projection.scaleY };
}

/** The node's mark: never thinner than it can be seen. */
export function markOf(cell: Cell, projection: Projection): Rect {
  const corner = toMinimap({ x: cellX(cell.column), y: cellY(cell.lane) }, projection);
  return {
    ...corner,
    width: Math.max(1, NODE_WIDTH * projection.scaleX),
    height: Math.max(1.5, Math.min(NODE_HEIGHT * projection.scaleY, 6)),
  };
}

/** The viewport's frame, cut to the box so that it always shows. */
export function frameOf(shown: Rect, projection: Projection, box: Size = MINIMAP_SIZE): Rect {
  const a = toMinimap(shown, projection);
  const b = toMinimap({ x: shown.x + shown.width, y: shown.y + shown.height }, projection);
  const left = clamp(a.x, 2, box.width - 8);
  const top = clamp(a.y, 2, box.height - 8);
  return {
    x: left,
    y: top,
    width: Math.max(6, clamp(b.x, 8, box.width - 2) - left),
    height: Math.max(6, clamp(b.y, 8, box.height - 2) - top),
  };
}

/**
 * One mark per pixel at most: of the items that fall on the same spot, the one that says most
 * is drawn. `weight` ranks them; higher wins.
 */
export function thinOut(items: readonly Cell[], projection: Projection, weight: (index: number) => number): number[] {
  const crowded = COLUMN_PITCH * projection.scaleX < 1 || LANE_PITCH * projection.scaleY < 1.5;
  if (!crowded) return items.map((_, index) => index);
  const best = new Map<number, number>();
  items.forEach((item, index) => {
    const spot = toMinimap({ x: cellX(item.column), y: cellY(item.lane) }, projection);
    const key = Math.floor(spot.x) * 4096 + Math.floor(spot.y / 1.5);
    const other = best.get(key);
    if (other === undefined || weight(index) > weight(other)) best.set(key, index);
  });
  return [...best.values()];
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
