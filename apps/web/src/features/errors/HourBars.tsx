import clsx from 'clsx';
import type { ErrorGroup } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';

const [STEP, BAR, HEIGHT] = [7, 5, 18];

interface HourBarsProps extends Pick<ErrorGroup, 'hours'> {
  readonly outcome?: ErrorGroup['outcome'] | undefined;
  readonly className?: string;
}

/** Failures of each of the last 24 hours as bars, the oldest hour first. */
export function HourBars({ hours, outcome, className }: HourBarsProps) {
  const most = Math.max(1, ...hours);
  const total = hours.reduce((sum, count) => sum + count, 0);
  const width = hours.length * STEP;
  return (
    <svg
      className={clsx('hour-bars', outcome, className)}
      width={width}
      height={HEIGHT + 1}
      // Where there is less room, all hours are narrower: the newest, at the end, must not be cut off.
      viewBox={`0 0 ${width} ${HEIGHT + 1}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${plural(total, 'failure')} in the last 24 hours`}
    >
      <path className="hour-line" d={`M0 ${HEIGHT + 0.5}H${width}`} />
      {hours.map((count, hour) => {
        const height = count === 0 ? 0 : Math.max(4, Math.round((count / most) * HEIGHT));
        return height === 0 ? null : (
          <rect key={hour} x={hour * STEP + 1} y={HEIGHT - height} width={BAR} height={height} />
        );
      })}
    </svg>
  );
}
