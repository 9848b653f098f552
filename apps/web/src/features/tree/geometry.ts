/** Where things stand in the drawing. World units are CSS pixels at 100 %. */

export const NODE_WIDTH = 132;
export const NODE_HEIGHT = 52;
/** From one column to the next: the node and 26 px for the edge and its mark. */
export const COLUMN_PITCH = 158;
/** From one lane to the next: lane label above, node, latest tag below. */
export const LANE_PITCH = 100;

export const MAX_ZOOM = 1.5;
/** Below this the words of a node cannot be read and are left out. */
export const READABLE_ZOOM = 0.45;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Rect extends Point, Size {}

/** As React Flow has it: screen = world * zoom + (x, y). */
export interface View extends Point {
  readonly zoom: number;
}

export interface Cell {
  readonly column: number;
  readonly lane: number;
}

/** Columns and lanes, both ends included. */
export interface CellRange {
  readonly fromColumn: number;
  readonly toColumn: number;
  readonly fromLane: number;
  readonly toLane: number;
}

export const cellX = (column: number): number => column * COLUMN_PITCH;
export const cellY = (lane: number): number => lane * LANE_PITCH;

export function cellCentre(cell: Cell): Point {
  return { x: cellX(cell.column) + NODE_WIDTH / 2, y: cellY(cell.lane) + NODE_HEIGHT / 2 };
}

/** The whole drawing, lane label of the top lane included. */
export function worldSize(columns: number, lanes: number): Size {
  return {
    width: Math.max(1, columns) * COLUMN_PITCH - (COLUMN_PITCH - NODE_WIDTH),
    height: Math.max(1, lanes) * LANE_PITCH - (LANE_PITCH - NODE_HEIGHT),
  };
}

/** The part of the world that a pane of this size shows. */
export function shownRect(view: View, pane: Size): Rect {
  return {
    x: -view.x / view.zoom,
    y: -view.y / view.zoom,
    width: pane.width / view.zoom,
    height: pane.height / view.zoom,
  };
}

/** Cells that touch the rectangle, `overscan` more on each side. */
export function cellsIn(rect: Rect, overscan = 1): CellRange {
  return {
    fromColumn: Math.floor((rect.x - NODE_WIDTH) / COLUMN_PITCH) + 1 - overscan,
    toColumn: Math.floor((rect.x + rect.width) / COLUMN_PITCH) + overscan,
    fromLane: Math.floor((rect.y - NODE_HEIGHT) / LANE_PITCH) + 1 - overscan,
    toLane: Math.floor((rect.y + rect.height) / LANE_PITCH) + overscan,
  };
}

export function sameRange(a: CellRange, b: CellRange): boolean {
  return (
    a.fromColumn === b.fromColumn && a.toColumn === b.toColumn && a.fromLane === b.fromLane && a.toLane === b.toLane
  );
}

/** The view that puts a point of the world in the middle of the pane. */
export function centredOn(point: Point, zoom: number, pane: Size): View {
  return { x: pane.width / 2 - point.x * zoom, y: pane.height / 2 - point.y * zoom, zoom };
}

/** The zoom at which all of it fits, never larger than 100 %. */
export function fitZoom(world: Size, pane: Size, padding = 48): number {
  const wide = (pane.width - padding * 2) / world.width;
  const high = (pane.height - padding * 2) / world.height;
  return Math.max(0.0005, Math.min(1, wide, high));
}

export function fitView(world: Size, pane: Size): View {
  return centredOn({ x: world.width / 2, y: world.height / 2 }, fitZoom(world, pane), pane);
}

/** The same view moved so that one cell stays where it was on the screen although the layout changed. */
export function keepInPlace(view: View, before: Cell, after: Cell): View {
  return {
    ...view,
    x: view.x - (cellX(after.column) - cellX(before.column)) * view.zoom,
    y: view.y - (cellY(after.lane) - cellY(before.lane)) * view.zoom,
  };
}

/** Zoomed around a point of the pane, which stays where it is. */
export function zoomedAt(view: View, at: Point, zoom: number): View {
  const factor = zoom / view.zoom;
  return { zoom, x: at.x - (at.x - view.x) * factor, y: at.y - (at.y - view.y) * factor };
}

/** Whether the cell is wholly inside the pane, `margin` screen pixels from its rim. */
export function isInside(cell: Cell, view: View, pane: Size, margin = 24): boolean {
  const left = cellX(cell.column) * view.zoom + view.x;
  const top = cellY(cell.lane) * view.zoom + view.y;
  return (
    left >= margin &&
    top >= margin &&
    left + NODE_WIDTH * view.zoom <= pane.width - margin &&
    top + NODE_HEIGHT * view.zoom <= pane.height - margin
  );
}

const RIM = 56;
/** Small trees are shown whole down to this zoom; larger ones begin at 100 % where the reader is. */
const WHOLE_ZOOM = 0.7;

/** Where the screen opens: all of it if it can be read, else 100 % around one cell, without empty margins. */
export function openingView(world: Size, at: Cell, pane: Size): View {
  const whole = fitZoom(world, pane, RIM);
  const zoom = whole >= WHOLE_ZOOM ? whole : 1;
  const centred = centredOn(cellCentre(at), zoom, pane);
  return {
    zoom,
    x: held(centred.x, world.width * zoom, pane.width),
    y: held(centred.y, world.height * zoom, pane.height),
  };
}

/** Keeps the drawing's rim at the pane's rim; what is smaller than the pane stands in the middle. */
function held(offset: number, drawn: number, room: number): number {
  if (drawn + RIM * 2 <= room) return (room - drawn) / 2;
  return Math.min(RIM, Math.max(room - drawn - RIM, offset));
}

// The whole drawing in a small box: projection both ways.

export const MINIMAP_SIZE: Size = { width: 196, height: 92 };
const PADDING = 10;

/** Up to this many times wider (or higher) than true: the place matters here, not the shape. */
const MAX_STRETCH = 6;

/** Minimap pixels per world pixel, each way; a long tree is squeezed rather than shown as a hairline. */
export function project(world: Size, box: Size = MINIMAP_SIZE) {
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

export type Projection = ReturnType<typeof project>;

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
