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
  siblings: 1.3,
  secondOddity: 0.35,
  ahead: 0.35,
  relation: 0.9,
  jump: 0.6,
  typeChange: 0.7,
  filled: 0.25,
  retyped: 0.75,
  unbacked: 0.8,
  misplaced: 1,
  claim: 1.4,
  constant: 0.55,
  firstValue: 0.2,
  usual: 0.4,
  setting: 1.8,
  only: 0.2,
  turn: 0.5,
  replaced: 0.9,
  unasked: 0.4,
  removed: 0.9,
  removedValue: 0.25,
  oldest: 0.3,
  missed: 0.5,
  omitted: 1,
  never: 0.9,
  left: 0.2,
  misfit: 0.47,
  fits: 0.6,
  routine: 0.4,
  novel: 0.2,
  slip: 1,
  restored: 0.6,
  returns: 0.5,
  asked: 0.35,
  changedLater: 0.9,
  result: 0.65,
  tally: 0.6,
  fitsInList: 0.2,
  crowd: 0.8,
  fork: 0.25,
  error: 0.9,
  errorAlone: 0.33,
  errorExact: 0.9,
  backedFactor: 0.2,
  listed: 0.5,
  loosely: 0.47,
  busy: 0.25,
  inReading: 0.25,
  atStart: 0.5,
  saysError: 0.05,
  old: 0.8,
};
