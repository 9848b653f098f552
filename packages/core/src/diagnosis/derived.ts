import type { Blame } from './blame.ts';
import type { Event } from './events.ts';
import { holdersOf, kindsIn, kindsOf, listsOf, madeIn, type Group } from './groups.ts';
import type { Histories } from './history.ts';
import type { Leaf } from './leaf.ts';
import { ANY, type Label } from './place.ts';
import { decimalsOf, wordsOf } from './values.ts';

/** What the entries of a list come to. */
interface Total {
  readonly value: number;
  /** The fields that are added up; of a count the entries. */
  readonly slots: readonly Label[];
  /** A number of fewer digits may be anything else. */
  readonly digits: number;
  /** How it is worked out, and of which kind of entries. */
  readonly rule: string;
  readonly kind: string | undefined;
}

interface Totals {
  readonly all: readonly Total[];
  readonly byKind: ReadonlyMap<string, readonly Total[]>;
}

/** The words of a field, and the numbers that entries have there. */
interface Column {
  readonly field: readonly string[];
  readonly values: readonly number[];
}

/** The entries of lists of one kind: their numbers by field, and their kinds. */
interface Table {
  readonly numbers: Map<Label, Map<Label, number>>;
  readonly texts: Map<Label, Map<Label, string>>;
  readonly flags: Map<Label, Map<Label, string>>;
}

const MOST_COLUMNS = 8;
const MOST_FACTORS = 5;
const MOST_SIBLINGS = 20;
const MOSTLY = 0.6;
const MOST_STEPS = 40;
const FEWEST = 2;
/** Digits that say enough of a sum over all entries, and of any other. */
const DIGITS = { all: 2, some: 3 };
/** A smaller count may be anything. */
const COUNTED = 5;
const MOST_FIGURES = 5;
const MOST_ENTRIES = 300;
/** A figure that is worked out again and again may be behind its entries. */
const MOST_VALUES = 2;
const NAMED = 0.4;

/** What is worked out more often is a counter. */
const MOST_SUMS = 8;
/** A figure of so many digits is hardly a sum without one of its entries by chance; of fewer, where a word tells. */
const LACKING = { any: 5, named: 4 };

/** Single figures that are worked out from the entries of a list: sums, means, sums of products, counts. */
export class Derived {
  readonly #histories: Histories;
  readonly #isRead: (event: Event) => boolean;
  #ends: ReadonlyMap<Label, readonly Event[]> | undefined;
  readonly #rules = new Map<Label, ReadonlySet<string>>();
  #known: ReadonlySet<string> | undefined;
  #words: ReadonlySet<string> | undefined;
  readonly #lacking = new Map<Event, string>();
  readonly #totals = new Map<number, Totals>();
  readonly #tables = new Map<number, ReadonlyMap<Label, Table>>();

  constructor(histories: Histories, isRead: (event: Event) => boolean) {
    this.#histories = histories;
    this.#isRead = isRead;
  }

  /** The fields that a figure adds up, after its step; `undefined` where it adds up none. */
  sourcesOf(event: Event): readonly Label[] | undefined {
    const { after, step, slot } = event;
    if (after === undefined || !isFigure(event)) return undefined;
    return this.#at(step).all.find((total) => isIt(after, total) && !total.slots.includes(slot))?.slots;
  }

  /** It is what only some of the entries come to, and nothing that all of them do. */
  isPart(event: Event): boolean {
    const { after, place, step, key } = event;
    if (after === undefined || !isFigure(event) || digitsOf(after) < DIGITS.some) return false;
    if (this.#histories.of(key).length > MOST_VALUES || !place.ownWords.some((word) => this.#fields.has(word)))
      return false;
    const columns = this.#columnsAt(step).filter(({ field }) => field.some((word) => place.ownWords.includes(word)));
    return columns.some(({ values }) => isPartOf(after, values)) && this.sourcesOf(event) === undefined;
  }

  /** The name of the one entry that a sum of all of them leaves out, though nothing tells it from the others. */
  lacking(event: Event): string | undefined {
    const known = this.#lacking.get(event);
    if (known !== undefined) return known === '' ? undefined : known;
    const found = this.#lackingIn(event);
    this.#lacking.set(event, found ?? '');
    return found;
  }

  #lackingIn(event: Event): string | undefined {
    const { after, place, step } = event;
    if (after?.number === undefined || !isFigure(event) || digitsOf(after) < LACKING.named) return undefined;
    for (const { numbers, texts, flags } of this.#tablesAt(step).values()) {
      for (const { slots, column } of addable(numbers)) {
        const isNamed = slots.some((slot) => wordsOf(slot.step).some((word) => place.ownWords.includes(word)));
        if (slots.includes(event.slot) || digitsOf(after) < (isNamed ? LACKING.named : LACKING.any)) continue;
        const entry = lackingIn(after, column);
        // Entries without names of their own are told apart by their places, to which others may have come.
        if (entry === undefined || /^\d+$/.test(entry.step)) continue;
        if ([...texts.values(), ...flags.values()].some((kinds) => isAlone(entry, kinds))) continue;
        // Seldom asked, and not cheap.
        const isRight = this.sourcesOf(event) !== undefined || !this.#wasSum(event);
        return isRight ? undefined : entry.step.replace(/^=/, '');
      }
    }
    return undefined;
  }

  /** It is new, or adds up what it should each time before: one that runs along is behind its entries. */
  #wasSum({ key, at }: Event): boolean {
    const earlier = this.#histories.of(key).filter((other) => other.at < at && other.after !== undefined);
    return earlier.length < MOST_SUMS && earlier.every((other) => this.sourcesOf(other) !== undefined);
  }

  get #bySlot(): ReadonlyMap<Label, readonly Event[]> {
    if (this.#ends !== undefined) return this.#ends;
    const ends = new Map<Label, Event[]>();
    for (const end of this.#histories.ends) madeIn(ends, end.slot, () => []).push(end);
    return (this.#ends = ends);
  }

  /** Values that several entries have, where there are few different ones. */
  get #kinds(): ReadonlySet<string> {
    return (this.#known ??= new Set(
      [...this.#bySlot.values()].flatMap((ends) => [...kindsOf(ends), ...listsOf(ends)]),
    ));
  }

  /** The words of all fields that hold numbers. */
  get #fields(): ReadonlySet<string> {
    return (this.#words ??= new Set(
      this.#histories.ends.flatMap(({ after, place }) =>
        after?.number === undefined || place.holder === undefined || place.isEntry ? [] : place.field,
      ),
    ));
  }

  /** Others of its kind are what the entries that they are named after come to, and this one is not. */
  isOff({ after, step, slot, names, collection }: Event): boolean {
    const own = names.at(-1);
    if (after?.number === undefined || own === undefined || collection === undefined || !this.#kinds.has(own))
      return false;
    const rules = this.#rulesOf(slot);
    if (rules.size === 0) return false;
    const expected = (this.#at(step).byKind.get(own) ?? []).filter(({ rule }) => rules.has(rule));
    return expected.length > 0 && expected.every(({ value }) => !isNear(after, value));
  }

  /** How most figures of a slot are worked out in the end. */
  #rulesOf(slot: Label): ReadonlySet<string> {
    return madeIn(this.#rules, slot, () => {
      const ends = (this.#bySlot.get(slot) ?? []).slice(0, MOST_SIBLINGS);
      const votes = new Map<string, number>();
      for (const { after, names } of ends) {
        for (const { rule, value } of this.#at(Infinity).byKind.get(names.at(-1) ?? '') ?? [])
          if (after?.number !== undefined && isNear(after, value)) votes.set(rule, (votes.get(rule) ?? 0) + 1);
      }
      const least = Math.max(FEWEST, ends.length * MOSTLY);
      return new Set([...votes].flatMap(([rule, count]) => (count < least ? [] : [rule])));
    });
  }

  #columnsAt(step: number): readonly Column[] {
    return [...this.#tablesAt(step).values()].flatMap(({ numbers }) =>
      [...numbers].map(([{ step: name }, column]) => ({
        field: wordsOf(name),
        values: [...column.values()].slice(0, MOST_ENTRIES),
      })),
    );
  }

  #at(step: number): Totals {
    const known = this.#totals.get(step);
    if (known !== undefined) return known;
    const all = [...this.#tablesAt(step)].flatMap(([list, table]) => totalsOf(table, list.known(ANY)));
    const byKind = new Map<string, Total[]>();
    for (const total of all) if (total.kind !== undefined) madeIn(byKind, total.kind, () => []).push(total);
    const made = { all, byKind };
    this.#totals.set(step, made);
    return made;
  }

  /** Its entry was removed as a whole after this was written. */
  #isGone({ key, place }: Event, step: number): boolean {
    const removed = this.#histories.of(place.entry).findLast((other) => other.step <= step);
    if (removed?.kind !== 'removed') return false;
    const written = this.#histories.of(key).findLast((other) => other.step <= step);
    return written === undefined || written.at <= removed.at;
  }

  /** Of some steps; of further ones nothing is told. */
  #tablesAt(step: number): ReadonlyMap<Label, Table> {
    const known = this.#tables.get(step);
    if (known !== undefined) return known;
    const tables = new Map<Label, Table>();
    if (this.#tables.size === MOST_STEPS) return tables;
    this.#tables.set(step, tables);
    for (const event of this.#histories.ends) {
      const { row } = event.place;
      if (row === undefined || this.#isRead(event)) continue;
      const leaf = this.#histories.at(event.key, step);
      if (leaf === undefined || this.#isGone(event, step)) continue;
      const { list, entry } = row;
      const table = madeIn(tables, list, () => ({ numbers: new Map(), texts: new Map(), flags: new Map() }));
      if (leaf.number !== undefined) madeIn(table.numbers, event.slot, () => new Map()).set(entry, leaf.number);
      else if (leaf.kind === 'string') madeIn(table.texts, event.slot, () => new Map()).set(entry, leaf.value);
      else if (leaf.kind === 'boolean') madeIn(table.flags, event.slot, () => new Map()).set(entry, leaf.value);
    }
    return tables;
  }
}

/** A single number, or one of several with names of their own. */
export const isFigure = ({ collection, after, place }: Event): boolean =>
  after?.number !== undefined && (collection === undefined || place.isEntry);

function totalsOf({ numbers, texts }: Table, entries: Label | undefined): Total[] {
  const columns = [...numbers].slice(0, MOST_COLUMNS);
  const groups = [undefined, ...holdersOf(columns), ...[...texts].flatMap(kindsIn)];
  const added = addable(numbers);
  return groups.flatMap((group) => [
    ...countsOf(columns, group, entries),
    ...added.flatMap(({ slots, column }) => sumsOf(slots, column, group)),
  ]);
}

/** Numbers of entries that may be added up, of one field or of the product of two. */
interface Addable {
  readonly slots: readonly Label[];
  readonly column: ReadonlyMap<Label, number>;
}

function addable(numbers: Table['numbers']): readonly Addable[] {
  const columns = [...numbers].slice(0, MOST_COLUMNS);
  const products = columns
    .slice(0, MOST_FACTORS)
    .flatMap(([slot, column], at) =>
      columns
        .slice(at + 1, MOST_FACTORS)
        .map(([other, more]) => ({ slots: [slot, other], column: productsOf(column, more) })),
    );
  return [...columns.map(([slot, column]) => ({ slots: [slot], column })), ...products];
}

/** Of several entries: the one that is missing from a sum of them. */
function lackingIn(leaf: Leaf, column: ReadonlyMap<Label, number>): Label | undefined {
  if (column.size <= FEWEST || column.size > MOST_ENTRIES) return undefined;
  let sum = 0;
  for (const value of column.values()) sum += value;
  for (const [entry, value] of column) if (value !== 0 && isNear(leaf, sum - value)) return entry;
  return undefined;
}

/** Of few kinds, it is the only entry of its own: it may be left out for that. */
function isAlone(entry: Label, kinds: ReadonlyMap<Label, string>): boolean {
  const own = kinds.get(entry);
  const all = [...kinds.values()];
  return new Set(all).size * 2 <= all.length && all.filter((kind) => kind === own).length <= 1;
}

function productsOf(one: ReadonlyMap<Label, number>, other: ReadonlyMap<Label, number>): ReadonlyMap<Label, number> {
  const found = new Map<Label, number>();
  for (const [entry, value] of one) {
    const more = other.get(entry);
    if (more !== undefined) found.set(entry, value * more);
  }
  return found;
}

function sumsOf(slots: readonly Label[], column: ReadonlyMap<Label, number>, group?: Group): Total[] {
  let sum = 0;
  let count = 0;
  for (const entry of group?.entries ?? column.keys()) {
    const value = column.get(entry);
    if (value === undefined) continue;
    sum += value;
    count += 1;
  }
  if (count < (group?.kind === undefined ? FEWEST : 1)) return [];
  const digits = group === undefined ? DIGITS.all : DIGITS.some;
  const rule = `${slots.map(({ id }) => id).join('*')} by ${group?.by?.id ?? ''}`;
  const { kind } = group ?? {};
  return [
    { value: sum, slots, digits, rule: `sum of ${rule}`, kind },
    { value: sum / count, slots, digits: DIGITS.some, rule: `mean of ${rule}`, kind },
  ];
}

function countsOf(
  [first]: readonly (readonly [Label, ReadonlyMap<Label, number>])[],
  group: Group | undefined,
  entries: Label | undefined,
): Total[] {
  const count = group?.entries.size ?? first?.[1].size ?? 0;
  const { kind, by } = group ?? {};
  if (count < COUNTED && kind === undefined) return [];
  const digits = count < COUNTED ? Infinity : 1;
  return [
    { value: count, slots: entries === undefined ? [] : [entries], digits, rule: `count by ${by?.id ?? ''}`, kind },
  ];
}

const isIt = (leaf: Leaf, total: Total): boolean => isNear(leaf, total.value) && digitsOf(leaf) >= total.digits;

const isNear = ({ number = 0, value }: Leaf, other: number): boolean =>
  Math.abs(number - other) <= 0.51 * 10 ** -decimalsOf(value);

const digitsOf = ({ value }: Leaf): number => value.replaceAll(/\D/g, '').replace(/^0+/, '').length;

/** The mean of those up to one, or from one on. */
function isPartOf(leaf: Leaf, column: readonly number[]): boolean {
  const all = column.length;
  const sum = column.reduce((one, other) => one + other, 0);
  let before = 0;
  return column.some((value, at) => {
    const isMean =
      (at >= FEWEST && isNear(leaf, before / at)) || (all - at >= FEWEST && isNear(leaf, (sum - before) / (all - at)));
    before += value;
    return at > 0 && isMean;
  });
}

/** What the error says of figures, it says of the fields that they add up. */
export function behindFigures(
  ends: readonly Event[],
  blame: Blame,
  derived: Derived,
): ReadonlyMap<Label, { readonly strength: number; readonly named: string }> {
  const figures = ends
    .filter(isFigure)
    .map((event) => ({ event, ...blame.of(event) }))
    .filter(({ strength }) => strength >= NAMED)
    .toSorted((a, b) => b.strength - a.strength)
    .slice(0, MOST_FIGURES);
  const found = new Map<Label, { strength: number; named: string }>();
  for (const { event, strength, named = '' } of figures) {
    for (const slot of derived.sourcesOf(event) ?? []) if (!found.has(slot)) found.set(slot, { strength, named });
  }
  return found;
}
