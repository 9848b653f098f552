/** Where things are in the drawing. World units are CSS pixels at 100 %. */

/** The measures of a drawing: they are chosen once, when it opens, so that nothing jumps later. */
export interface Grid {
  readonly nodeWidth: number;
  readonly nodeHeight: number;
  /** From one column to the next: the node, and room for the edge and its mark. */
  readonly columnPitch: number;
  /** From one lane to the next: lane label above, node, latest tag below. */
  readonly lanePitch: number;
}

/** Between two nodes: the edge and its mark. */
const GAP = 26;
const NARROWEST = 132;
const WIDEST = 184;
/** Number and name, what changed, what it used. */
export const THREE_LINES = 70;
const TWO_LINES = 50;
const MOST_LANES_APART = 140;
const LEAST_LANES_APART = 82;

/** Where there are many columns or lanes. */
export const SMALL: Grid = {
  nodeWidth: NARROWEST,
  nodeHeight: TWO_LINES,
  columnPitch: NARROWEST + GAP,
  lanePitch: 100,
};

/** Up to this many lanes are drawn as cards that fill the pane. */
export const MOST_CARDS = 6;

/** A few lanes fill the pane: cards as wide and as far apart as there is room, so that the most of them can be read. */
export function gridFor(columns: number, lanes: number, pane: Size): Grid {
  if (lanes > MOST_DOTS) return SMALL;
  if (lanes > MOST_CARDS || (lanes === 1 && columns > LONG)) return dotGrid(columns, lanes, pane);
  const wide = Math.floor((pane.width - RIM * 2 - (columns - 1) * GAP) / Math.max(1, columns));
  const nodeWidth = Math.min(WIDEST, Math.max(NARROWEST, wide));
  const room = (pane.height - RIM * 2) / lanes;
  const nodeHeight = room >= THREE_LINES + LABEL ? THREE_LINES : TWO_LINES;
  const lanePitch = Math.round(Math.min(MOST_LANES_APART, Math.max(LEAST_LANES_APART, nodeHeight + LABEL, room)));
  return { nodeWidth, nodeHeight, columnPitch: nodeWidth + GAP, lanePitch };
}

/** More lanes are read as dots: as far apart as the names behind their ends leave room. */
function dotGrid(columns: number, lanes: number, pane: Size): Grid {
  const high = (pane.height - RIM * 2) / (lanes * LEAST_LANES_APART);
  const zoom = Math.max(FAR_ZOOM, Math.min(READABLE_ZOOM - 0.01, high));
  const room = (pane.width - RIM * 2 - nameRoom(lanes)) / (columns * zoom);
  const columnPitch = Math.round(Math.min(WIDEST + GAP, Math.max(NARROWEST + GAP, room)));
  return { nodeWidth: columnPitch - GAP, nodeHeight: TWO_LINES, columnPitch, lanePitch: LEAST_LANES_APART };
}

/** Screen pixels for the name of a lane behind its end; a single one has a short name. */
const nameRoom = (lanes: number): number => (lanes === 1 ? 120 : 240);
/** A single lane of more columns is read as dots. */
const LONG = 6;

/** The name of a lane above its first node, and some air. */
const LABEL = 32;

export const MAX_ZOOM = 1.5;
/** Below this the words of a card cannot be read: steps are dots with their numbers. */
export const READABLE_ZOOM = 0.75;
/** Below this there is no room for numbers, and the whole is shown in a corner. */
export const FAR_ZOOM = 0.3;

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

export const cellX = (grid: Grid, column: number): number => column * grid.columnPitch;
export const cellY = (grid: Grid, lane: number): number => lane * grid.lanePitch;

export function cellCentre(grid: Grid, cell: Cell): Point {
  return { x: cellX(grid, cell.column) + grid.nodeWidth / 2, y: cellY(grid, cell.lane) + grid.nodeHeight / 2 };
}

/** The whole drawing, lane label of the top lane included. */
export function worldSize(grid: Grid, columns: number, lanes: number): Size {
  return {
    width: cellX(grid, Math.max(1, columns) - 1) + grid.nodeWidth,
    height: cellY(grid, Math.max(1, lanes) - 1) + grid.nodeHeight,
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
export function cellsIn(grid: Grid, rect: Rect, overscan = 1): CellRange {
  const { nodeWidth, nodeHeight, columnPitch, lanePitch } = grid;
  return {
    fromColumn: Math.floor((rect.x - nodeWidth) / columnPitch) + 1 - overscan,
    toColumn: Math.floor((rect.x + rect.width) / columnPitch) + overscan,
    fromLane: Math.floor((rect.y - nodeHeight) / lanePitch) + 1 - overscan,
    toLane: Math.floor((rect.y + rect.height) / lanePitch) + overscan,
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
export function keepInPlace(grid: Grid, view: View, before: Cell, after: Cell): View {
  return {
    ...view,
    x: view.x - cellX(grid, after.column - before.column) * view.zoom,
    y: view.y - cellY(grid, after.lane - before.lane) * view.zoom,
  };
}

/** Zoomed around a point of the pane, which stays where it is. */
export function zoomedAt(view: View, at: Point, zoom: number): View {
  const factor = zoom / view.zoom;
  return { zoom, x: at.x - (at.x - view.x) * factor, y: at.y - (at.y - view.y) * factor };
}

/** Whether the cell is wholly inside the pane, `margin` screen pixels from its rim. */
export function isInside(grid: Grid, cell: Cell, view: View, pane: Size, margin = 24): boolean {
  const left = cellX(grid, cell.column) * view.zoom + view.x;
  const top = cellY(grid, cell.lane) * view.zoom + view.y;
  return (
    left >= margin &&
    top >= margin &&
    left + grid.nodeWidth * view.zoom <= pane.width - margin &&
    top + grid.nodeHeight * view.zoom <= pane.height - margin
  );
}

const RIM = 44;
/** Up to this many lanes the whole is shown, as dots where cards do not fit. */
export const MOST_DOTS = 12;

/**
 * Where the screen opens: all of it if it can be read, as cards or as dots; else 100 % around a cell and, where both
 * have room, the fork that it comes from, without empty margins.
 */
export function openingView(drawing: Drawing, at: Cell, fork: Cell, pane: Size): View {
  const { grid, columns, lanes } = drawing;
  const world = worldSize(grid, columns, lanes);
  const fits = fitZoom(world, pane, RIM);
  const name = nameRoom(lanes);
  // Between cards that are whole and dots that have room for their names, dots.
  const whole =
    fits < READABLE_ZOOM ? Math.min(fits, fitZoom(world, { ...pane, width: pane.width - name }, RIM)) : fits;
  const zoom = whole >= READABLE_ZOOM || (lanes <= MOST_DOTS && whole >= FAR_ZOOM) ? whole : 1;
  const [own, from] = [cellCentre(grid, at), cellCentre(grid, fork)];
  const both = (a: number, b: number, node: number, room: number): number =>
    (Math.abs(a - b) + node) * zoom + RIM * 2 <= room ? (a + b) / 2 : a;
  const centre = {
    x: both(own.x, from.x, grid.nodeWidth, pane.width),
    y: both(own.y, from.y, grid.nodeHeight, pane.height),
  };
  const centred = centredOn(centre, zoom, pane);
  const named = zoom < READABLE_ZOOM ? Math.max(0, Math.min(name, pane.width - RIM * 2 - world.width * zoom)) : 0;
  const view = {
    zoom,
    x: held(centred.x, world.width * zoom, pane.width - named),
    y: held(centred.y, world.height * zoom, pane.height),
  };
  if (!isMapped(drawing, pane, zoom < READABLE_ZOOM)) return view;
  return { ...view, y: view.y - underMap(grid, at, view, pane) };
}

/** In a lower pane the minimap would cover what it maps. */
const LEAST_MAPPED = 320;

/** Whether the whole is shown in a corner; `far` where steps are dots. */
export function isMapped({ grid, columns, lanes }: Drawing, pane: Size, far: boolean): boolean {
  const least = far && lanes <= MOST_DOTS ? FAR_ZOOM : READABLE_ZOOM;
  return pane.height >= LEAST_MAPPED && fitZoom(worldSize(grid, columns, lanes), pane) < least;
}

/** By how much a cell has to move up to be clear of the minimap, the tag below it included. */
export function underMap(grid: Grid, cell: Cell, view: View, pane: Size): number {
  const right = (cellX(grid, cell.column) + grid.nodeWidth) * view.zoom + view.x;
  const bottom = (cellY(grid, cell.lane) + grid.nodeHeight) * view.zoom + view.y + TAG;
  const isLeft = right <= pane.width - MINIMAP_SIZE.width - MAP_MARGIN * 2;
  return isLeft ? 0 : Math.max(0, bottom - (pane.height - MINIMAP_SIZE.height - MAP_MARGIN * 2));
}

/** What is drawn, and how large. */
export interface Drawing {
  readonly grid: Grid;
  readonly columns: number;
  readonly lanes: number;
}

/** Keeps the drawing's rim at the pane's rim; what is smaller than the pane is centred. */
function held(offset: number, drawn: number, room: number): number {
  if (drawn + RIM * 2 <= room) return (room - drawn) / 2;
  return Math.min(RIM, Math.max(room - drawn - RIM, offset));
}

// The whole drawing in a small box: projection both ways.

export const MINIMAP_SIZE: Size = { width: 196, height: 92 };
/** From the rim of the pane, as tree.css has it. */
const MAP_MARGIN = 16;
/** Below a node, in screen pixels: the tag of the latest. */
const TAG = 20;
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
export function markOf(grid: Grid, cell: Cell, projection: Projection): Rect {
  const corner = toMinimap({ x: cellX(grid, cell.column), y: cellY(grid, cell.lane) }, projection);
  return {
    ...corner,
    width: Math.max(1, grid.nodeWidth * projection.scaleX),
    height: Math.max(1.5, Math.min(grid.nodeHeight * projection.scaleY, 6)),
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
export function thinOut(
  grid: Grid,
  items: readonly Cell[],
  projection: Projection,
  weight: (index: number) => number,
): number[] {
  const crowded = grid.columnPitch * projection.scaleX < 1 || grid.lanePitch * projection.scaleY < 1.5;
  if (!crowded) return items.map((_, index) => index);
  const best = new Map<number, number>();
  items.forEach((item, index) => {
    const spot = toMinimap({ x: cellX(grid, item.column), y: cellY(grid, item.lane) }, projection);
    const key = Math.floor(spot.x) * 4096 + Math.floor(spot.y / 1.5);
    const other = best.get(key);
    if (other === undefined || weight(index) > weight(other)) best.set(key, index);
  });
  return [...best.values()];
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
