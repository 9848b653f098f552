import { memo } from 'react';
import { formatCount, plural } from '../../../lib/format.ts';
import { compareLanes, type LaneInfo } from './book.ts';
import { outcomes } from './bundles.ts';

const WIDTH = 244;
const HEIGHT = 20;
const WIDEST = 8;

/** One mark a lane, the longest first and failed ones last: a bar as long as the lane, a cross where it failed, an outline while it runs. */
export const LaneMarks = memo(function LaneMarks({ lanes }: { readonly lanes: readonly LaneInfo[] }) {
  const pitch = Math.min(WIDEST, WIDTH / lanes.length);
  const bar = Math.max(1, pitch - Math.min(3, pitch / 3));
  const most = lanes.reduce((steps, { lane }) => Math.max(steps, lane.steps), 1);
  const paths = { bar: '', failed: '', running: '' };
  lanes.toSorted(compareLanes('steps')).forEach(({ lane }, at) => {
    const x = (at * pitch).toFixed(1);
    const height = Math.max(3, Math.round((lane.steps / most) * HEIGHT));
    if (lane.status === 'failed' && pitch >= 5) paths.failed += `M${x} ${HEIGHT - 5}l4 4m0-4l-4 4`;
    else if (lane.status === 'failed') paths.failed += `M${x} ${HEIGHT}v-5`;
    else if (lane.status === 'running')
      paths.running += `M${x} ${HEIGHT - 0.5}v${1 - height}h${bar.toFixed(1)}v${height - 1}z`;
    else paths.bar += `M${x} ${HEIGHT}v${-height}h${bar.toFixed(1)}v${height}z`;
  });
  const words = outcomes(lanes)
    .map(([status, count]) => `${formatCount(count)} ${status}`)
    .join(', ');
  return (
    <svg
      className="lane-marks"
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={`${plural(lanes.length, 'lane')}: ${words}`}
    >
      <path className="bar" d={paths.bar} />
      <path className="running" d={paths.running} />
      <path className="failed" d={paths.failed} />
    </svg>
  );
});
