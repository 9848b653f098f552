import type { Leaf } from './leaf.ts';
import type { Line } from './passages.ts';
import { decimalsOf } from './values.ts';

const TURNS = /\b(?:turn\w*|flip\w*|revers\w*|opposite)\b.{0,20}\bsign\b|\bnegative\b|\bcredit(?:ed)?\b/i;
const FRACTIONS: readonly (readonly [RegExp, number])[] = [
  [/\bhal(?:f|ve[ds]?)\b/i, 0.5],
  [/\bthird\b/i, 1 / 3],
  [/\bquarter\b/i, 0.25],
  [/\btenth\b/i, 0.1],
  [/\b(?:double[ds]?|twice)\b/i, 2],
  [/\btriple[ds]?\b/i, 3],
];

/** Whether a line says that a figure is to move as it did: `plus 36 percent`, `0.1 times`, `half as much again`, `turn the sign`. */
export function saysMove({ text, said, isOfMoves }: Line, before: Leaf, after: Leaf): boolean {
  const [was, is] = [before.number, after.number];
  if (was === undefined || is === undefined || was === 0 || was === is) return false;
  if (was * is < 0 && TURNS.test(text)) return true;
  if (!isOfMoves) return false;
  const figures = said.numbers.filter((one) => one !== 0 && one !== 1);
  for (const [word, value] of FRACTIONS) if (word.test(text)) figures.push(value);
  const slack = Math.abs(is) * 1e-3 + 0.51 * 10 ** -decimalsOf(after.value);
  const isNear = (value: number): boolean => Math.abs(value - is) <= slack;
  return figures.some((one) => {
    const shares = Math.abs(one) < 1 ? [one, one / 100] : [one / 100];
    const moved = shares.flatMap((share) => [was * (1 + share), was * (1 - share)]);
    return [was * one, was / one, was + one, was - one, ...moved].some(isNear);
  });
}
