import { scaleLinear } from 'd3-scale';
import { useMemo } from 'react';
import { formatSize } from '../../lib/format.ts';

const WIDTH = 160;
/** So that a task with anything in it is seen. */
const LEAST = 2;

/** How much of the largest task's bytes this is. */
export function UseBar({ bytes, most }: { readonly bytes: number; readonly most: number }) {
  const scale = useMemo(
    () =>
      scaleLinear()
        .domain([0, Math.max(1, most)])
        .range([0, WIDTH]),
    [most],
  );
  const width = bytes === 0 ? 0 : Math.max(LEAST, scale(bytes));
  return (
    <span className="use">
      <svg className="use-bar" viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
        <rect className="use-whole" width={WIDTH} height="8" rx="2" />
        <rect className="use-part" width={width} height="8" rx="2" />
      </svg>
      <span className="use-size" title={`${bytes} bytes`}>
        {formatSize(bytes)}
      </span>
    </span>
  );
}
