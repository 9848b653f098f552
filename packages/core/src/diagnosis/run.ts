import { Document } from '../diff/document.ts';
import { Blame } from './blame.ts';
import { claimsOf, type Claims } from './claims.ts';
import type { Event } from './events.ts';
import type { Examination } from './examination.ts';
import { statedFailures, type StatedFailure } from './failure.ts';
import { Habits } from './habits.ts';
import { Histories } from './history.ts';
import { Jobs, lapses, omissions, type Omission } from './jobs.ts';
import { Survey } from './places.ts';
import { readingLists, listOf } from './reading-lists.ts';
import { backingOf, joined, readingOf, speaksOf, type Backing, type Reading } from './readings.ts';
import type { DiagnosedStep, DiagnosisHints } from './types.ts';
import { quoted } from './words.ts';

/** What is known of the whole run when it has been gone over. */
export interface Run {
  readonly steps: number;
  readonly histories: Histories;
  readonly habits: Habits;
  readonly blame: Blame;
  readonly claims: Claims;
  readonly readings: readonly (Reading | undefined)[];
  readonly isRead: (event: Event) => boolean;
  /** It changes with nearly every step, as counters and clocks do. */
  readonly isBusy: (event: Event) => boolean;
  readonly backing: (event: Event) => Backing;
  /** Share of the writes of a slot that the reading of their step names. */
  readonly backed: ReadonlyMap<string, { readonly rate: number; readonly of: number }>;
  /** Share of all changes whose entry or field the reading of their step names. */
  readonly asked: number;
  readonly forks: (event: Event) => { readonly factor: number; readonly words?: string };
  /** What the last state says went wrong of late, the most telling first. */
  readonly failures: readonly StatedFailure[];
  readonly omissions: readonly Omission[];
  readonly jobs: Jobs;
}

const BUSY = 0.5;

export function runOf({ seen, steps, last }: Examination, hints: DiagnosisHints): Run {
  const events = seen.map(({ event }) => event);
  const histories = new Histories(events);
  const lists = readingLists(events, steps.length);
  const inside = new Map<string, boolean>();
  const isRead = (event: Event): boolean => {
    const known = inside.get(event.slot) ?? isInside(event, lists);
    inside.set(event.slot, known);
    return known;
  };
  const places = [...histories.ends()].filter((event) => !isRead(event));
  const readings = readingsOf(steps, events, isRead, namesOf(places));
  const backings = new Map<Event, Backing>();
  const backing = (event: Event): Backing => {
    const known = backings.get(event) ?? backingOf(event, readings);
    backings.set(event, known);
    return known;
  };
  const habits = new Habits(events, histories, steps.length);
  const isBusy = (event: Event): boolean => steps.length > 5 && habits.rate(event.key) >= BUSY;
  const worked = events.filter(
    (event) => event.step > 0 && event.after !== undefined && !isRead(event) && !isBusy(event),
  );
  const failures = last ? failuresIn(last, histories, steps.length) : [];
  const error = [hints.error, failures[0]?.message].filter((part) => part !== undefined).join('\n');
  return {
    steps: steps.length,
    histories,
    habits,
    isBusy,
    blame: new Blame(error, places),
    claims: claimsOf(places, histories, readings),
    readings,
    isRead,
    backing,
    backed: backedRates(worked, backing),
    asked: askedRate(worked, backing, readings),
    forks: forksOf(hints, last),
    failures,
    omissions: last ? [...omissions(steps, worked, readings, last), ...lapses(steps, worked, last)] : [],
    jobs: new Jobs(steps, events),
  };
}

function namesOf(places: readonly Event[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const place of places) for (const name of place.names) names.add(joined(name));
  names.delete('');
  return names;
}

/** In such a list, however deep. */
function isInside({ slots }: Event, lists: ReadonlySet<string>): boolean {
  if (lists.size === 0) return false;
  for (let depth = 0; depth < slots.length; depth++) {
    if (slots[depth] === '*' && lists.has(slots.slice(0, depth).join('\n'))) return true;
  }
  return false;
}

function readingsOf(
  steps: readonly DiagnosedStep[],
  events: readonly Event[],
  isRead: (event: Event) => boolean,
  names: ReadonlySet<string>,
): (Reading | undefined)[] {
  const texts = steps.map((): string[] => []);
  let row: { key: string; event: Event; parts: string[] } | undefined;
  const flush = (): void => {
    if (row) texts[row.event.step]?.push(`${row.event.names.at(-1) ?? ''}: ${row.parts.join(', ')}`);
    row = undefined;
  };
  for (const event of events) {
    if (event.after === undefined || event.step === 0 || !isRead(event)) continue;
    if (/\s\S+\s/.test(event.after.value)) {
      texts[event.step]?.push(event.after.value);
      continue;
    }
    const key = `${event.step} ${listOf(event)} ${event.names.join(' ')}`;
    if (row?.key !== key) flush();
    row ??= { key, event, parts: [] };
    row.parts.push(`${String(event.path.at(-1))} ${event.after.value}`);
  }
  flush();
  return texts.map((found, at) => {
    const title = steps[at]?.description;
    return found.length === 0 && title === undefined ? undefined : readingOf(found, names, title);
  });
}

function backedRates(worked: readonly Event[], backing: (event: Event) => Backing): Run['backed'] {
  const counts = new Map<string, { hits: number; of: number }>();
  for (const event of worked) {
    const known = counts.get(event.slot) ?? { hits: 0, of: 0 };
    known.hits += Number(backing(event).backed > 0);
    known.of += 1;
    counts.set(event.slot, known);
  }
  return new Map([...counts].map(([slot, { hits, of }]) => [slot, { rate: hits / of, of }]));
}

function askedRate(
  worked: readonly Event[],
  backing: (event: Event) => Backing,
  readings: readonly (Reading | undefined)[],
): number {
  const asked = worked.filter((event) => {
    const { backed, isNamed } = backing(event);
    const reading = readings[event.step];
    return isNamed || backed > 0 || (reading !== undefined && speaksOf(event, reading));
  });
  return worked.length === 0 ? 0 : asked.length / worked.length;
}

/** What the last state says went wrong in the last steps; a check before a field for errors before a status. */
function failuresIn(last: Survey, histories: Histories, steps: number): readonly StatedFailure[] {
  const order = ['check', 'error', 'status'];
  const found = statedFailures(last).flatMap((failure) => {
    const step = histories.of(last.place(failure.path).key).at(-1)?.step ?? 0;
    return step > 0 && step >= steps - 4 ? [{ failure, step }] : [];
  });
  const rank = ({ kind }: StatedFailure): number => order.indexOf(kind);
  return found.toSorted((a, b) => rank(a.failure) - rank(b.failure) || b.step - a.step).map(({ failure }) => failure);
}

function forksOf({ healthy = [] }: DiagnosisHints, last: Survey | undefined): Run['forks'] {
  const surveys =
    last === undefined ? [] : healthy.map(({ text, shared }) => ({ survey: new Survey(new Document(text)), shared }));
  return (event) => {
    for (const { survey, shared } of surveys) {
      const node = survey.find(event.keys);
      const text = node && survey.document.source(node);
      if (event.kind === 'removed') {
        if (node === undefined) return { factor: 0.4 };
        return event.step >= shared ? { factor: 1, words: 'The branch that went well still has it.' } : { factor: 1 };
      }
      if (text === undefined) continue;
      if (text === event.after?.text) return { factor: event.step < shared ? 0.5 : 0.3 };
      if (text === event.before?.text && event.step >= shared) {
        return { factor: 1, words: `The branch that went well has ${quoted(text)}.` };
      }
    }
    return { factor: 1 };
  };
}
