import clsx from 'clsx';
import { memo } from 'react';
import type { CheckpointStatus } from '@checkpoint-inspector/core';
import type { LaneRow } from './lanes.ts';

const FIRST = 18;
const STEP = 18;
/** Dash patterns tell this many lanes apart; more of them would only be noise. */
const PATTERNS = 4;

const laneX = (lane: number): number => FIRST + lane * STEP;
/** Width of the column for so many lanes; at least two, so that most lists line up. */
export const laneWidth = (lanes: number): number => 14 + Math.max(2, lanes) * STEP;

interface LaneGlyphProps {
  readonly row: LaneRow;
  readonly lanes: number;
  readonly status: CheckpointStatus;
  readonly selected: boolean;
  readonly broken: boolean;
  readonly height: number;
  /** Parents are known in more than one way, so each edge says in which. */
  readonly marked: boolean;
  /** The row is for several lanes. */
  readonly stack?: boolean;
}

/** Decoration: the same facts are in the row's words and in the tree. */
export const LaneGlyph = memo(function LaneGlyph(props: LaneGlyphProps) {
  const { row, lanes, status, selected, broken, height, marked, stack = false } = props;
  const laneClass = (lane: number): string => (lanes <= PATTERNS ? `lane lane-${lane + 1}` : 'lane');
  const middle = height / 2;
  const x = laneX(row.lane);
  return (
    <svg className="lane-glyph" width={laneWidth(lanes)} height={height} aria-hidden="true">
      {row.lines.map(({ lane, part }) => (
        <path
          key={`${lane} ${part}`}
          className={laneClass(lane)}
          d={`M${laneX(lane)} ${part === 'below' ? middle : 0}V${part === 'above' ? middle : height}`}
        />
      ))}
      {row.bends.map(({ lane, from }) => (
        <path key={`${lane} ${from}`} className={laneClass(lane)} d={bend(laneX(lane), x, from, height)} />
      ))}
      {(row.parent === 'missing' || row.parent === 'other-task' || row.parent === 'apart') && (
        <path className="lane lane-stub" d={`M${x} ${middle}V${height - 6}`} />
      )}
      {marked && (row.kind === 'sidecar' || row.kind === 'inferred') && row.parent !== 'none' && (
        <EdgeMark kind={row.kind} x={x} y={height - 7} />
      )}
      {stack ? (
        <Stack x={x} y={middle} />
      ) : (
        <Node x={x} y={middle} status={status} selected={selected} fork={row.fork} broken={broken} />
      )}
    </svg>
  );
});

function bend(from: number, to: number, side: 'above' | 'below', height: number): string {
  const [edge, middle] = [side === 'above' ? 0 : height, height / 2];
  return `M${from} ${edge}C${from} ${middle} ${to} ${(edge + middle) / 2} ${to} ${middle}`;
}

interface EdgeMarkProps {
  readonly kind: 'sidecar' | 'inferred';
  readonly x: number;
  readonly y: number;
}

/** The mark on the edge below the node: how the parent is known. */
function EdgeMark({ kind, x, y }: EdgeMarkProps) {
  if (kind === 'sidecar') return <path className="lane-mark" d={`M${x} ${y - 4}l4 4-4 4-4-4z`} />;
  return (
    <g className="lane-mark">
      <circle cx={x} cy={y} r="5" className="lane-mark-ground" />
      <path d={`M${x - 1.8} ${y - 1.7}c.1-1.2.8-1.7 1.8-1.7s1.8.6 1.8 1.6c0 1.3-1.8 1.3-1.8 2.6M${x} ${y + 2.8}v.1`} />
    </g>
  );
}

/** Several ends, one behind the other. */
function Stack({ x, y }: { readonly x: number; readonly y: number }) {
  return (
    <g className="lane-node">
      {[3, 0, -3].map((shift) => (
        <circle key={shift} cx={x + shift} cy={y - shift} r="4" />
      ))}
    </g>
  );
}

interface NodeProps extends Pick<LaneGlyphProps, 'status' | 'selected' | 'broken'> {
  readonly x: number;
  readonly y: number;
  readonly fork: boolean;
}

function Node({ x, y, status, selected, fork, broken }: NodeProps) {
  const failed = status === 'failed';
  if (selected) {
    return (
      <g className="lane-node selected-node">
        <circle cx={x} cy={y} r="7" />
        <circle cx={x} cy={y} r="3.5" className="dot" />
      </g>
    );
  }
  if (broken) return <circle className="lane-node" cx={x} cy={y} r="4.5" strokeDasharray="2 2" />;
  if (failed) {
    return (
      <g className="lane-node failed-node">
        <circle cx={x} cy={y} r="6" />
        <path d={`M${x - 2} ${y - 2}l4 4M${x + 2} ${y - 2}l-4 4`} />
      </g>
    );
  }
  if (status === 'running') {
    return (
      <g className="lane-node running-node">
        <circle cx={x} cy={y} r="5" />
        <path d={`M${x} ${y - 5}a5 5 0 0 1 0 10z`} className="dot" />
      </g>
    );
  }
  return <circle className={clsx('lane-node', fork && 'fork-node')} cx={x} cy={y} r={fork ? 4.5 : 4} />;
}
