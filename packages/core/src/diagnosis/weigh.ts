import type { Seen } from './examination.ts';
import { factorsOf } from './factors.ts';
import { isBlank } from './leaf.ts';
import {
  addAct,
  addAmount,
  addBehind,
  addCut,
  addExpected,
  addFigure,
  addHabits,
  addJob,
  addJump,
  addReading,
  addRelations,
  addSiblings,
  addSource,
  addSwap,
  addTail,
  addUnit,
  claimAgainst,
  claimReason,
  missedReasons,
} from './reasons.ts';
import type { Backing } from './readings.ts';
import type { Run } from './run.ts';
import { FEWEST, WEIGHTS, type Missed, type Reason, type Weighed } from './weights.ts';
import { quoted } from './words.ts';

export function weigh(seen: Seen, run: Run, missed?: Missed): Weighed {
  const { event } = seen;
  const habit = run.habits.of(event);
  // Of what did not happen it seldom matters what was read.
  const backing = missed === undefined || missed === 'bulk' || missed === 'left' ? run.backing(event) : NO_BACKING;
  const claim = claimAgainst(event, run, missed !== undefined);
  const reasons = missed === undefined ? [] : missedReasons(missed, event, backing, run);
  if (missed === undefined) {
    addSiblings(reasons, seen, habit);
    addRelations(reasons, seen);
    addJump(reasons, event, habit);
    addAmount(reasons, event, run);
    addSwap(reasons, event, run);
    addSource(reasons, event, run);
    addUnit(reasons, event, run);
    addCut(reasons, event, run);
    addTail(reasons, event, habit, run);
    addAct(reasons, event, habit, run);
    addFigure(reasons, event, run);
    addReading(reasons, event, backing, run);
    addHabits(reasons, event, habit, run);
    addJob(reasons, event, habit, backing, run);
  }
  if (claim) reasons.push(claimReason(claim, run));
  addExpected(reasons, event, run);
  const fork = run.forks(event);
  if (fork.words !== undefined && missed === undefined) {
    reasons.push({ family: 'fork', weight: WEIGHTS.fork / habit.alike, words: fork.words });
  }
  const blame = run.blame.of(event);
  let own = 0;
  for (const { weight } of reasons) own += weight;
  addBehind(reasons, event, run);
  const { named } = blame;
  if (blame.strength > 0 && named !== undefined) {
    const alone = WEIGHTS.errorAlone + Math.max(0, blame.strength - 1) * WEIGHTS.errorExact;
    const weight = blame.strength * (alone + WEIGHTS.error * Math.min(1, own));
    reasons.push({ family: 'error', weight, words: () => `The error names ${JSON.stringify(quoted(named, 80))}.` });
  }
  let most = 0;
  for (const { weight } of reasons) most += weight;
  // No factor is above one.
  if (most <= FEWEST) return { event, isMissed: missed !== undefined, reasons, score: 0 };
  const { told, job, common } = factorsOf(event, habit, backing, run, missed !== undefined);
  // Nothing has a value when it is new.
  const isOpen = event.kind === 'added' && isBlank(event.after) && seen.oddities.length === 0;
  let score = 0;
  for (const { family, weight, isPlain } of reasons) {
    const excused = isPlain && !backing.isAsked ? 1 : told * (OF_VALUE.has(family) ? 1 : job);
    score += weight * common * fork.factor * excused * (isOpen ? WEIGHTS.open : 1);
  }
  return { event, isMissed: missed !== undefined, reasons, score };
}

const NO_BACKING: Backing = {
  backed: 0,
  isExact: false,
  isAsked: false,
  isNamed: false,
  isMentioned: false,
  isAbsent: false,
  isSaid: () => false,
};

/** A step's job explains that a value is written, not that it is odd. */
export const OF_VALUE: ReadonlySet<Reason['family']> = new Set(['siblings', 'relation', 'jump']);
