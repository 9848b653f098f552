import type { Path } from '../json/path.ts';
import { Aliases, byNames } from './aliases.ts';
import { amountsIn, type Amounts } from './amounts.ts';
import { Backed, SAMPLE, shareOf } from './backed.ts';
import { Blame } from './blame.ts';
import { claimsOf, type Claims } from './claims.ts';
import { cutsIn } from './cuts.ts';
import { behindFigures, Derived } from './derived.ts';
import { omitted } from './effects.ts';
import type { Event } from './events.ts';
import type { Examination } from './examination.ts';
import { expectedBy, type Expected } from './expected.ts';
import { Fields } from './fields.ts';
import type { StatedFailure } from './failure.ts';
import { Habits } from './habits.ts';
import { Histories } from './history.ts';
import { isBlank } from './leaf.ts';
import { Jobs, jobsIn, type Omission } from './jobs.ts';
import { Survey } from './places.ts';
import type { Label, Place } from './place.ts';
import { readTree } from './read.ts';
import { sourceOf } from './tree.ts';
import { addedTo, isNotice, passingIn } from './passing.ts';
import { isInside, readingLists } from './reading-lists.ts';
import { backingOf, Names, Reading, speaksOf, type Backing } from './readings.ts';
import { failuresIn } from './stated.ts';
import { Sources, type Source } from './sources.ts';
import type { Passage } from './passages.ts';
import { swapsIn } from './swaps.ts';
import { tailsIn } from './tails.ts';
import { Texts } from './tokens.ts';
import { Titles } from './titles.ts';
import type { DiagnosedStep, DiagnosisHints } from './types.ts';
import { WEIGHTS } from './weights.ts';
import { quoted } from './words.ts';
import type { Work } from './work.ts';

type Readings = readonly (Reading | undefined)[];

/** What is known of the whole run when it has been gone over. */
export interface Run {
  readonly steps: number;
  readonly events: readonly Event[];
  readonly histories: Histories;
  readonly habits: Habits;
  readonly blame: Blame;
  readonly claims: Claims;
  readonly readings: Readings;
  readonly isRead: (event: Event) => boolean;
  /** It changes with nearly every step, as counters and clocks do. */
  readonly isBusy: (event: Event) => boolean;
  readonly backing: (event: Event) => Backing;
  /** Share of the writes of its slot that the reading of their step names. */
  readonly backed: (event: Event) => { readonly rate: number; readonly of: number };
  /** The same of what is said of the entry itself. */
  readonly lined: (event: Event) => { readonly rate: number; readonly of: number };
  /** How many of the same field in the same step nothing was read of, itself included. */
  readonly unbackedBeside: (event: Event) => number;
  /** Of the entries of a list that one step went over, its reading names this one alone: as an exception. */
  readonly isSingledOut: (event: Event) => boolean;
  /** Share of all changes whose entry or field the reading of their step names. */
  readonly asked: () => number;
  readonly forks: (event: Event) => { readonly factor: number; readonly words?: string | (() => string) };
  /** What the last state says went wrong of late, the most telling first. */
  readonly failures: readonly StatedFailure[];
  readonly omissions: readonly Omission[];
  readonly jobs: Jobs;
  readonly titles: () => Titles;
  readonly amounts: () => Amounts;
  /** The value with which a figure would come to what the error says. */
  readonly expected: (event: Event) => Expected | undefined;
  readonly derived: () => Derived;
  /** What was read of a list that came shorter, by its last value. */
  readonly cut: (event: Event) => string | undefined;
  /** Of two values that were read for it, the one that was taken, where others took the other. */
  readonly source: (event: Event) => Source | undefined;
  /** The unit in which a figure was read that was taken as it stood, where others had another one. */
  readonly unit: (event: Event) => Source | undefined;
  /** How many values went from the end of its list together with it, the first of them. */
  readonly tail: (event: Event) => number | undefined;
  /** What the error says of the figures that a field is added up to. */
  readonly behind: (slot: Label) => { readonly strength: number; readonly named: string } | undefined;
  /** The step in which anything first was in a place. */
  readonly since: (place: Label) => number;
  /** All places whose entry has this name, by their last changes. */
  readonly called: (name: string) => readonly Event[];
  /** The change of the entry that it exchanged its value with. */
  readonly swapped: (event: Event) => Event | undefined;
}

const BUSY = 0.5;
const BUSY_CHANGES = 4;

export function* runOf({ events, steps, last }: Examination, hints: DiagnosisHints): Work<Run> {
  const histories = new Histories(events);
  const texts = new Texts();
  const passing = passingIn(events);
  const lists = yield* readingLists(events, steps, { texts, passing });
  const inside: (boolean | undefined)[] = [];
  const isRead = ({ slot }: Event): boolean => (inside[slot.id] ??= isInside(slot, lists, passing));
  const places = histories.ends.filter((event) => !isRead(event));
  const aliases = new Aliases(places);
  const names = namesOf(places, aliases);
  const jobs = jobsIn(steps, names);
  // Where the error is told, what may mean something else says nothing.
  const failures = failuresIn({ events, steps, last }, histories).filter(
    ({ isWeak }) => isWeak !== true || hints.error === undefined,
  );
  // The text of an error says what is wrong, not what should be.
  const isTold = (event: Event): boolean => !failures.some(({ path }) => isAt(path, event));
  const readings = yield* readingsOf(steps, events.filter(isTold), isRead, { names, known: texts });
  const fields = new Fields(
    events.filter((event) => event.step > 0 && !isRead(event)),
    ({ step, place }) => [step, step - 1].flatMap((at) => readings[at]?.about.get(place.spokenName) ?? []),
  );
  const heard = { aliases, fields };
  const backing = backingIn(readings, heard);
  yield;
  const habits = new Habits(events, histories, steps.length);
  yield;
  const isBusy = (event: Event): boolean => habits.changes(event.key) >= BUSY_CHANGES && habits.rate(event.key) >= BUSY;
  const isWorked = (event: Event): boolean => event.step > 0 && event.after !== undefined;
  const worked = events.filter((event) => isWorked(event) && !isRead(event) && !isBusy(event));
  const error = [hints.error, failures[0]?.message].filter((part) => part !== undefined).join('\n');
  yield;
  const blame = new Blame(error, places);
  const backed = new Backed(worked, backing);
  const claims = yield* claimsOf(places, histories, { readings, ...heard });
  const swaps = once(() => swapsIn(worked));
  const since = once(() => sinceOf(events));
  const called = once(() => byNames(places, aliases));
  const derived = once(() => new Derived(histories, isRead));
  const behind = once(() => behindFigures(places, blame, derived()));
  const written = events.filter((event) => !isRead(event));
  const titles = once(() => new Titles(readings, names, aliases, worked));
  const known = last && { jobs, steps, readings, last, histories, aliases, fields, blame, claims, titles, written };
  return {
    steps: steps.length,
    events,
    histories,
    habits,
    isBusy,
    blame,
    claims,
    readings,
    isRead,
    backing,
    backed: (event) => backed.rate(event),
    lined: (event) => backed.lined(event),
    unbackedBeside: (event) => backed.unbackedBeside(event),
    isSingledOut: (event) => isSingledOut(event, readings[event.step], backed.beside(event)),
    asked: once(() => shareOf(worked, SAMPLE.run, (event) => isAsked(event, readings, backing))),
    forks: forksOf(hints, last),
    failures,
    omissions: known === undefined ? [] : omitted(known, worked),
    jobs: new Jobs(jobs, events),
    titles,
    derived,
    ...takenIn(worked, events, readings, aliases),
    behind: (slot) => behind().get(slot),
    amounts: once(() => amountsIn(worked, readings, histories)),
    since: ({ id }) => since()[id] ?? 0,
    called: (name) => called().get(name) ?? [],
    swapped: (event) => swaps().get(event),
    expected: expectedIn({ error, places, histories, readings, derived }),
  };
}

function backingIn(readings: Readings, heard: Parameters<typeof backingOf>[2]): Run['backing'] {
  const known = new Map<Event, Backing>();
  return (event) => {
    const one = known.get(event);
    if (one) return one;
    const made = backingOf(event, readings, heard);
    known.set(event, made);
    return made;
  };
}

function expectedIn(known: Parameters<typeof expectedBy>[0]): Run['expected'] {
  const found = once(() => expectedBy(known));
  return ({ key, step }) => {
    const expected = found().get(key);
    return expected?.step === step ? expected : undefined;
  };
}

const isAt = (path: Path, { place }: Event): boolean =>
  place.depth === path.length && path.every((step, at) => step === place.path[at]);

/** By the number of the key. */
function sinceOf(events: readonly Event[]): readonly (number | undefined)[] {
  const since: (number | undefined)[] = [];
  for (const { key, step } of events) {
    for (let at: Label | undefined = key; at && since[at.id] === undefined; at = at.parent) since[at.id] = step;
  }
  return since;
}

function namesOf(places: readonly Event[], aliases: Aliases): Names {
  const names = new Names();
  const seen = new Set<Place>();
  for (const { place } of places) {
    for (let at: Place | undefined = place; at?.holder && !seen.has(at); at = at.holder) {
      seen.add(at);
      const name = at.names.at(-1);
      for (const one of name === undefined ? aliases.of(at) : [name, ...aliases.of(at)]) names.add(one, at.holder.slot);
    }
  }
  return names;
}

const SENTENCE = /\s\S+\s/;

function* readingsOf(
  steps: readonly DiagnosedStep[],
  events: readonly Event[],
  isRead: (event: Event) => boolean,
  { names, known }: { readonly names: Names; readonly known: Texts },
): Work<(Reading | undefined)[]> {
  const texts = steps.map((): string[] => []);
  let row: { event: Event; parts: string[] } | undefined;
  const flush = (): void => {
    const name = row?.event.names.at(-1) ?? '';
    // Messages without ids are told apart by their text, which must not be taken for a name.
    if (row) texts[row.event.step]?.push(`${SENTENCE.test(name) ? '' : name}: ${row.parts.join(', ')}`);
    row = undefined;
  };
  for (const event of events) {
    if (event.after === undefined || event.step === 0) continue;
    if (!isRead(event)) {
      // A changed text may only repeat what else is written, so it counts from the next step on.
      const heard = event.step + Number(!isBlank(event.before));
      if (isNotice(event)) texts[heard]?.push(addedTo(event.before, event.after) ?? event.after.value);
      continue;
    }
    if (SENTENCE.test(event.after.value)) {
      texts[event.step]?.push(addedTo(event.before, event.after) ?? event.after.value);
      continue;
    }
    if (row !== undefined && !isSameRow(row.event, event)) flush();
    row ??= { event, parts: [] };
    row.parts.push(toldOf(event, row.parts.length === 0));
  }
  flush();
  const readings: (Reading | undefined)[] = [];
  for (const [at, found] of texts.entries()) {
    yield;
    const title = steps[at]?.description;
    readings.push(found.length === 0 && title === undefined ? undefined : new Reading(found, names, known, title));
  }
  return readings;
}

/** Of a list of plain values only their own field is named, and it once. */
function toldOf({ place, after }: Event, isFirst: boolean): string {
  const { value = '' } = after ?? {};
  if (typeof place.step !== 'number') return `${place.step} ${value}`;
  const field = isFirst ? (place.holder?.step ?? '') : '';
  return typeof field === 'string' && field !== '' ? `${field} ${value}` : value;
}

/** What became of what was read of a value, and of the end of its list; once somebody asks. */
function takenIn(
  worked: readonly Event[],
  events: readonly Event[],
  readings: Readings,
  aliases: Aliases,
): Pick<Run, 'cut' | 'source' | 'tail' | 'unit'> {
  const passagesOf = ({ place, step }: Event): readonly Passage[] => {
    const about = readings[step]?.about;
    return about ? [...place.spoken, ...aliases.of(place)].flatMap((name) => about.get(name) ?? []) : [];
  };
  const cuts = once(() => cutsIn(worked, readings, passagesOf));
  const sources = once(() => new Sources(worked, passagesOf));
  const tails = once(() => tailsIn(events));
  return {
    cut: (event) => cuts().get(event),
    source: (event) => sources().of(event),
    unit: (event) => sources().unit(event),
    tail: (event) => tails().get(event),
  };
}

/** Of one entry, in one step. */
function isSameRow(one: Event, other: Event): boolean {
  if (one.step !== other.step) return false;
  const [row, next] = [rowOf(one.place), rowOf(other.place)];
  if (row.holder?.slot !== next.holder?.slot) return false;
  return row.names === next.names || row.names.join(' ') === next.names.join(' ');
}

/** In an object of nothing but texts its keys may be fields as well as names: words are fields. */
const rowOf = (place: Place): Place =>
  place.isEntry && place.parent && typeof place.step === 'string' && WORDS.test(place.step) ? place.parent : place;

const WORDS = /^[\p{L}_]+$/u;

const MANY_BESIDE = 3;

function isSingledOut({ place }: Event, reading: Reading | undefined, beside: readonly Event[]): boolean {
  const name = place.spokenName;
  if (name === '' || reading === undefined || beside.length < MANY_BESIDE || !reading.about.has(name)) return false;
  const others = beside.filter((one) => one.place !== place && reading.about.has(one.place.spokenName));
  return others.length * 4 <= beside.length;
}

function isAsked(event: Event, readings: Readings, backing: Run['backing']): boolean {
  const reading = readings[event.step];
  if (reading !== undefined && speaksOf(event.place, reading)) return true;
  const { backed, isNamed } = backing(event);
  return isNamed || backed > 0;
}

/** Once somebody asks. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function forksOf({ healthy = [] }: DiagnosisHints, last: Survey | undefined): Run['forks'] {
  const surveys =
    last === undefined
      ? []
      : healthy.map(({ text, shared }) => ({ survey: new Survey(readTree(text, last.root)), shared }));
  return (event) => {
    for (const { survey, shared } of surveys) {
      const node = survey.find(event.key);
      const text = node && sourceOf(node);
      if (event.kind === 'removed') {
        if (node === undefined) return { factor: 0.4 };
        return event.step >= shared ? { factor: 1, words: 'The branch that succeeded still has it.' } : { factor: 1 };
      }
      if (text === undefined) continue;
      if (text === event.after?.text) return { factor: event.step < shared ? WEIGHTS.shared : WEIGHTS.healthy };
      if (text === event.before?.text && event.step >= shared) {
        return { factor: 1, words: () => `The branch that succeeded has ${quoted(text)}.` };
      }
    }
    return { factor: 1 };
  };
}
