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

/** Why something that did not happen is blamed. */
export type Missed = 'claim' | 'bulk' | 'never' | 'left' | { readonly rate: number; readonly of: number };

/** A change that scores no more than this isn't a suspect. */
export const FEWEST = 0.15;

export const WEIGHTS = {
  siblings: 0.91,
  secondOddity: 0.35,
  ahead: 0.35,
  relation: 0.9,
  jump: 1.09,
  typeChange: 1.27,
  filled: 0.33,
  retyped: 0.75,
  unbacked: 0.8,
  misplaced: 1,
  claim: 0.75,
  constant: 0.77,
  firstValue: 0.2,
  usual: 0.4,
  setting: 0.97,
  only: 0.14,
  turn: 0.5,
  replaced: 0.9,
  unasked: 0.28,
  removed: 1.64,
  removedValue: 0.25,
  oldest: 0.39,
  missed: 0.35,
  omitted: 1.4,
  never: 0.9,
  left: 0.2,
  misfit: 0.47,
  fits: 0.32,
  routine: 0.56,
  novel: 0.26,
  slip: 1,
  restored: 0.6,
  returns: 0.91,
  asked: 0.35,
  changedLater: 0.9,
  result: 0.85,
  tally: 0.6,
  fitsInList: 0.14,
  crowd: 0.8,
  fork: 0.25,
  error: 1.26,
  errorAlone: 0.46,
  errorExact: 0.9,
  backedFactor: 0.26,
  listed: 0.35,
  loosely: 0.66,
  busy: 0.25,
  inReading: 0.25,
  atStart: 0.5,
  saysError: 0.05,
  old: 1.12,
};
