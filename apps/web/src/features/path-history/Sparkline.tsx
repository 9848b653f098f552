import { formatCount } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { useWidth } from '../../lib/hooks.ts';
import { numberOf, type Point, type Series } from './facts.ts';

const HEIGHT = 66;
const TOP = 16;
const BASE = 46;
const SIDE = 6;
/** More points than this are a line without dots and figures. */
const DOTS = 12;
const FIGURES = 4;
const LABEL_WIDTH = 30;

interface SparklineProps {
  readonly series: Series;
  readonly length: number;
  readonly shownAt: number | undefined;
}

/** How a number went, as steps: states do not interpolate. */
export function Sparkline({ series, length, shownAt }: SparklineProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const shown = useShown();
  const { runs, low, high } = series;
  const x = (at: number): number => SIDE + (at / Math.max(1, length - 1)) * Math.max(0, width - 2 * SIDE);
  // One value alone is drawn at half the height.
  const y = (value: number): number =>
    BASE - 4 - (low === high ? 0.5 : (value - low) / (high - low)) * (BASE - 4 - TOP);
  const points = runs.flatMap((run) => run.points);
  const words =
    points.length > DOTS
      ? wordsOfMany(points)
      : points.map((point) => `${point.text} from ${numberOf(point.row)}`).join(', ');
  return (
    <div ref={box} className="spark" data-testid="sparkline">
      {width > 0 && (
        <svg width={width} height={HEIGHT} role="img" aria-label={shown(words)}>
          <path className="spark-base" d={`M0 ${BASE}H${width}`} />
          {runs.map(({ points: run, end }, index) => (
            <path
              key={`${index} ${run[0]?.at ?? 0}`}
              className="spark-line"
              d={`${run.map((point, step) => `${step === 0 ? 'M' : 'H'}${x(point.at)}${step === 0 ? ',' : 'V'}${y(point.value)}`).join('')}H${x(end)}`}
            />
          ))}
          {points.length <= DOTS &&
            points.map((point) => <Dot key={point.at} x={x(point.at)} y={y(point.value)} on={point.at === shownAt} />)}
          {shownAt !== undefined && <path className="spark-here" d={`M${x(shownAt)} ${TOP - 6}V${BASE}`} />}
          {points.length <= FIGURES &&
            points.map((point) => (
              <text
                key={point.at}
                className={point.at === shownAt ? 'spark-now' : undefined}
                x={Math.min(x(point.at) + 6, width - 8 * point.text.length)}
                y={y(point.value) - 5}
              >
                {shown(point.text)}
              </text>
            ))}
          {labelsOf(points, x, width).map(({ at, text, place }) => (
            <text
              key={at}
              className={at === shownAt ? 'spark-now' : undefined}
              x={place}
              y={HEIGHT - 6}
              textAnchor="middle"
            >
              {text}
            </text>
          ))}
        </svg>
      )}
    </div>
  );
}

const Dot = ({ x, y, on }: { readonly x: number; readonly y: number; readonly on: boolean }) => (
  <circle className={on ? 'spark-dot on' : 'spark-dot'} cx={x} cy={y} r={on ? 4 : 3} />
);

function wordsOfMany(points: readonly Point[]): string {
  const least = points.reduce((a, b) => (b.value < a.value ? b : a));
  const most = points.reduce((a, b) => (b.value > a.value ? b : a));
  return `${formatCount(points.length)} values, lowest ${least.text} at ${numberOf(least.row)}, highest ${most.text} at ${numberOf(most.row)}`;
}

/** Step numbers below the line, the first and the last before those between; none over another. */
function labelsOf(points: readonly Point[], x: (at: number) => number, width: number) {
  const [first, ...others] = points;
  const last = others.pop();
  const labels: { readonly at: number; readonly text: string; readonly place: number }[] = [];
  for (const point of [first, last, ...others.slice(0, 2 * DOTS)]) {
    if (point === undefined) continue;
    const wide = 4 * numberOf(point.row).length;
    const place = Math.min(Math.max(x(point.at), wide), width - wide);
    if (labels.some((label) => Math.abs(label.place - place) < LABEL_WIDTH)) continue;
    labels.push({ at: point.at, text: numberOf(point.row), place });
  }
  return labels;
}
