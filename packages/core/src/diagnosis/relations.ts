import type { JsonNode } from '../json/node.ts';
import type { Place, Survey } from './places.ts';
import { leafOf, type Leaf } from './values.ts';

/** Something that holds for the fields of nearly every entry of a list, and not for a few. */
export interface Relation {
  /** `total = quantity × price` */
  readonly words: string;
  readonly fields: readonly string[];
  /** Entries for which it does not hold, by name or index. */
  readonly broken: ReadonlySet<string | number>;
  /** Entries for which it holds. */
  readonly holds: number;
}

const MOST_FIELDS = 8;
const MOST_ENTRIES = 120;
/** Rounding to a few digits is not a break. */
const TOLERANCE = 0.006;

interface Row {
  readonly name: string | number;
  readonly cells: ReadonlyMap<string, Leaf>;
}

/** Relations of the innermost list around a place, worked out once per list. */
export class Relations {
  readonly #survey: Survey;
  readonly #known = new Map<JsonNode, readonly Relation[]>();

  constructor(survey: Survey) {
    this.#survey = survey;
  }

  /** Those that the entry of this place breaks, and that its field takes part in. */
  brokenAt({ path, collection }: Place): readonly Relation[] {
    if (collection === undefined || path.length !== collection + 2) return [];
    const holder = this.#survey.node(path.slice(0, collection));
    const [entry, field] = path.slice(collection);
    if (holder === undefined || entry === undefined) return [];
    return this.#of(holder).filter(({ broken, fields }) => broken.has(entry) && fields.includes(String(field)));
  }

  #of(holder: JsonNode): readonly Relation[] {
    const known = this.#known.get(holder);
    if (known) return known;
    const rows = this.#rows(holder);
    const found = rows.length < 4 ? [] : relationsOf(rows);
    this.#known.set(holder, found);
    return found;
  }

  #rows(holder: JsonNode): Row[] {
    const rows: Row[] = [];
    for (const { name, node } of this.#survey.entries(holder).slice(0, MOST_ENTRIES)) {
      if (node.kind !== 'object') continue;
      const cells = new Map<string, Leaf>();
      for (const { key, value } of node.members) {
        const leaf = leafOf(this.#survey.document, value);
        if (leaf) cells.set(key, leaf);
      }
      rows.push({ name, cells });
    }
    return rows;
  }
}

function relationsOf(rows: readonly Row[]): Relation[] {
  const fields = [...(rows[0]?.cells.keys() ?? [])];
  const numeric = fields
    .filter((field) => most(rows, ({ cells }) => cells.get(field)?.number !== undefined))
    .slice(0, MOST_FIELDS);
  const texts = fields
    .filter((field) => most(rows, ({ cells }) => cells.get(field)?.kind === 'string'))
    .slice(0, MOST_FIELDS);
  return [...products(rows, numeric), ...ratios(rows, numeric), ...orders(rows, texts)];
}

const most = (rows: readonly Row[], test: (row: Row) => boolean): boolean =>
  rows.filter(test).length >= rows.length * 0.8;

function products(rows: readonly Row[], fields: readonly string[]): Relation[] {
  const found: Relation[] = [];
  for (const [at, a] of fields.entries()) {
    for (const b of fields.slice(at + 1)) {
      for (const c of fields) {
        if (c === a || c === b) continue;
        found.push(
          ...tested(
            rows,
            [a, b, c],
            `${c} = ${a} × ${b}`,
            ([x, y, z]) => near(x * y, z),
            ([x, y]) => x !== 1 && y !== 1 && x * y !== 0,
          ),
          ...tested(
            rows,
            [a, b, c],
            `${c} = ${a} + ${b}`,
            ([x, y, z]) => near(x + y, z),
            ([x, y]) => x !== 0 && y !== 0,
          ),
        );
      }
    }
  }
  return found;
}

/** One field is the other times a factor, the same for all. */
function ratios(rows: readonly Row[], fields: readonly string[]): Relation[] {
  const found: Relation[] = [];
  for (const [at, a] of fields.entries()) {
    for (const b of fields.slice(at + 1)) {
      const factors = rows.flatMap(({ cells }) => {
        const [x, y] = [cells.get(a)?.number, cells.get(b)?.number];
        return x === undefined || y === undefined || x === 0 || y === 0 ? [] : [y / x];
      });
      const factor = factors.toSorted((p, q) => p - q)[Math.floor(factors.length / 2)];
      if (factor === undefined) continue;
      const isVaried = new Set(rows.map(({ cells }) => cells.get(a)?.number)).size > 2;
      if (!isVaried) continue;
      const words = near(factor, 1) ? `${b} = ${a}` : `${b} is ${a} times ${Number(factor.toPrecision(4))}`;
      found.push(
        ...tested(
          rows,
          [a, b],
          words,
          ([x, y]) => near(x * factor, y),
          ([x]) => x !== 0,
        ),
      );
    }
  }
  return found;
}

type Numbers = [number, number, number];

function tested(
  rows: readonly Row[],
  fields: readonly string[],
  words: string,
  holds: (values: Numbers) => boolean,
  says: (values: Numbers) => boolean,
): Relation[] {
  const broken = new Set<string | number>();
  let held = 0;
  for (const { name, cells } of rows) {
    const [x, y, z = 0] = fields.map((field) => cells.get(field)?.number);
    if (x === undefined || y === undefined) continue;
    if (holds([x, y, z])) held += Number(says([x, y, z]));
    else broken.add(name);
    if (broken.size > 2 && broken.size * 4 > rows.length) return [];
  }
  return held >= 3 && broken.size > 0 && broken.size * 4 <= held ? [{ words, fields, broken, holds: held }] : [];
}

/** One field never comes after the other: a start before its end. */
function orders(rows: readonly Row[], fields: readonly string[]): Relation[] {
  const found: Relation[] = [];
  for (const a of fields) {
    for (const b of fields) {
      if (a === b) continue;
      const broken = new Set<string | number>();
      let held = 0;
      for (const { name, cells } of rows) {
        const [x, y] = [orderOf(cells.get(a)), orderOf(cells.get(b))];
        if (x === undefined || y === undefined) continue;
        if (x < y) held += 1;
        else broken.add(name);
        if (broken.size > 1) break;
      }
      if (broken.size === 1 && held >= 6)
        found.push({ words: `${a} before ${b}`, fields: [a, b], broken, holds: held });
    }
  }
  return found;
}

const TIME = /^\d{4}-\d\d-\d\d/;

function orderOf(leaf: Leaf | undefined): string | undefined {
  return leaf?.kind === 'string' && TIME.test(leaf.value) ? leaf.value : undefined;
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(0.0051, TOLERANCE * Math.min(Math.abs(a), Math.abs(b)));
}
