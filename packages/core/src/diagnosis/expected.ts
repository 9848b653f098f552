import { isFigure, type Derived } from './derived.ts';
import type { Event } from './events.ts';
import type { Histories } from './history.ts';
import type { Label } from './place.ts';
import type { Reading } from './readings.ts';
import { decimalsOf, numbersIn } from './values.ts';

/** A value with which one figure that the error names would come to another one that it names. */
export interface Expected {
  /** As stored, where it was there before. */
  readonly value: string;
  /** The step that should have written it. */
  readonly step: number;
  readonly figure: string;
  readonly said: string;
  /** How many entries have one. */
  readonly of: number;
}

interface Known {
  readonly error: string;
  /** What is worked on, by its last change. */
  readonly places: readonly Event[];
  readonly histories: Histories;
  readonly readings: readonly (Reading | undefined)[];
  readonly derived: () => Derived;
}

/** A value, and since which step it is known. */
interface Told {
  readonly value: string;
  readonly step: number;
}

/** A figure and what the error has in its place. */
interface Pair {
  readonly is: number;
  readonly should: number;
  /** Both are rounded. */
  readonly slack: number;
  readonly sources: readonly Label[] | undefined;
  readonly words: Pick<Expected, 'figure' | 'said'>;
}

/** The numbers of one field, by their entries. */
type Column = ReadonlyMap<Label, Event>;

interface Found {
  readonly event: Event;
  readonly told: Told;
  readonly pair: Pair;
}

const MOST = { numbers: 6, pairs: 8, columns: 8, factors: 5, entries: 300 };
const NUMBER = /(?<![\p{L}\d.]|\p{L}[-_])-?\d+(?:\.\d+)?/gu;
/** Slips of a unit, a point or a sign. */
const SLIPS = [-1, 10, 100, 1_000, 0.1, 0.01, 0.001, 60, 1 / 60];
/** A value as near as this to what is expected says something, and one that is as far from its own. */
const NEAR = 0.01;
const FAR = 10;
/** Beyond it figures are not what they are stored as. */
const EXACT = 1e12;

/**
 * Of an error that says what a figure should be: the values that explain the difference, each alone, because they were
 * read so, were so before, or are so without a slip.
 * @example 'total 278, expected 27.8' of a list with 254.7 in it, which was 4.5 before
 */
export function expectedBy(known: Known): ReadonlyMap<Label, Expected> {
  const pairs = pairsIn(known);
  if (pairs.length === 0) return new Map();
  const found = new Map<Label, Found[]>();
  for (const columns of columnsIn(known)) {
    for (const pair of pairs)
      for (const one of explaining(pair, columns, known)) {
        const { entry } = one.event.place.row ?? one.event.place;
        found.set(entry, [...(found.get(entry) ?? []), one]);
      }
  }
  const expected = new Map<Label, Expected>();
  for (const all of found.values()) {
    // What is worked out from another value of the entry came after that.
    const first = Math.min(...all.map(({ event }) => event.step));
    for (const { event, told, pair } of all)
      if (event.step === first) expected.set(event.key, { ...told, ...pair.words, of: found.size });
  }
  return expected;
}

function pairsIn({ error, places, derived }: Known): readonly Pair[] {
  const said = [...new Set(error.match(NUMBER))].slice(0, MOST.numbers);
  if (said.length < 2) return [];
  const figures = new Map<number, Event>();
  for (const event of places) {
    const { number } = event.after ?? {};
    if (number !== undefined && isFigure(event) && said.some((one) => Number(one) === number))
      figures.set(number, event);
  }
  return said
    .flatMap((figure) => {
      const is = Number(figure);
      const event = figures.get(is);
      return event === undefined || is === 0 ? [] : said.flatMap((other) => pairOf(event, figure, other));
    })
    .slice(0, MOST.pairs);

  function pairOf(event: Event, figure: string, other: string): readonly Pair[] {
    if (other === figure) return [];
    const slack = 0.51 * (10 ** -decimalsOf(figure) + 10 ** -decimalsOf(other));
    const words = { figure, said: other };
    return [{ is: Number(figure), should: Number(other), slack, sources: derived().sourcesOf(event), words }];
  }
}

/** Of each list the numbers of its entries. */
function columnsIn({ places, derived }: Known): readonly (readonly Column[])[] {
  const lists = new Map<Label, Map<Label, Map<Label, Event>>>();
  for (const event of places) {
    const { row } = event.place;
    if (row === undefined || event.after?.number === undefined) continue;
    // What is added up itself, as the sum of each month, follows from others.
    if (event.place.isEntry && derived().sourcesOf(event) !== undefined) continue;
    const columns = lists.get(row.list) ?? new Map<Label, Map<Label, Event>>();
    lists.set(row.list, columns);
    const column = columns.get(event.slot) ?? new Map<Label, Event>();
    columns.set(event.slot, column);
    if (column.size < MOST.entries) column.set(row.entry, event);
  }
  return [...lists.values()].map((columns) =>
    [...columns.values()].filter(({ size }) => size > 1).slice(0, MOST.columns),
  );
}

function* explaining(pair: Pair, columns: readonly Column[], known: Known): Generator<Found> {
  for (const [at, column] of columns.entries()) {
    yield* within(pair, column, undefined, known);
    if (at >= MOST.factors) continue;
    for (const [nth, other] of columns.entries())
      if (nth !== at && nth < MOST.factors) yield* within(pair, column, other, known);
  }
}

/** Values of a column that explain the difference, where the figure adds these up or their products with another one. */
function* within(pair: Pair, column: Column, other: Column | undefined, known: Known): Generator<Found> {
  const { is, should, slack, sources } = pair;
  const share = (entry: Label): number => (other === undefined ? 1 : numberOf(other.get(entry)));
  let sum = 0;
  for (const [entry, event] of column) sum += numberOf(event) * share(entry);
  const slots = [column, other].flatMap((one) => [...(one?.values() ?? [])].slice(0, 1).map(({ slot }) => slot));
  const isSum = sources !== undefined && slots.every((slot) => sources.includes(slot));
  // A figure that isn't their sum may be a fixed share of it, as a total with tax is.
  const scale = isSum ? 1 : sum / is;
  for (const [entry, event] of column) {
    const factor = share(entry);
    const own = numberOf(event);
    if (factor === 0) continue;
    const near = Math.abs((slack * scale) / factor);
    const told = toldOf(own + ((should - is) * scale) / factor, near, event, known);
    if (told !== undefined) yield { event, told, pair };
  }
}

/** The value near this that was read of the entry, that it had before, or that it has without a slip. */
function toldOf(value: number, near: number, event: Event, { histories, readings }: Known): Told | undefined {
  const own = numberOf(event);
  if (Math.abs(value - own) <= near * FAR || near > NEAR * Math.abs(value) || Math.abs(value) > EXACT) return undefined;
  const isIt = (one: number): boolean => Math.abs(one - value) <= near;
  const before = histories.of(event.key).find(({ after }) => after?.number !== undefined && isIt(after.number))?.after;
  if (before !== undefined) return { value: before.text, step: event.step };
  const slip = SLIPS.map((one) => own * one).find(isIt);
  return slip === undefined ? readOf(event, isIt, readings) : { value: shown(slip), step: event.step };
}

function readOf(
  { place, step: own }: Event,
  isIt: (value: number) => boolean,
  readings: Known['readings'],
): Told | undefined {
  for (const [step, reading] of readings.entries()) {
    const passages = reading?.about.get(place.spokenName) ?? [];
    const value = passages.flatMap(({ text }) => numbersIn(text)).find(isIt);
    if (value !== undefined) return { value: shown(value), step: Math.max(step, own) };
  }
  return undefined;
}

/** Without what a product of decimals leaves behind. */
const shown = (value: number): string => String(Number(value.toPrecision(12)));

const numberOf = (event: Event | undefined): number => event?.after?.number ?? 0;
