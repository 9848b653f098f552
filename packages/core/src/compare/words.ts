/** Verdicts in the words that every face of the product uses. */

/**
 * `same`: equal so far; `same-change`: both changed the same, though the states differ; `unknown`: one of them can't be
 * compared.
 */
export type StepVerdict = 'same' | 'same-change' | 'differs' | 'only-a' | 'only-b' | 'unknown';

/** What two matched steps are told apart by; `differ` of `of` values that either changed, `outcome` where they ended differently. */
export interface Judged {
  readonly verdict: StepVerdict;
  readonly differ?: number;
  readonly of?: number;
  readonly outcome?: true;
}

const WORDS: Readonly<Record<Exclude<StepVerdict, 'differs'>, string>> = {
  same: 'same',
  'same-change': 'same change',
  'only-a': 'only in A',
  'only-b': 'only in B',
  unknown: 'not compared',
};

/** @example verdictWords({ verdict: 'differs', differ: 2, of: 7 }) // '2 of 7 differ' */
export function verdictWords({ verdict, differ = 0, of, outcome }: Judged): string {
  if (outcome && !verdict.startsWith('only')) return 'outcome';
  if (verdict !== 'differs') return WORDS[verdict];
  if (of !== undefined) return `${differ} of ${of} differ`;
  return `${differ} ${differ === 1 ? 'value differs' : 'values differ'}`;
}

/**
 * Where no row differs: `words`, unless a step could not be compared.
 * @example noDifference([{ verdict: 'unknown' }], 'Nothing differs.') // 'No difference found, but not every step could be compared.'
 */
export const noDifference = (rows: readonly Judged[], words: string): string =>
  rows.some(({ verdict }) => verdict === 'unknown')
    ? 'No difference found, but not every step could be compared.'
    : words;

/** Leading rows in which nothing differs. @example sameRows([{ verdict: 'same' }, { verdict: 'only-b' }]) // 1 */
export function sameRows(rows: readonly Judged[]): number {
  const parted = rows.findIndex(({ verdict, outcome }) => verdict !== 'same' || outcome);
  return parted === -1 ? rows.length : parted;
}
