import { formatCount, plural } from '../../lib/format.ts';
import type { Outline } from '../../lib/api.ts';

/** More steps to come than this are one cell. */
const CELLS = 13;

/** One cell a step, or a part of them: a failure is higher, so that not only its colour tells. */
export function StepStrip({ outline }: { readonly outline: Outline | undefined }) {
  if (outline === undefined) return <span className="step-strip" />;
  const { marks, steps, totalSteps, step } = outline;
  const left = totalSteps === undefined || step === undefined ? 0 : Math.max(0, totalSteps - step);
  const next = left === 0 ? 0 : Math.max(1, Math.min(left, CELLS - marks.length));
  const failed = marks.filter((mark) => mark === 'failed').length;
  const check = marks.includes('check_failed') ? ', check failed' : '';
  const words = `${plural(steps, 'step')}${failed === 0 ? '' : `, ${formatCount(failed)} failed`}`;
  return (
    <span className="step-strip" role="img" aria-label={`${steps <= CELLS ? words : plural(steps, 'step')}${check}`}>
      {marks.map((mark, index) => (
        <i key={index} data-mark={mark} />
      ))}
      {Array.from({ length: next }, (_, index) => (
        <i key={`next ${index}`} data-mark="next" />
      ))}
    </span>
  );
}

/** `58 of 80`, else `10 steps`. */
export function stepWords({ steps, step, totalSteps }: Outline): string {
  return totalSteps !== undefined && step !== undefined && step < totalSteps
    ? `${formatCount(step)} of ${formatCount(totalSteps)}`
    : plural(steps, 'step');
}
