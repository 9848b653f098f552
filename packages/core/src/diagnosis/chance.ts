/** How steeply a stronger case against a change makes it the likelier one, and the weight of a cause that is none of them. */
const STEEP = 2.6;
const NONE = Math.exp(2.8);

/**
 * How likely each of these changes is the cause, by the sums of their reasons: together at most 1, because the cause may
 * be none of them. Both figures are fitted to planted faults, so that of what gets 0.7 about 70 % are right; a change
 * with as strong a case beside it is half as likely as it would be alone.
 * @example chancesOf([2.3, 1.7]) // [0.799, 0.168]
 */
export function chancesOf(scores: readonly number[]): number[] {
  const weights = scores.map((score) => Math.exp(STEEP * score));
  const all = weights.reduce((sum, weight) => sum + weight, NONE);
  return weights.map((weight) => Math.round((1000 * weight) / all) / 1000);
}
