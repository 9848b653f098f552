/** What two runs are told apart by, in words. */
import { verdictWords } from '@checkpoint-inspector/core';
import type { RunComparison, RunRow, RunSide } from '../../lib/api.ts';
import { formatCount, formatDuration, formatMoney, formatPercent } from '../../lib/format.ts';

export interface VerdictWords {
  readonly glyph: string;
  readonly words: string;
  readonly tone?: 'changed' | 'added' | 'removed';
}

/** The gutter of a row. @example verdictOf({ verdict: 'differs', differ: 2, of: 7 }).words // '2 of 7 differ' */
export function verdictOf(row: RunRow): VerdictWords {
  const { verdict, outcome } = row;
  const words = verdictWords(row);
  if (verdict === 'only-a') return { glyph: '−', words, tone: 'removed' };
  if (verdict === 'only-b') return { glyph: '+', words, tone: 'added' };
  if (outcome || verdict === 'differs') return { glyph: '≠', words, tone: 'changed' };
  return { glyph: GLYPHS[verdict], words };
}

const GLYPHS = { same: '=', 'same-change': '≈', unknown: '?' } as const;

export interface Total {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  /** How B compares with A; empty if either has no figure. */
  readonly difference: string;
}

const NOT_REPORTED = 'not reported';

/** Steps, time, tokens and cost of both. A figure that no step reports is never 0. */
export function totalsOf({ a, b }: Pick<RunComparison, 'a' | 'b'>): readonly Total[] {
  const total = (
    name: string,
    of: (side: RunSide) => number | undefined,
    words: (n: number) => string,
    more: Compared,
  ) => {
    const [left, right] = [of(a), of(b)];
    const told = (value: number | undefined): string => (value === undefined ? NOT_REPORTED : words(value));
    const isKnown = left !== undefined && right !== undefined;
    return { name, a: told(left), b: told(right), difference: isKnown ? differenceOf(left, right, words, more) : '' };
  };
  const measured = (field: 'durationMs' | 'tokens' | 'costUsd') => (side: RunSide) =>
    side[field] === undefined ? undefined : Number(side[field].value);
  return [
    total('Steps', ({ steps }) => steps, formatCount, ['more in B', 'fewer in B']),
    total('Time', measured('durationMs'), formatDuration, ['longer in B', 'shorter in B']),
    total('Tokens', measured('tokens'), formatCount, ['more in B', 'fewer in B']),
    total('Cost', measured('costUsd'), formatMoney, ['more in B', 'less in B']),
  ];
}

type Compared = readonly [more: string, less: string];

function differenceOf(a: number, b: number, words: (n: number) => string, [more, less]: Compared): string {
  if (a === b) return 'the same';
  const share = a > 0 ? Math.abs(b - a) / a : 0;
  const percent = share >= 0.005 && share < 10 ? `, ${formatPercent(share)}` : '';
  return `${words(Math.abs(b - a))} ${b > a ? more : less}${percent}`;
}

/** How they end, in a phrase. */
export function outcomeWords({ a, b }: Pick<RunComparison, 'a' | 'b'>): string {
  if (a.status === b.status) return 'the same';
  if (b.status === 'completed') return 'B finished the task';
  if (a.status === 'completed') return 'A finished the task';
  return 'they ended differently';
}
