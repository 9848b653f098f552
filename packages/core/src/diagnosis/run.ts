import type { Path } from '../json/path.ts';
import { Aliases } from './aliases.ts';
import { amountsIn, type Amounts } from './amounts.ts';
import { Blame } from './blame.ts';
import { claimsOf, type Claims } from './claims.ts';
import { cutsIn } from './cuts.ts';
import { behindFigures, Derived } from './derived.ts';
import { omitted } from './effects.ts';
import type { Event } from './events.ts';
import type { Examination } from './examination.ts';
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
import { isInside, listOf, MOST_LABELS, readingLists } from './reading-lists.ts';
import { backingOf, canBeRead, Names, Reading, speaksOf, type Backing } from './readings.ts';
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
    ({ step, place }) => readings[step]?.about.get(place.spokenName),
  );
  const heard = { aliases, fields };
  const backings = new Map<Event, Backing>();
  const backing = (event: Event): Backing => {
    const known = backings.get(event);
    if (known) return known;
    const made = backingOf(event, readings, heard);
    backings.set(event, made);
    return made;
  };
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
    swapped: (event) => swaps().get(event),
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
const isSameRow = (one: Event, other: Event): boolean =>
  one.step === other.step &&
  listOf(one) === listOf(other) &&
  (one.names === other.names || one.names.join(' ') === other.names.join(' '));

const NO_RATE = { rate: 0, of: 0 };
/** Changes that are looked at to learn a rate from them: more would tell the same. */
const SAMPLE = { slot: 6, beside: 4, run: 24 };

type Rate = ReturnType<Run['backed']>;

/** What the reading says of what was written, for the slots of those few changes that somebody asks about. */
class Backed {
  readonly #all: (Event[] | undefined)[] = [];
  readonly #bySlot: (Event[] | undefined)[] = [];
  readonly #rates: (Rate | undefined)[] = [];
  readonly #lined: (Rate | undefined)[] = [];
  readonly #beside = new Map<number, number>();
  readonly #backing: Run['backing'];

  constructor(worked: readonly Event[], backing: Run['backing']) {
    this.#backing = backing;
    for (const event of worked) {
      (this.#all[event.slot.id] ??= []).push(event);
      if (canBeRead(event.after)) (this.#bySlot[event.slot.id] ??= []).push(event);
    }
  }

  rate(event: Event): Rate {
    return this.#rateOf(event, this.#rates, this.#isBacked);
  }

  lined(event: Event): Rate {
    return this.#rateOf(event, this.#lined, this.#isLined);
  }

  /** What is loaded may have been read, and what is counted down later not. */
  #rateOf({ slot: { id }, kind }: Event, rates: (Rate | undefined)[], test: (event: Event) => boolean): Rate {
    const events = this.#bySlot[id];
    if (events === undefined) return NO_RATE;
    const isChange = kind === 'changed';
    const rate = rates[2 * id + Number(isChange)];
    if (rate !== undefined) return rate;
    const own = mostOf(events, (one) => (isChange ? one.kind === kind : isBlank(one.before)));
    return (rates[2 * id + Number(isChange)] = { rate: shareOf(own, SAMPLE.slot, test), of: own.length });
  }

  /** Of the same field, in the same step. */
  beside({ step, slot }: Event): readonly Event[] {
    return this.#all[slot.id]?.filter((event) => event.step === step) ?? [];
  }

  unbackedBeside({ step, slot }: Event): number {
    const number = step * MOST_LABELS + slot.id;
    const known = this.#beside.get(number);
    if (known !== undefined) return known;
    const own = this.#bySlot[slot.id]?.filter((event) => event.step === step && event.after?.kind !== 'null') ?? [];
    const found = Math.max(1, Math.round(own.length * shareOf(own, SAMPLE.beside, (one) => !this.#isBacked(one))));
    this.#beside.set(number, found);
    return found;
  }

  readonly #isLined = (event: Event): boolean => this.#backing(event).backed >= 2;
  readonly #isBacked = (event: Event): boolean => this.#backing(event).backed > 0;
}

/** Those of a kind; all of them, where these are few. */
function mostOf(events: readonly Event[], test: (event: Event) => boolean): readonly Event[] {
  const found = events.filter(test);
  return found.length > MANY ? found : events;
}

const MANY = 3;

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

/** Of so many of them at most, evenly spread. */
function shareOf(events: readonly Event[], most: number, test: (event: Event) => boolean): number {
  const every = Math.max(1, events.length / most);
  let of = 0;
  let found = 0;
  for (let at = 0; at < events.length; at += every) {
    const event = events[Math.floor(at)];
    if (event === undefined) continue;
    of += 1;
    found += Number(test(event));
  }
  return of === 0 ? 0 : found / of;
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
