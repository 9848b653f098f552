/** The lines between items, as SVG path data in world pixels. */
import type { LineageKind } from '@checkpoint-inspector/core';
import { NODE_HEIGHT, NODE_WIDTH, cellX, cellY, type Cell, type Point } from './geometry.ts';

const BEND = 6;
/** Where a line turns to another lane: as far after the node as leaves room for the mark. */
const TURN = 8;
/** Room for the mark before the node. */
const MARK: Record<LineageKind, number> = { recorded: 7, sidecar: 11, inferred: 15, none: 0 };

export interface EdgePath {
  readonly line: string;
  /** Middle of the mark. */
  readonly mark: Point;
}

export function edgePath(from: Cell, to: Cell, kind: LineageKind): EdgePath {
  const x1 = cellX(from.column) + NODE_WIDTH;
  const y1 = cellY(from.lane) + NODE_HEIGHT / 2;
  const x2 = cellX(to.column) - 1;
  const y2 = cellY(to.lane) + NODE_HEIGHT / 2;
  const end = x2 - MARK[kind];
  const mark = { x: x2 - MARK[kind] / 2, y: y2 };
  if (y1 === y2) return { line: `M${x1} ${y1}H${end}`, mark };
  const turn = x1 + TURN;
  const down = y2 > y1 ? 1 : -1;
  const bend = Math.min(BEND, Math.max(1, end - turn));
  return {
    line: `M${x1} ${y1}H${turn - bend}Q${turn} ${y1} ${turn} ${y1 + bend * down}V${y2 - bend * down}Q${turn} ${y2} ${turn + bend} ${y2}H${Math.max(end, turn + bend)}`,
    mark,
  };
}
