import type { Event } from './events.ts';

/** What one reason counts, in words and as a weight. */
export interface Reason {
  /** Whatever the step was told or does: a value of another type is odd all the same. */
  readonly isPlain?: true;
  readonly family: 'siblings' | 'relation' | 'jump' | 'reading' | 'habit' | 'job' | 'absence' | 'fork' | 'error';
  readonly weight: number;
  /** Those that quote are made when they are shown: masking is not free. */
  readonly words: string | (() => string);
}

export interface Weighed {
  readonly event: Event;
  readonly isMissed: boolean;
  readonly reasons: readonly Reason[];
  readonly score: number;
}

/** Something that steps of a kind do. */
export interface Omitted {
  /** Share of these that do it, and how many there are. */
  readonly rate: number;
  readonly of: number;
  readonly words?: string | undefined;
}

/** Why something that did not happen is blamed. */
export type Missed = 'claim' | 'amount' | 'bulk' | 'left' | 'never' | Omitted;

/** A change that scores no more than this isn't a suspect. */
export const FEWEST = 0.15;

export const WEIGHTS = {
  siblings: 1.14,
  secondOddity: 0.35,
  totals: 0.4,
  relation: 1.13,
  jump: 1.37,
  typeChange: 0.89,
  retouched: 0.68,
  filled: 0.23,
  filledOften: 0.08,
  emptied: 0.3,
  retyped: 0.75,
  unbacked: 0.96,
  elsewhere: 0.7,
  misplaced: 1.0,
  claim: 1.62,
  constant: 0.46,
  firstValue: 0.36,
  moved: 0.8,
  setting: 2.09,
  only: 0.18,
  turn: 0.25,
  replaced: 0.9,
  swapped: 0.5,
  cut: 1.2,
  source: 1.3,
  unit: 1.3,
  tail: 1.2,
  part: 0.45,
  off: 0.6,
  lacking: 1.6,
  expected: 1.4,
  amount: 0.8,
  unasked: 0.14,
  removed: 1.2,
  cleared: 0.12,
  removedValue: 0.59,
  missed: 0.17,
  left: 0.75,
  excepted: 0.25,
  singled: 0.4,
  offAct: 1.0,
  inAct: 0.3,
  omitted: 1.12,
  never: 0.45,
  misfit: 0.5,
  stray: 1.44,
  fits: 0.32,
  routine: 0.1,
  novel: 0.13,
  slip: 1.0,
  restored: 0.6,
  asked: 0.35,
  requested: 0.3,
  result: 0.42,
  derived: 0.2,
  behind: 0.3,
  reported: 0.4,
  fitsInList: 0.098,
  crowd: 0.56,
  fork: 0.14,
  shared: 0.25,
  healthy: 0.36,
  error: 1.7,
  errorAlone: 0.37,
  errorExact: 1.62,
  backedFactor: 0.26,
  listed: 0.5,
  exactly: 0.5,
  loosely: 0.66,
  busy: 0.12,
  inReading: 0.25,
  atStart: 0.14,
  open: 0.3,
  usual: 0.3,
  saysError: 0.05,
  verdict: 0.2,
  old: 0.3,
};
