import { isChecking } from './checking.ts';
import { isFigure } from './derived.ts';
import { isBlank } from './leaf.ts';
import type { Event } from './events.ts';
import { isForErrors, type StatedFailure } from './failure.ts';
import type { Habit } from './habits.ts';
import type { Backing } from './readings.ts';
import type { Run } from './run.ts';
import { WEIGHTS } from './weights.ts';

/** A run seldom goes on for long with a wrong value; so many steps say nothing. */
const SOON = 12;

export const ageFactor = (back: number): number => (back <= SOON ? 1 : (SOON / back) ** WEIGHTS.old);

export interface Factors {
  /** For what the step was told. */
  readonly told: number;
  /** For its being the step's job. */
  readonly job: number;
  readonly common: number;
}

export function factorsOf(
  event: Event,
  habit: Habit,
  { backed, isExact, isAsked, isSaid, isNamed, isMentioned }: Backing,
  run: Run,
  isMissed: boolean,
): Factors {
  // What was mended before the failure did not cause it.
  let common = habit.isRestored ? WEIGHTS.restored : 1;
  // Its own mistake, and not what came of another.
  const isWrongSum = run.derived().lacking(event) !== undefined;
  if (!isWrongSum && isReported(event, run)) common *= WEIGHTS.reported;
  else if (isRepeated(event, run)) common *= WEIGHTS.derived;
  if (isSymptom(event, run) || run.amounts().isPosted(event)) common *= WEIGHTS.derived;
  if (isMissed) return { told: 1, job: 1, common: common * ageFactor(run.steps - 1 - event.step) };
  let told = 1;
  if (isAsked || isCopyAskedFor(event, run)) told *= WEIGHTS.requested;
  else if (backed === 3) told *= isSaid() ? WEIGHTS.backedFactor : WEIGHTS.listed;
  else if (backed === 2) told *= isExact ? WEIGHTS.exactly : WEIGHTS.loosely;
  if (habit.routine > 0) told *= WEIGHTS.routine;
  const fit = run.jobs.fit(event);
  const job = event.kind === 'added' ? 1 : jobFactor(event, fit);
  if (habit.rate >= 0.5 && habit.earlier + habit.later >= 3) common *= habit.turns ? 0.5 : WEIGHTS.busy;
  if (habit.alike > 2 && event.kind !== 'added') common *= WEIGHTS.crowd;
  if (habit.act?.isPart(event) === true) common *= WEIGHTS.inAct;
  if (run.isRead(event)) common *= WEIGHTS.inReading;
  if (event.step === 0) common *= WEIGHTS.atStart;
  common *= ageFactor(run.steps - 1 - event.step);
  if (habit.isEmptiedAgain || isReadOut(event, run)) common *= WEIGHTS.emptied;
  // Who is told to drop an entry drops it.
  if (isMentioned && event.kind === 'type-changed' && event.after?.kind === 'null') common *= WEIGHTS.asked;
  if (event.kind === 'removed' && (isNamed || isSpokenOf(event, run))) common *= WEIGHTS.asked;
  if (!isWrongSum && isResult(event, habit)) common *= WEIGHTS.result;
  if (tellsFailure(event, run) || isCleared(event)) common *= WEIGHTS.saysError;
  else if (isVerdict(event, run)) common *= WEIGHTS.verdict;
  return { told, job, common };
}

/** Of a new entry that is like another one in this: the step read a line that names both, and no others. */
function isCopyAskedFor({ kind, place, slot, step, after }: Event, { readings, since, histories }: Run): boolean {
  if (kind !== 'added' || place.holder === undefined || place.isEntry || since(place.entry) !== step) return false;
  const about = readings[step]?.about;
  const lines = (about?.get(place.spokenName) ?? []).map(({ line }) => line);
  return lines.some((line) => {
    const named = [...(about ?? [])].filter(([, passages]) => passages.some((passage) => passage.line === line));
    if (named.length !== 2) return false;
    const other = named.find(([name]) => name !== place.spokenName)?.[0];
    return histories.ends.some(
      (end) => end.slot === slot && end.place.spokenName === other && histories.at(end.key, step)?.text === after?.text,
    );
  });
}

/** A text that came in the course of the run goes again. */
const isReadOut = ({ kind, before, after, place }: Event, { since }: Run): boolean =>
  kind !== 'added' && isBlank(after) && before?.kind === 'string' && before.isProse && since(place.key) > 0;

/** A whole list, which the step speaks of. */
function isSpokenOf({ before, place, step }: Event, { readings }: Run): boolean {
  const reading = readings[step];
  return (
    before?.kind === 'list' &&
    reading !== undefined &&
    place.field.length > 0 &&
    place.field.every((word) => reading.words.has(word))
  );
}

/** A field for errors is emptied. */
const isCleared = ({ kind, path, after }: Event): boolean =>
  kind.endsWith('changed') && isBlank(after) && isForErrors(String(path.at(-1) ?? ''));

function jobFactor(event: Event, fit: number): number {
  if (fit <= 0) return 1;
  const isField = event.collection !== undefined && !event.place.isEntry;
  return 1 - (isField ? WEIGHTS.fitsInList : WEIGHTS.fits) * fit;
}

/** A single figure that came in the course of the run is mostly worked out from others. */
const isResult = ({ collection, after }: Event, { isOld }: Habit): boolean =>
  collection === undefined && !isOld && after?.number !== undefined;

/** The error names it, and it is what the entries of a list come to. */
const isSymptom = (event: Event, run: Run): boolean =>
  isFigure(event) && run.blame.of(event).strength > 0 && run.derived().sourcesOf(event) !== undefined;

/** A figure of a report that is made in the end. */
function isReported({ after, kind, step, place: { parent } }: Event, run: Run): boolean {
  if (kind !== 'added' || after?.number === undefined || parent === undefined || parent.isEntry) return false;
  return step >= Math.max(1, run.steps - LATE) && parent.depth > 0 && run.since(parent.key) === step;
}

const LATE = 4;

/** In a list that is made of entries which are elsewhere: it says of one of them what is said there. */
function isRepeated({ kind, after, place, slot, step }: Event, { called, histories, since }: Run): boolean {
  const { holder, spokenName: name } = place;
  if (kind !== 'added' || after === undefined || holder === undefined || name === '' || isBlank(after)) return false;
  if (since(holder.key) !== step) return false;
  return called(name).some((one) => {
    if (one.slot === slot || one.place.holder === holder) return false;
    const known = histories.at(one.key, step - 1);
    return known !== undefined && (known.text === after.text || after.joined === name);
  });
}

/** How many levels above the words of a failure are about it and nothing else. */
function levelsTelling({ path, kind }: StatedFailure, change: Event['kind']): number {
  const isEntry = typeof path.at(-2) === 'number';
  if (isEntry && (kind === 'check' || change === 'added')) return 2;
  if (kind === 'check') return 1;
  return kind === 'error' && isForErrors(String(path.at(-2) ?? '')) ? 1 : 0;
}

/** What the last step found when it checked the work: there was nothing of it before. */
function isVerdict({ step, path, before, place }: Event, { steps, since }: Run): boolean {
  if (step === 0 || step < steps - 1) return false;
  const at = path.findIndex((name) => typeof name === 'string' && isChecking(name));
  if (at < 0) return false;
  return at === path.length - 1 ? isBlank(before) : since(place.up(at + 1).key) === step;
}

/** In the list of checks that failed, the object of the error itself, or a status that says failed. */
function tellsFailure({ path, step, kind, place }: Event, { failures, steps, since }: Run): boolean {
  if (step < steps - LATE) return false;
  return failures.some((failure) => {
    const above = levelsTelling(failure, kind);
    const holder = failure.path.slice(0, -above || undefined);
    if (!(holder.length > 0 ? holder : failure.path).every((one, at) => one === path[at])) return false;
    // Another entry that was there before is one that is worked on.
    const entry = holder.length;
    return above < 2 || path[entry] === failure.path[entry] || since(place.up(entry + 1).key) >= steps - LATE;
  });
}
