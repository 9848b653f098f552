import type { Seen } from './examination.ts';
import { factorsOf } from './factors.ts';
import {
  claimAgainst,
  claimReason,
  habitReasons,
  jobReasons,
  jumpReasons,
  missedReasons,
  readingReasons,
  relationReasons,
  siblingReasons,
} from './reasons.ts';
import type { Run } from './run.ts';
import { WEIGHTS, type Missed, type Reason, type Weighed } from './weights.ts';
import { quoted } from './words.ts';

export function weigh(seen: Seen, run: Run, missed?: Missed): Weighed {
  const { event } = seen;
  const habit = run.habits.of(event);
  const backing = run.backing(event);
  const claim = claimAgainst(event, run, missed !== undefined);
  const reasons =
    missed === undefined
      ? [
          ...siblingReasons(seen, habit),
          ...relationReasons(seen),
          ...jumpReasons(event, habit),
          ...readingReasons(event, backing, run),
          ...habitReasons(event, habit, run),
          ...jobReasons(event, habit, backing, run),
        ]
      : missedReasons(missed, backing);
  if (claim) reasons.push(claimReason(claim, run));
  const fork = run.forks(event);
  if (fork.words !== undefined && missed === undefined) {
    reasons.push({ family: 'fork', weight: WEIGHTS.fork / habit.alike, words: fork.words });
  }
  const blame = run.blame.of(event);
  const own = reasons.reduce((sum, { weight }) => sum + weight, 0);
  const { named } = blame;
  if (blame.strength > 0 && named !== undefined) {
    const alone = WEIGHTS.errorAlone + Math.max(0, blame.strength - 1) * WEIGHTS.errorExact;
    const weight = blame.strength * (alone + WEIGHTS.error * Math.min(1, own));
    reasons.push({ family: 'error', weight, words: () => `The error names ${JSON.stringify(quoted(named, 80))}.` });
  }
  const { told, job, common } = factorsOf(event, habit, backing, run, missed !== undefined);
  const factor = told * job * common * fork.factor;
  const score = reasons.reduce((total, reason) => {
    const excused = reason.isPlain ? 1 : told * (OF_VALUE.has(reason.family) ? 1 : job);
    return total + reason.weight * common * fork.factor * excused;
  }, 0);
  return {
    event,
    isMissed: missed !== undefined,
    reasons: reasons.toSorted((a, b) => b.weight - a.weight),
    factor,
    score,
  };
}

/** A step's job explains that a value is written, not that it is odd. */
const OF_VALUE: ReadonlySet<Reason['family']> = new Set(['siblings', 'relation', 'jump']);
