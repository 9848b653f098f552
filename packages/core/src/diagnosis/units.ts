import type { Leaf } from './leaf.ts';
import { decimalsOf } from './values.ts';

/** How many of one unit are in another: grams, bytes, minutes, hours. */
const RATIOS = [1000, 60, 3600, 24, 1_000_000];

/** A figure of fewer digits may be many others, rounded. */
const PRECISION = 0.01;

/** A number, and its unit. */
const MEASURED = /([-+]?\d[\d,]*(?:\.\d+)?)\s?\p{L}{1,8}\b/gu;

/** A value that is a number and its unit, and nothing else. */
export const MEASURE = /(?<![\d.,])([-+]?\d[\d,]*(?:\.\d+)?)\s?(\p{L}{1,4})(?=\\?["'`,;|)\]}]|\s*$)/gu;

/** Whether words have the figure in another unit: `0.744 MB`, where the value is 744. */
export function isConverted({ number, value }: Leaf, words: string): boolean {
  if (number === undefined || number === 0) return false;
  const tolerance = Math.min(0.51 * 10 ** -decimalsOf(value), Math.abs(number) * PRECISION);
  for (const [, digits = ''] of words.matchAll(MEASURED)) {
    const read = Number(digits.replaceAll(',', ''));
    for (const ratio of RATIOS)
      if (Math.abs(number - read * ratio) <= tolerance || Math.abs(number - read / ratio) <= tolerance) return true;
  }
  return false;
}
