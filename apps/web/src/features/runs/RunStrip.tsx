import type { RunComparison, RunRow } from '../../lib/api.ts';
import { formatCount, plural, stepNumber } from '../../lib/format.ts';
import { useWidth } from '../../lib/hooks.ts';
import { verdictOf } from './words.ts';

const HEIGHT = 112;
const TOP = 36;
const BOTTOM = 80;
const LEFT = 56;
const RIGHT = 32;
/** Narrower columns would have their numbers run into each other. */
const COLUMN = 34;
/** Before the first difference, as many as show where it comes from. */
const BEFORE = 6;

interface StripProps {
  readonly found: RunComparison;
}

/** Both runs as lines above each other, matched steps joined; of long ones the part around the first difference. */
export function RunStrip({ found }: StripProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const most = Math.max(2, Math.floor((width - LEFT - RIGHT) / COLUMN));
  const first = found.first?.row;
  const { rows } = found;
  const from = rows.length <= most ? 0 : Math.max(0, Math.min((first ?? 0) - BEFORE, rows.length - most));
  const part = rows.slice(from, from + most);
  const gap = (width - LEFT - RIGHT) / Math.max(1, part.length);
  const x = (at: number): number => LEFT + gap * (at + 0.5);
  const of = plural(rows.length + found.before + found.after, 'row');
  const words = `${formatCount(part.length)} of ${of}; the list below says the same in words`;
  return (
    <div ref={box} className="run-strip">
      {width > 0 && (
        <svg width={width} height={HEIGHT} role="img" aria-label={`Both runs, step by step. ${words}.`}>
          {first !== undefined && first >= from && <FirstMark from={x(first - from) - gap / 2} width={width} />}
          <text className="run-name" x={24} y={TOP + 4}>
            A
          </text>
          <text className="run-name" x={24} y={BOTTOM + 4}>
            B
          </text>
          <Line part={part} side="a" x={x} y={TOP} isCut={from > 0} />
          <Line part={part} side="b" x={x} y={BOTTOM} isCut={from > 0} />
          {part.map((row, at) => row.a && row.b && <Tie key={at} row={row} x={x(at)} />)}
          {part.map((row, at) => (
            <Marks key={at} row={row} x={x(at)} />
          ))}
        </svg>
      )}
    </div>
  );
}

function FirstMark({ from, width }: { readonly from: number; readonly width: number }) {
  // Beside the rule, on the side that has more room.
  const isRight = from < width - 160;
  return (
    <g className="run-first">
      <rect x={from} y={0} width={width - from} height={HEIGHT} />
      <path d={`M${from} 0V${HEIGHT}`} />
      <text x={from + (isRight ? 10 : -10)} y={(TOP + BOTTOM) / 2 + 4} textAnchor={isRight ? 'start' : 'end'}>
        first difference
      </text>
    </g>
  );
}

interface LineProps {
  readonly part: readonly RunRow[];
  readonly side: 'a' | 'b';
  readonly x: (at: number) => number;
  readonly y: number;
  readonly isCut: boolean;
}

/** From the first step of the run to its last. */
function Line({ part, side, x, y, isCut }: LineProps) {
  const places = part.flatMap((row, at) => (row[side] ? [at] : []));
  const [start, end] = [places[0], places.at(-1)];
  if (start === undefined || end === undefined) return null;
  return <path className={`run-line ${side}`} d={`M${isCut ? LEFT - 12 : x(start)} ${y}H${x(end)}`} />;
}

function Tie({ row, x }: { readonly row: RunRow; readonly x: number }) {
  return <path className={`run-tie ${verdictOf(row).tone ?? row.verdict}`} d={`M${x} ${TOP + 8}V${BOTTOM - 8}`} />;
}

function Marks({ row, x }: { readonly row: RunRow; readonly x: number }) {
  return (
    <>
      {row.a && (
        <>
          <Dot status={row.a.status} x={x} y={TOP} />
          <text x={x} y={TOP - 16} textAnchor="middle">
            {stepNumber(row.a)}
          </text>
        </>
      )}
      {row.b && (
        <>
          <Dot status={row.b.status} x={x} y={BOTTOM} />
          <text x={x} y={BOTTOM + 24} textAnchor="middle">
            {stepNumber(row.b)}
          </text>
        </>
      )}
    </>
  );
}

/** A failure by its shape, not by its colour only. */
function Dot({ status, x, y }: { readonly status: string; readonly x: number; readonly y: number }) {
  if (status !== 'failed') return <circle className="run-dot" cx={x} cy={y} r={4.5} />;
  return (
    <g className="run-dot failed">
      <circle cx={x} cy={y} r={6.5} />
      <path d={`M${x - 2.4} ${y - 2.4}l4.8 4.8M${x + 2.4} ${y - 2.4}l-4.8 4.8`} />
    </g>
  );
}
