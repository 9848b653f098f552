import type { BranchStep, Divergence } from '@checkpoint-inspector/core';
import { formatCount, stepNumber } from '../../lib/format.ts';
import { useWidth } from '../../lib/hooks.ts';

/** Of two lanes; one line needs half of it. */
const FORKED = { height: 96, middle: 44 };
const LINE = { height: 56, middle: 20 };
const LANE = 24;
const LEFT = 28;
/** Room for the name of an end. */
const RIGHT = 76;
/** Between the fork and the first step of each side. */
const BEND = 64;
const DOTS = 8;
const LEAST = 480;
/** Room for "common ancestor" before the fork; where there is less, the words begin at the edge. */
const WORDS = 110;

/** The way from the start to both ends: the common ancestor filled, the first divergence ringed. */
export function LanePicture({ parted }: { readonly parted: Divergence }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const { shared, ancestor, onlyA, onlyB } = parted;
  const forked = onlyA.length > 0 && onlyB.length > 0;
  const { height, middle } = forked ? FORKED : LINE;
  const end = width - RIGHT;
  const fork = shared > 1 ? LEFT + Math.round((end - LEFT) * 0.36) : LEFT;
  const words = `${stepName(ancestor)} is the common ancestor; then ${formatCount(onlyA.length)} steps to A and ${formatCount(onlyB.length)} to B.`;
  return (
    <div ref={box} className="lineage-picture">
      {width >= LEAST && (
        <svg width={width} height={height} role="img" aria-label={words}>
          {shared > 1 && <Run from={LEFT} to={fork} y={middle} between={shared - 2} />}
          {forked ? (
            <>
              <Side name="A" steps={onlyA} fork={fork} end={end} y={middle - LANE} middle={middle} />
              <Side name="B" steps={onlyB} fork={fork} end={end} y={middle + LANE} middle={middle} />
            </>
          ) : (
            <Side
              name={onlyA.length > 0 ? 'A' : 'B'}
              steps={onlyA.length > 0 ? onlyA : onlyB}
              fork={fork}
              end={end}
              y={middle}
              middle={middle}
            />
          )}
          {shared > 1 && (
            <>
              <circle className="lane-dot" cx={LEFT} cy={middle} r={4} />
              <text x={LEFT} y={middle + 22} textAnchor="middle">
                start
              </text>
            </>
          )}
          <circle className="lane-dot filled" cx={fork} cy={middle} r={5} />
          <text className="strong" x={fork} y={middle + 24} textAnchor="middle">
            {forked ? stepName(ancestor) : `${onlyA.length === 0 ? 'A' : 'B'} ${stepName(ancestor)}`}
          </text>
          {forked && (
            <text x={fork < WORDS ? 0 : fork + 16} y={middle + 40} textAnchor={fork < WORDS ? 'start' : 'end'}>
              common ancestor
            </text>
          )}
        </svg>
      )}
    </div>
  );
}

interface SideProps {
  readonly name: 'A' | 'B';
  readonly steps: readonly BranchStep[];
  readonly fork: number;
  readonly end: number;
  readonly y: number;
  readonly middle: number;
}

/** From the fork to one end; the second lane is dashed. */
function Side({ name, steps, fork, end, y, middle }: SideProps) {
  const [first, last] = [steps[0], steps.at(-1)];
  const start = steps.length === 1 ? end : fork + BEND;
  const up = y < middle;
  const way =
    y === middle
      ? `M${fork} ${y}H${start}`
      : `M${fork} ${middle}C${fork + 36} ${middle} ${fork + 22} ${y} ${fork + 52} ${y}H${start}`;
  return (
    <g className={y > middle ? 'lane-b' : undefined}>
      <path className="lane-line" d={way} />
      {steps.length > 1 && <Run from={start} to={end} y={y} between={steps.length - 2} />}
      {steps.length > 1 && <circle className="lane-dot" cx={end} cy={y} r={5} />}
      <circle className="lane-ring" cx={start} cy={y} r={7} />
      <circle className="lane-core" cx={start} cy={y} r={3.5} />
      {steps.length > 1 && (
        <text className="strong" x={start} y={up ? y - 12 : y + 22} textAnchor="middle">
          {stepName(first)}
        </text>
      )}
      <text className="strong" x={end + 14} y={y + 4}>
        {name} {stepName(last)}
      </text>
    </g>
  );
}

function Run({ from, to, y, between }: Readonly<Record<'from' | 'to' | 'y' | 'between', number>>) {
  const dots = between <= DOTS ? between : 0;
  return (
    <>
      <path className="lane-line" d={`M${from} ${y}H${to}`} />
      {Array.from({ length: dots }, (_, index) => (
        <circle key={index} className="lane-dot" cx={from + ((to - from) * (index + 1)) / (dots + 1)} cy={y} r={4} />
      ))}
      {between > DOTS && (
        <text x={(from + to) / 2} y={y - 8} textAnchor="middle">
          {between} steps
        </text>
      )}
    </>
  );
}

/** `#06`; a parent that is gone has no number. */
export const stepName = (step: BranchStep | undefined): string => (step?.row ? stepNumber(step.row) : 'the start');
