import { compact } from '../compact.ts';
import { formatPath } from '../json/path.ts';
import { chancesOf } from './chance.ts';
import { Event } from './events.ts';
import { Examination, plain, type Seen } from './examination.ts';
import type { Survey } from './places.ts';
import { neverGot } from './never.ts';
import { runOf, type Run } from './run.ts';
import { areOfOne, isLinePart } from './lines.ts';
import { failuresIn } from './stated.ts';
import type { StatedFailure } from './failure.ts';
import type { Label } from './place.ts';
import { MOST_LABELS } from './reading-lists.ts';
import { hasStrayBlank } from './reasons.ts';
import { isSpelledOut, shortlist } from './shortlist.ts';
import type { DiagnosedStep, DiagnosisHints, Suspect } from './types.ts';
import { isProse } from './values.ts';
import { OF_VALUE, weigh } from './weigh.ts';
import { FEWEST, WEIGHTS, type Weighed } from './weights.ts';
import { each, finish, type Work } from './work.ts';

const SUSPECTS = 5;
/** Share of an error from which a text is its wording, and not something that it quotes. */
const MOST_OF = 0.6;

/**
 * Which changes of which values most likely caused a failure, the likeliest first: at most five.
 * @param steps the branch, root first
 * @example suspectsOf(steps, { error: 'totals do not match' })[0]?.path // '$.items[3].price'
 */
export function suspectsOf(steps: Iterable<DiagnosedStep>, hints: DiagnosisHints = {}): Suspect[] {
  const examination = new Examination(hints.ignore);
  for (const step of steps) examination.observe(step);
  return [...conclude(examination, hints).suspects];
}

export interface Conclusion {
  readonly suspects: readonly Suspect[];
  /** What the last state itself says went wrong. */
  readonly failure?: StatedFailure;
}

/** What the last state itself says went wrong, and nothing about its cause. */
export const statedFailure = (examination: Examination): StatedFailure | undefined => failuresIn(examination)[0];

/** The same of a branch that was observed step by step. */
export const conclude = (examination: Examination, hints: DiagnosisHints): Conclusion =>
  finish(concluding(examination, hints));

/** As `conclude`, with breaks: a run of many changes takes a while. */
export function* concluding(examination: Examination, hints: DiagnosisHints): Work<Conclusion> {
  const run = yield* runOf(examination, hints);
  const weighed = yield* weighAll(examination, run);
  const [failure] = run.failures;
  const error = hints.error ?? failure?.message;
  const found = strongest(weighed, error);
  const chances = chancesOf(found.map(({ score }) => score));
  const suspects = found.map((one, at) => suspectOf(one, chances[at] ?? 0, examination));
  return { suspects, ...(failure ? { failure } : {}) };
}

/** Every change, and everything that should have changed, with its reasons. */
function* weighAll(examination: Examination, run: Run): Work<Weighed[]> {
  const changes = yield* weighChanges(examination, run);
  const placed = (event: Event): Event => placedIn(event, run, examination.last);
  const missed: (Weighed & { readonly isLeft?: boolean })[] = [
    ...examination.missed
      .filter(({ event, beside = [] }) => !run.isRead(event) && beside.every(run.isSingledOut))
      .map(({ event, isLeft }) => ({ ...weigh(plain(event), run, isLeft ? 'left' : 'bulk'), isLeft })),
    ...run.omissions.map(({ event, rate, of, words }) => weigh(plain(event), run, { rate, of, words })),
    ...(examination.last ? neverGot(examination.last, run.histories, run.isRead) : []).map((event) =>
      weigh(plain(event), run, 'never'),
    ),
    ...run.amounts().ignored.map((event) => weigh(plain(placed(event)), run, 'amount')),
    ...unmetIn(run).map((event) => weigh(plain(placed(event)), run, 'claim')),
  ];
  const isSpoilt = spoiltBy(changes);
  const isDone = doneIn(run, missed);
  return [
    ...changes,
    ...missed.filter(
      ({ event, isLeft }) => examination.leftAlone(event) && (isLeft || !(isSpoilt(event) || isDone(event))),
    ),
  ];
}

/** Of entries with the same name in several places a text mostly means one: that one was written in this step. */
function doneIn({ events }: Run, missed: readonly Weighed[]): (event: Event) => boolean {
  const slotAt = ({ step, slot }: Event): number => step * MOST_LABELS + slot.id;
  const asked = new Set(missed.map(({ event }) => slotAt(event)));
  const deedOf = (event: Event): string => `${slotAt(event)} ${event.place.spokenName}`;
  const done = new Set<string>();
  for (const event of events) if (event.after !== undefined && asked.has(slotAt(event))) done.add(deedOf(event));
  return (event) => event.collection !== undefined && done.has(deedOf(event));
}

/** Its value was already odd when it was written: leaving it so is not a second cause. */
function spoiltBy(changes: readonly Weighed[]): (event: Event) => boolean {
  const odd = new Map<Label, Event[]>();
  for (const { event, reasons } of changes) {
    if (!reasons.some(({ family, weight }) => OF_VALUE.has(family) && weight >= SPOILT)) continue;
    odd.set(event.key, [...(odd.get(event.key) ?? []), event]);
  }
  return ({ key, step, after }) =>
    odd.get(key)?.some((write) => write.step <= step && write.after?.text === after?.text) ?? false;
}

const SPOILT = 0.3;

/** What is read is not a cause; nor is what moves with every step, unless something about it is odd. */
function* weighChanges(examination: Examination, run: Run): Work<Weighed[]> {
  const weighed: Weighed[] = [];
  /** The highest scores so far. */
  let best: readonly number[] = [];
  let looked = 0;
  yield* each(yield* shortlist(examination.events, run), ({ event, score }) => {
    if (looked >= SURELY && score * LEEWAY < (best[SUSPECTS - 1] ?? 0)) return;
    looked += 1;
    const seen = examination.look(event);
    if (!isWorth(seen, run)) return;
    const one = weigh(seen, run);
    // Most aren't suspects, and need not be kept.
    if (one.score <= FEWEST) return;
    weighed.push(one);
    if (one.score > (best[SUSPECTS - 1] ?? 0)) best = [...best, one.score].sort((x, y) => y - x).slice(0, SUSPECTS);
  });
  return weighed;
}

/** So many are weighed in any case. */
const SURELY = 20;
/** Weighed with all reasons a change may have so many times the score that it has at a glance. */
const LEEWAY = 1.4;

/** What moves with every step without turning is not a cause; nor is an even first state. */
function isWorth({ event, oddities, relations }: Seen, run: Run): boolean {
  const isOdd = oddities.length + relations.length > 0;
  if (event.step === 0) return isOdd || hasStrayBlank(event) || isSpelledOut(event, run);
  return isOdd || event.kind === 'type-changed' || !run.isBusy(event);
}

/** What was read and never written: nothing happened at that place when it should have. */
function unmetIn({ claims, histories }: Run): Event[] {
  return [...claims.unmet.values()].flatMap((unmet) =>
    unmet.flatMap(({ step, place }): Event[] => {
      const written = histories.of(place.key).some((event) => event.step >= step && event.step <= step + 2);
      const leaf = histories.at(place.key, step);
      if (written || leaf === undefined) return [];
      return [new Event(place.place, { step, kind: 'changed', before: leaf, after: leaf })];
    }),
  );
}

/** What was not written, where it is in the last state if that is nearer than its last change: entries before it may have gone. */
function placedIn(event: Event, { histories, steps }: Run, last: Survey | undefined): Event {
  const written = histories.of(event.key).at(-1)?.step ?? event.step;
  if (last === undefined || Math.abs(event.step - written) <= steps - 1 - event.step) return event;
  const path = last.pathOf(event.key);
  return path === undefined ? event : new Event(last.place(path), event);
}

/** One suspect a place and step; what only tells the error is none. */
function strongest(weighed: readonly Weighed[], error = ''): Weighed[] {
  const found: Weighed[] = [];
  const taken = new Set<string>();
  const worth = weighed.filter(({ score }) => score > FEWEST);
  const said = worth.map((one) =>
    saysError(one.event, error) ? { ...one, score: one.score * WEIGHTS.saysError } : one,
  );
  for (const one of said.sort((a, b) => b.score - a.score || b.event.step - a.event.step)) {
    if (one.score <= FEWEST || found.length === SUSPECTS) break;
    const { step, place } = one.event;
    const key = `${step} ${(place.collection === undefined ? place.key : place.entry).id}`;
    const copy = copyKey(one);
    if (taken.has(key) || taken.has(copy)) continue;
    taken.add(key).add(copy);
    found.push(one);
  }
  return found;
}

/** Some stores keep a state twice: the same field of the same entry with the same values is one suspect. */
const copyKey = ({ event: { step, path, names, before, after } }: Weighed): string =>
  JSON.stringify([step, path.at(-1), names.at(-1), before?.text, after?.text]);

function saysError({ after }: Event, error: string): boolean {
  if (after === undefined || error.length < 8) return false;
  if (after.kind === 'fields' || after.kind === 'list') return after.text.includes(JSON.stringify(error).slice(1, -1));
  if (after.kind !== 'string' || after.value.length < 12) return false;
  // A value that the error quotes is not the error.
  if (!isProse(after.value)) return error === after.value;
  return after.value.includes(error) || (error.includes(after.value) && after.value.length > error.length * MOST_OF);
}

/** What was not written may have been written later: it stayed as it was then. */
function valuesOf({ before, after }: Event, stayed: string | undefined): Pick<Suspect, 'before' | 'after'> {
  if (stayed !== undefined) return { before: stayed, after: stayed };
  return {
    ...(before ? { before: before.whole ?? before.text } : {}),
    ...(after ? { after: after.whole ?? after.text } : {}),
  };
}

type Told = Pick<Suspect, 'path' | 'kind' | 'before' | 'after'>;

function toldOf({ event, isMissed }: Weighed, examination: Examination): Told {
  const line = isLinePart(event.after ?? event.before) ? event.place.parent : undefined;
  if (line === undefined) {
    const stayed = isMissed ? examination.valueAt(event) : undefined;
    return { path: formatPath(event.path), kind: isMissed ? 'unchanged' : event.kind, ...valuesOf(event, stayed) };
  }
  // No path leads into a text.
  const [old = '', now = ''] = examination.around(event, line.key);
  const path = formatPath(line.path);
  if (isMissed) return { path, kind: 'unchanged', before: now, after: now };
  // Where entries have no names, another one may have had its place.
  const before = areOfOne(old, now) ? old : undefined;
  const isNew = before === undefined && event.before === undefined;
  return { path, kind: isNew ? 'added' : 'changed', ...compact({ before }), after: now };
}

function suspectOf(one: Weighed, score: number, examination: Examination): Suspect {
  const step = examination.steps[one.event.step];
  if (step === undefined) throw new RangeError('A change belongs to a step.');
  return {
    ref: step.ref,
    seq: step.seq,
    ...(step.description === undefined ? {} : { description: step.description }),
    ...toldOf(one, examination),
    reasons: one.reasons
      .toSorted((a, b) => b.weight - a.weight)
      .filter(({ weight }) => weight > 0.1)
      .slice(0, 3)
      .map(({ words }) => (typeof words === 'string' ? words : words())),
    score,
  };
}
