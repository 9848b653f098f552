import type { Place } from './place.ts';
import type { Survey } from './places.ts';
import { cellAt, Table } from './table.ts';
import type { ListNode, Node, ObjectNode } from './tree.ts';
import { kept } from './values.ts';

/** Something that holds for the fields of nearly every entry of a list, and not for a few. */
export interface Relation {
  /** `total = quantity × price` */
  readonly words: string;
  /** Entries for which it does not hold, by name or index. */
  readonly broken: ReadonlySet<string | number>;
}

/** Rounding to a few digits is not a break. */
const TOLERANCE = 0.006;
/** Entries that must keep an order before it counts. */
const ORDERED = 6;

/** Relations of the innermost list around a place, worked out once per field of a list. */
export class Relations {
  readonly #survey: Survey;
  readonly #known = new Map<Node, { readonly table: Table; readonly byField: Map<string, readonly Relation[]> }>();

  constructor(survey: Survey) {
    this.#survey = survey;
  }

  /** Those that the entry of this place breaks, and that its field takes part in. */
  brokenAt(place: Place): readonly Relation[] {
    const cell = cellAt(place, this.#survey);
    if (cell === undefined) return [];
    const found = this.#of(cell.holder, cell.field);
    return found.length === 0 ? found : found.filter(({ broken }) => broken.has(cell.entry));
  }

  #of(holder: ListNode | ObjectNode, field: string): readonly Relation[] {
    const list = this.#known.get(holder) ?? { table: new Table(holder), byField: new Map() };
    this.#known.set(holder, list);
    const known = list.byField.get(field);
    if (known) return known;
    const found = list.table.rows.length < 4 ? [] : relationsOf(list.table, field);
    list.byField.set(field, found);
    return found;
  }
}

/** Those that a field takes part in. */
function relationsOf(table: Table, field: string): Relation[] {
  const isNumeric = table.isNumeric(field);
  return [
    ...(isNumeric ? products(table, field) : []),
    ...(isNumeric ? ratios(table, field) : []),
    ...(isNumeric ? totals(table, field) : []),
    ...(isTimed(table, field) ? orders(table, field) : []),
    ...intervals(table, field),
  ];
}

function products(table: Table, field: string): Relation[] {
  const found: Relation[] = [];
  const fields = table.numeric;
  for (const [at, a] of fields.entries()) {
    for (const b of fields.slice(at + 1)) {
      for (const c of fields) {
        if (c === a || c === b || (field !== a && field !== b && field !== c)) continue;
        const columns = [table.numbers(a), table.numbers(b), table.numbers(c)] as const;
        found.push(
          ...tested(
            table,
            columns,
            () => `${table.nameOf(c)} = ${table.nameOf(a)} × ${table.nameOf(b)}`,
            isProduct,
            saysProduct,
          ),
        );
        found.push(
          ...tested(
            table,
            columns,
            () => `${table.nameOf(c)} = ${table.nameOf(a)} + ${table.nameOf(b)}`,
            isSum,
            saysSum,
          ),
        );
      }
    }
  }
  return found;
}

const isProduct: Test = (x, y, z) => near(x * y, z);
const saysProduct: Test = (x, y) => x !== 1 && y !== 1 && x * y !== 0;
const isSum: Test = (x, y, z) => near(x + y, z);
const saysSum: Test = (x, y) => x !== 0 && y !== 0;

/** Terms of a total: two are found as a sum of two, and with more nearly everything adds up. */
const TERMS = { fewest: 3, most: 5 };

/** One field is what several others come to, each taken as it is or taken off. */
function totals(table: Table, field: string): Relation[] {
  const { numeric, rows } = table;
  if (rows.length <= FEWEST_TOTALS || numeric.length <= TERMS.fewest) return [];
  const columns = numeric.map((one) => table.numbers(one));
  for (const chosen of choicesOf(numeric.length, numeric.indexOf(field))) {
    const terms = chosen.map((at) => columns[at] ?? []);
    for (let signs = 0; signs < 2 ** (chosen.length - 1); signs++) {
      const broken = brokenBy(terms, signs, rows.length);
      const names = broken && new Set(broken.flatMap((at) => rows[at] ?? []));
      if (names === undefined || isOfAnotherKind(table, names)) continue;
      const said = chosen.map((at) => table.nameOf(numeric[at] ?? ''));
      return [{ words: `${said.slice(0, -1).join(', ')} and ${said.at(-1)} add up`, broken: names }];
    }
  }
  return [];
}

const FEWEST_TOTALS = 4;

/** Rows in which the first term is not what the others come to, where it is in nearly all. */
function brokenBy(terms: readonly Numbers[], signs: number, rows: number): readonly number[] | undefined {
  const broken: number[] = [];
  let held = 0;
  for (let at = 0; at < rows; at++) {
    const comes = comesTo(terms, signs, at);
    if (comes === undefined) continue;
    held += Number(comes);
    if (!comes && broken.push(at) > 1 + held / 4) return undefined;
  }
  return held < FEWEST_TOTALS || broken.length === 0 || broken.length * 4 > held ? undefined : broken;
}

/** `undefined` where it says nothing; a set bit is a term that is taken off. */
function comesTo(terms: readonly Numbers[], signs: number, at: number): boolean | undefined {
  let sum = 0;
  let size = 0;
  let isWhole = true;
  for (let nth = 0; nth < terms.length; nth++) {
    const value = terms[nth]?.[at] ?? NaN;
    sum += nth > 0 && (signs >> (nth - 1)) % 2 === 1 ? -value : value;
    size = Math.max(size, Math.abs(value));
    isWhole &&= value !== 0;
  }
  if (Number.isNaN(sum)) return undefined;
  const isHeld = Math.abs(sum) <= Math.max(0.011 * terms.length, size * 1e-6);
  return isHeld && !isWhole ? undefined : isHeld;
}

const choices = new Map<string, readonly (readonly number[])[]>();

/** Which of so many fields, this one among them; those of fewer first. */
const choicesOf = (count: number, own: number): readonly (readonly number[])[] =>
  kept(choices, `${count} ${own}`, () => {
    const sets = Array.from({ length: 2 ** count }, (_, set) => set).filter((set) => (set >> own) % 2 === 1);
    return sets
      .map((set) => Array.from({ length: count }, (_, at) => at).filter((at) => (set >> at) % 2 === 1))
      .filter(({ length }) => length > TERMS.fewest && length <= TERMS.most + 1)
      .toSorted((a, b) => a.length - b.length);
  });

/** One field is the other times a factor, the same for all. */
function ratios(table: Table, field: string): Relation[] {
  const found: Relation[] = [];
  const fields = table.numeric;
  for (const [at, a] of fields.entries()) {
    for (const b of fields.slice(at + 1)) {
      if (field !== a && field !== b) continue;
      const [xs, ys] = [table.numbers(a), table.numbers(b)];
      if (new Set(xs).size <= 2) continue;
      const factor = factorOf(xs, ys);
      if (factor === undefined) continue;
      const words = (): string =>
        near(factor, 1)
          ? `${table.nameOf(b)} = ${table.nameOf(a)}`
          : `${table.nameOf(b)} is ${table.nameOf(a)} times ${Number(factor.toPrecision(4))}`;
      found.push(
        ...tested(
          table,
          [xs, ys],
          words,
          (x, y) => near(x * factor, y),
          (x) => x !== 0,
        ),
      );
    }
  }
  return found;
}

/** The one in the middle. */
function factorOf(xs: readonly number[], ys: readonly number[]): number | undefined {
  const factors: number[] = [];
  for (const [at, x] of xs.entries()) {
    const y = ys[at] ?? NaN;
    if (!(Number.isNaN(x) || Number.isNaN(y) || x === 0 || y === 0)) factors.push(y / x);
  }
  return factors.sort((p, q) => p - q)[Math.floor(factors.length / 2)];
}

type Test = (x: number, y: number, z: number) => boolean;
type Numbers = readonly number[];

function tested(
  table: Table,
  [xs, ys, zs]: readonly [Numbers, Numbers, Numbers?],
  words: () => string,
  holds: Test,
  says: Test,
): Relation[] {
  const { rows } = table;
  const broken: number[] = [];
  let held = 0;
  for (let at = 0; at < rows.length; at++) {
    const [x, y, z] = [xs[at] ?? NaN, ys[at] ?? NaN, zs?.[at] ?? NaN];
    if (Number.isNaN(x) || Number.isNaN(y)) continue;
    if (holds(x, y, Number.isNaN(z) ? 0 : z)) held += Number(says(x, y, z));
    else broken.push(at);
    if (broken.length > 2 && broken.length * 4 > rows.length) return [];
  }
  if (held < 3 || broken.length === 0 || broken.length * 4 > held) return [];
  const names = new Set(broken.flatMap((at) => rows[at] ?? []));
  return isOfAnotherKind(table, names) ? [] : [{ words: words(), broken: names }];
}

/** The entries that break it have a category of their own, such as another currency: for them it never held. */
function isOfAnotherKind(table: Table, broken: ReadonlySet<string | number>): boolean {
  const { rows } = table;
  return table.fields.some((field) => {
    const cells = table.column(field);
    const [own, others] = [new Set<string>(), new Set<string>()];
    let isKind = false;
    for (const [at, row] of rows.entries()) {
      const isBreaking = broken.has(row);
      isKind ||= isBreaking && (cells[at]?.kind === 'string' || cells[at]?.kind === 'boolean');
      (isBreaking ? own : others).add(cells[at]?.value ?? '');
    }
    if (!isKind || (own.size + others.size) * 2 > rows.length) return false;
    return [...own].every((value) => !others.has(value));
  });
}

const isTimed = (table: Table, field: string): boolean =>
  count(table.times(field)) > ORDERED && table.texts.includes(field);

/** One field never comes after the other: a start before its end. */
function orders(table: Table, field: string): Relation[] {
  const { texts, rows } = table;
  const found: Relation[] = [];
  for (const a of texts) {
    for (const b of texts) {
      if (a === b || (field !== a && field !== b)) continue;
      const [xs, ys] = [table.times(a), table.times(b)];
      const broken: number[] = [];
      let held = 0;
      for (let at = 0; at < rows.length && broken.length <= 1; at++) {
        const [x, y] = [xs[at], ys[at]];
        if (x === undefined || y === undefined) continue;
        if (x < y) held += 1;
        else broken.push(at);
      }
      const only = broken.length === 1 ? rows[broken[0] ?? 0] : undefined;
      if (only !== undefined && held >= ORDERED) {
        found.push({ words: `${table.nameOf(a)} before ${table.nameOf(b)}`, broken: new Set([only]) });
      }
    }
  }
  return found;
}

const count = (times: readonly (string | undefined)[]): number => times.filter((time) => time !== undefined).length;

/** One date is as many days after the other everywhere. */
function intervals(table: Table, field: string): Relation[] {
  const own = table.days(field);
  if (own.filter((day) => !Number.isNaN(day)).length < FEWEST_DAYS) return [];
  return table.texts.flatMap((other) => {
    if (other === field) return [];
    const days = table.days(other);
    const usual = mostOf(days.map((day, at) => (own[at] ?? NaN) - day));
    if (usual === undefined || usual === 0) return [];
    const [first, last] = usual > 0 ? [other, field] : [field, other];
    const words = (): string =>
      `${table.nameOf(last)} is ${Math.abs(usual)} day${Math.abs(usual) === 1 ? '' : 's'} after ${table.nameOf(first)}`;
    return tested(
      table,
      [days, own],
      words,
      (x, y) => y - x === usual,
      () => true,
    );
  });
}

const FEWEST_DAYS = 4;

/** The number that comes most often, `NaN` left out. */
function mostOf(numbers: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  let most: number | undefined;
  for (const number of numbers) {
    if (Number.isNaN(number)) continue;
    const count = (counts.get(number) ?? 0) + 1;
    counts.set(number, count);
    if (most === undefined || count > (counts.get(most) ?? 0)) most = number;
  }
  return most;
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(0.0051, TOLERANCE * Math.min(Math.abs(a), Math.abs(b)));
}
