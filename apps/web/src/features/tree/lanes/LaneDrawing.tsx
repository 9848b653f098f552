import { formatCount } from '../../../lib/format.ts';
import type { CheckpointStatus, ForkTree } from '@checkpoint-inspector/core';
import { memo } from 'react';
import type { RowLines } from './lines.ts';
import type { LaneTableRow } from './rows.ts';

/** Pixels of the drawing: how wide a step is, and where the first is. */
export interface Scale {
  readonly width: number;
  readonly step: number;
  readonly left: number;
}

const LEFT = 18;
const RIGHT = 26;
const WIDEST = 26;
const WIDE_GROUPS = 46;
const BEND = 6;
/** Closer steps are drawn as a line without dots. */
const DOTTED = 9;
/** Lines that pass closer than this would run together. */
const APART = 4;

export function scaleOf(columns: number, room: number, grouped: boolean): Scale {
  const most = grouped ? WIDE_GROUPS : WIDEST;
  const step = columns < 2 ? most : Math.min(most, (room - LEFT - RIGHT) / (columns - 1));
  return { width: Math.min(room, Math.ceil(LEFT + RIGHT + step * Math.max(1, columns - 1))), step, left: LEFT };
}

export const columnX = ({ left, step }: Scale, column: number): number => Math.round(left + column * step);

interface DrawingProps {
  readonly row: LaneTableRow;
  readonly lines: RowLines;
  readonly scale: Scale;
  readonly height: number;
  readonly tree: ForkTree;
  readonly grouped: boolean;
  /** Column of the selected checkpoint, in its own row. */
  readonly selected: number | undefined;
}

/** The lines of one row. Decoration: name, outcome and level are in the row's words. */
export const LaneDrawing = memo(function LaneDrawing(props: DrawingProps) {
  const { row, lines, scale, height, selected } = props;
  const middle = height / 2;
  const x = (column: number): number => columnX(scale, column);
  const down = (column: number): string => `M${x(column)} ${middle}V${height}`;
  const end = x(row.end);
  const way = (from: number, to: number): string => {
    const first = x(row.start);
    if (lines.from === undefined) return `M${from} ${middle}H${to}`;
    const left = x(lines.from);
    const bend = Math.max(1, Math.min(BEND, first - left));
    const start =
      first === left
        ? `M${left} 0V${middle}`
        : `M${left} 0V${middle - bend}Q${left} ${middle} ${left + bend} ${middle}`;
    return `${start}H${Math.max(to, first)}`;
  };
  return (
    <svg className="lane-drawing" width={scale.width} height={height} aria-hidden="true">
      <path
        className="lane-way"
        d={[
          ...(scale.step < APART ? [] : lines.through.map((column) => `M${x(column)} 0V${height}`)),
          ...lines.down.map(down),
          way(x(row.start), end),
        ].join('')}
      />
      {(lines.pathTo !== undefined || lines.pathThrough.length > 0) && (
        <path
          className="lane-path"
          d={[
            ...lines.pathThrough.map((column) => `M${x(column)} 0V${height}`),
            ...(lines.pathDown === undefined ? [] : [down(lines.pathDown)]),
            ...(lines.pathTo === undefined ? [] : [way(x(row.start), x(lines.pathTo))]),
          ].join('')}
        />
      )}
      {row.kind === 'bundle' ? (
        <Pill
          x={x(row.end)}
          y={middle}
          count={row.bundle.lanes.reduce((sum, { count }) => sum + count, 0)}
          on={row.onPath}
        />
      ) : (
        <Steps {...props} middle={middle} />
      )}
      {selected !== undefined && row.kind === 'lane' && (
        <circle className="lane-here" cx={x(selected)} cy={middle} r="9" />
      )}
    </svg>
  );
});

function Pill({
  x,
  y,
  count,
  on,
}: {
  readonly x: number;
  readonly y: number;
  readonly count: number;
  readonly on: boolean;
}) {
  const text = formatCount(count);
  const wide = Math.max(30, text.length * 7.5 + 14);
  return (
    <g className={on ? 'lane-pill on' : 'lane-pill'}>
      <rect x={x - wide / 2 + 4} y={y - 10} width={wide} height={20} rx={10} />
      <text x={x + 4} y={y + 4} textAnchor="middle">
        {text}
      </text>
    </g>
  );
}

/** A dot a step where there is room, fork points filled, the outcome at the tip. */
function Steps({ row, lines, scale, tree, grouped, middle }: DrawingProps & { readonly middle: number }) {
  if (row.kind !== 'lane') return null;
  const { lane } = row.info;
  const x = (column: number): number => columnX(scale, column);
  const dots = grouped || scale.step < DOTTED ? [] : lane.nodes.slice(0, -1);
  const isOnPath = (column: number): boolean => lines.pathTo !== undefined && column <= lines.pathTo;
  return (
    <>
      {dots.map((node, at) => {
        const column = lane.depth + at;
        const here = tree.nodes[node];
        if (here === undefined || here.children.length > 1) return null;
        const kind = here.row === undefined ? ' ghost' : here.row.status === 'failed' ? ' failed' : '';
        return (
          <circle
            key={node}
            className={`lane-step${isOnPath(column) ? ' on' : ''}${kind}`}
            cx={x(column)}
            cy={middle}
            r={2.5}
          />
        );
      })}
      {lines.down.map((column) => (
        <circle
          key={column}
          className={isOnPath(column) ? 'lane-fork on' : 'lane-fork'}
          cx={x(column)}
          cy={middle}
          r={4}
        />
      ))}
      {!(grouped && lines.down.length > 0) && <OutcomeMark x={x(row.end)} y={middle} status={lane.status} />}
    </>
  );
}

/** The same shapes as the status icons: told apart without colour. */
export function OutcomeMark({
  x,
  y,
  status,
}: {
  readonly x: number;
  readonly y: number;
  readonly status: CheckpointStatus;
}) {
  return (
    <g className={`lane-outcome ${status}`} transform={`translate(${x} ${y})`}>
      <circle r="6" strokeDasharray={status === 'pending' ? '2.4 2.3' : undefined} />
      {status === 'completed' && <path d="M-2.6 .2L-.8 2 2.6-1.8" />}
      {status === 'failed' && <path d="M-2-2L2 2M2-2L-2 2" />}
      {status === 'running' && <path className="half" d="M0-6A6 6 0 0 0 0 6z" />}
      {status === 'interrupted' && <path d="M-1.6-2.2V2.2M1.6-2.2V2.2" />}
    </g>
  );
}
