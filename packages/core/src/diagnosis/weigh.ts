import type { Claim } from './claims.ts';
import type { Event } from './events.ts';
import type { Seen } from './examination.ts';
import type { Habit } from './habits.ts';
import { speaksOf, type Backing } from './readings.ts';
import type { Run } from './run.ts';
import { kindWord, oddityWords, quoted, timesWords } from './words.ts';

/** What one reason counts, in words and as a weight. */
export interface Reason {
  /** Whatever the step was told or does: a value of another type is odd all the same. */
  readonly isPlain?: true;
  readonly family: 'siblings' | 'relation' | 'jump' | 'reading' | 'habit' | 'job' | 'absence' | 'fork' | 'error';
  readonly weight: number;
  readonly words: string;
}

export interface Weighed {
  readonly event: Event;
  readonly isMissed: boolean;
  readonly reasons: readonly Reason[];
  /** What makes it less likely, as a factor. */
  readonly factor: number;
  readonly score: number;
}

/** Why something that did not happen is blamed. */
export type Missed = 'claim' | 'bulk' | { readonly rate: number; readonly of: number };

export const WEIGHTS = {
  siblings: 1,
  secondOddity: 0.35,
  relation: 0.9,
  jump: 0.6,
  typeChange: 0.7,
  unbacked: 0.8,
  claim: 1.1,
  constant: 0.7,
  only: 0.2,
  turn: 0.5,
  unasked: 0.5,
  removed: 0.9,
  removedValue: 0.3,
  missed: 0.5,
  omitted: 1.3,
  misfit: 0.6,
  fits: 0.6,
  routine: 0.4,
  novel: 0.2,
  slip: 1.1,
  restored: 0.45,
  returns: 0.4,
  asked: 0.35,
  changedLater: 0.7,
  result: 0.5,
  fitsInList: 0.25,
  crowd: 0.6,
  fork: 0.25,
  error: 0.9,
  errorAlone: 0.25,
  backedFactor: 0.2,
  loosely: 0.6,
  busy: 0.25,
  inReading: 0.25,
  atStart: 0.5,
  saysError: 0.05,
};

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
  if (blame.strength > 0 && blame.named !== undefined) {
    const weight = blame.strength * (WEIGHTS.errorAlone + WEIGHTS.error * Math.min(1, own));
    reasons.push({ family: 'error', weight, words: `The error names ${JSON.stringify(quoted(blame.named, 80))}.` });
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

/** What was read just before and is not what was written. */
function claimAgainst(event: Event, { claims }: Run, isMissed: boolean): Claim | undefined {
  const near = isMissed ? 0 : 2;
  return claims.unmet.get(event.key)?.findLast(({ step }) => step <= event.step && step >= event.step - near);
}

function claimReason({ place, words }: Claim, { claims }: Run): Reason {
  const trust = claims.trust(place.slot) ?? 0;
  const weight = WEIGHTS.claim * Math.max(0, trust * 1.25 - 0.25);
  return { family: 'reading', weight, words: `What the step read says ${JSON.stringify(quoted(words, 60))}.` };
}

function missedReasons(missed: Missed, { isNamed }: Backing): Reason[] {
  if (missed === 'claim') return [];
  if (missed === 'bulk') {
    const words = 'All others of its kind were written in this step, and this one was not.';
    const named: Reason = { family: 'reading', weight: 0.4, words: 'What the step read or said names it.' };
    return [{ family: 'absence', weight: WEIGHTS.missed, words }, ...(isNamed ? [named] : [])];
  }
  const words = 'The step names it, and wrote this for the others that it names.';
  const { rate, of } = missed;
  return [{ family: 'absence', weight: WEIGHTS.omitted * (rate * 2 - 1) * (of / (of + 2)), words }];
}

/** Oddities that no reading explains. */
const PLAIN: ReadonlySet<string> = new Set(['type', 'garbled', 'cut', 'missing', 'key']);

function siblingReasons({ event, oddities }: Seen, habit: Habit): Reason[] {
  const crowd = habit.alike > 2 && event.kind !== 'added' ? 0.5 : 1;
  const sorted = oddities.toSorted((a, b) => b.strength - a.strength);
  return sorted.slice(0, 2).map((oddity, index) => ({
    family: 'siblings',
    weight: crowd * oddity.strength * (index === 0 ? WEIGHTS.siblings : WEIGHTS.secondOddity),
    words: oddityWords(oddity, event),
    ...(PLAIN.has(oddity.why) ? { isPlain: true as const } : {}),
  }));
}

function relationReasons({ relations }: Seen): Reason[] {
  const [first] = relations;
  if (first === undefined) return [];
  const weight = WEIGHTS.relation * (relations.length > 1 ? 1.2 : 1);
  return [{ family: 'relation', weight, words: `Everywhere else ${first}; here that does not hold.` }];
}

function jumpReasons({ kind, before, after }: Event, habit: Habit): Reason[] {
  const crowd = 1 / Math.sqrt(habit.alike);
  if (kind === 'type-changed' && before && after) {
    const words = `${kindWord(before)} became ${kindWord(after).toLowerCase()}.`;
    return [{ family: 'jump', weight: WEIGHTS.typeChange * crowd, words, isPlain: true }];
  }
  if (kind !== 'changed' || before === undefined || after === undefined) return [];
  const strength = jumpOf(before.number, after.number) ?? textJump(before.value, after.value);
  if (strength === undefined || strength[0] < 0.05) return [];
  return [{ family: 'jump', weight: WEIGHTS.jump * strength[0] * crowd, words: strength[1] }];
}

function jumpOf(before: number | undefined, after: number | undefined): [number, string] | undefined {
  if (before === undefined || after === undefined) return undefined;
  if (before !== 0 && after === -before) return [1, 'The sign turned.'];
  if (before * after < 0) return [0.6, 'The sign turned.'];
  if (after === 0) return [0.5, 'It fell to zero.'];
  if (before === 0) return [0, ''];
  const ratio = Math.log10(Math.abs(after / before));
  const isPower = Math.abs(ratio) > 0.9 && Math.abs(ratio - Math.round(ratio)) < 1e-9;
  const strength = Math.min(1, Math.max(0, Math.abs(ratio) - 0.3) / 2) + (isPower ? 0.35 : 0);
  return [strength, timesWords(before, after)];
}

function textJump(before: string, after: string): [number, string] {
  if (after.trim() === '' && before.trim() !== '') return [0.9, 'The text became empty.'];
  if (after.length > 1 && before.length > after.length && before.startsWith(after))
    return [0.9, 'The text was cut short.'];
  if (before !== after && before.toLowerCase() === after.toLowerCase())
    return [0.5, 'Only the case of its letters changed.'];
  return [0, ''];
}

/** The step was told nothing of the kind, though of others it was. */
function readingReasons(event: Event, { backed }: Backing, run: Run): Reason[] {
  if (event.after === undefined || run.isRead(event) || backed > 0) return [];
  const { rate, of } = run.backed.get(event.slot) ?? { rate: 0, of: 0 };
  if (of < 2 || rate < 0.4) return [];
  const weight = WEIGHTS.unbacked * rate * (of / (of + 1.5));
  return [
    { family: 'reading', weight, words: 'Nothing that the step read says so, as it does for others of its kind.' },
  ];
}

function habitReasons(event: Event, habit: Habit, run: Run): Reason[] {
  if (run.isRead(event)) return [];
  const found: Reason[] = [];
  if (habit.novel > 0) {
    const { novel } = habit;
    const nearly = isRead(event.after?.value, event.step, run) ? undefined : habit.nearly;
    const words =
      nearly === undefined
        ? 'No other value of its kind is like it.'
        : `It is nearly ${JSON.stringify(quoted(nearly))}, as others of its kind have it.`;
    const weight = nearly === undefined ? WEIGHTS.novel : WEIGHTS.slip;
    found.push({
      family: 'habit',
      weight: weight * (novel / (novel + 3)),
      words,
      ...(nearly === undefined ? {} : { isPlain: true }),
    });
  }
  const crowd = (1 - Math.min(0.8, habit.slotRate)) / habit.batch;
  if (event.kind !== 'added' && habit.earlier === 0 && habit.age >= 2) {
    const weight = WEIGHTS.constant * (habit.age / (habit.age + 4)) * crowd * (habit.later > 2 ? 0.5 : 1);
    found.push({ family: 'habit', weight, words: `It had not changed in the ${habit.age} checkpoints before.` });
  }
  if (habit.only && habit.alike === 1) {
    found.push({ family: 'habit', weight: WEIGHTS.only, words: 'No other entry of its kind was ever written again.' });
  }
  if (habit.turns)
    found.push({ family: 'habit', weight: WEIGHTS.turn, words: 'It had gone the other way at every change before.' });
  if (event.kind === 'removed' && event.before?.kind === 'list' && event.collection !== event.path.length - 1) {
    found.push({
      family: 'habit',
      weight: WEIGHTS.removed * (1 - habit.slotRate),
      words: 'Most of its entries were removed at once.',
    });
  }
  if (event.kind === 'removed' && event.collection === event.path.length - 1 && habit.alike <= 2) {
    found.push({
      family: 'habit',
      weight: (isWhole(event) ? WEIGHTS.removed : WEIGHTS.removedValue) * crowd,
      words: 'It was removed, and the entries beside it stayed.',
    });
  }
  return found;
}

const isWhole = ({ before }: Event): boolean => before?.kind === 'object' || before?.kind === 'list';

/** The very word was read before it was written. */
function isRead(value: string | undefined, step: number, { readings }: Run): boolean {
  if (value === undefined) return false;
  return readings.slice(Math.max(0, step - 3), step + 1).some((reading) => reading?.text.includes(value.toLowerCase()));
}

/** A change of something that nobody talked about, in a run that talks about what it does. */
function jobReasons(event: Event, habit: Habit, { isNamed, backed }: Backing, run: Run): Reason[] {
  if (run.isRead(event) || event.step === 0) return [];
  const fit = run.jobs.fit(event);
  if (fit < 0 && event.kind !== 'added') {
    const words = 'The other steps of this name did not touch it.';
    return [{ family: 'job', weight: -fit * WEIGHTS.misfit * (backed > 0 ? 0.4 : 1), words }];
  }
  if (isNamed || backed > 0 || run.asked < 0.3 || habit.rate > 0.5) return [];
  const reading = run.readings[event.step];
  if (reading === undefined || speaksOf(event, reading)) return [];
  const weight = WEIGHTS.unasked * run.asked * (1 - Math.min(0.9, habit.slotRate * 1.5));
  return [{ family: 'job', weight, words: 'Nothing in the step is about it.' }];
}

interface Factors {
  /** For what the step was told. */
  readonly told: number;
  /** For its being the step's job. */
  readonly job: number;
  readonly common: number;
}

function factorsOf(event: Event, habit: Habit, { backed, isNamed }: Backing, run: Run, isMissed: boolean): Factors {
  let common = fateFactor(habit);
  if (isMissed) return { told: 1, job: 1, common };
  let told = 1;
  if (backed === 3) told *= WEIGHTS.backedFactor;
  else if (backed === 2) told *= WEIGHTS.loosely;
  if (habit.routine > 0) told *= WEIGHTS.routine;
  const job = event.kind === 'added' ? 1 : jobFactor(event, run);
  if (habit.rate >= 0.5 && habit.earlier + habit.later >= 3) common *= habit.turns ? 0.5 : WEIGHTS.busy;
  if (habit.alike > 2 && event.kind !== 'added') common *= WEIGHTS.crowd;
  if (run.isRead(event)) common *= WEIGHTS.inReading;
  if (event.step === 0) common *= WEIGHTS.atStart;
  if (habit.returns) common *= WEIGHTS.returns;
  // Who is told to drop an entry drops it.
  if (event.kind === 'removed' && isNamed) common *= WEIGHTS.asked;
  if (isResult(event, habit)) common *= WEIGHTS.result;
  if (tellsFailure(event, run)) common *= WEIGHTS.saysError;
  return { told, job, common };
}

function jobFactor(event: Event, run: Run): number {
  const fit = run.jobs.fit(event);
  if (fit <= 0) return 1;
  const isField = event.collection !== undefined && event.collection < event.path.length - 1;
  return 1 - (isField ? WEIGHTS.fitsInList : WEIGHTS.fits) * fit;
}

/** What was mended before the failure did not cause it. */
const fateFactor = ({ fate }: Habit): number =>
  fate === 'kept' ? 1 : fate === 'restored' ? WEIGHTS.restored : WEIGHTS.changedLater;

/** A single figure that came in the course of the run is mostly worked out from others. */
const isResult = ({ collection, after }: Event, { isOld }: Habit): boolean =>
  collection === undefined && !isOld && after?.number !== undefined;

/** In the list of checks that failed, the object of the error itself, or a status that says failed. */
function tellsFailure({ path, step, kind }: Event, { failures, steps }: Run): boolean {
  if (step < steps - 4) return false;
  return failures.some((failure) => {
    const isEntry = typeof failure.path.at(-2) === 'number';
    const above = failure.kind === 'check' || (isEntry && kind === 'added') ? 2 : failure.kind === 'error' ? 1 : 0;
    const holder = failure.path.slice(0, -above || undefined);
    return (holder.length > 0 ? holder : failure.path).every((one, at) => one === path[at]);
  });
}
