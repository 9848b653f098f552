import { dayNumber } from './days.ts';
import type { Leaf } from './leaf.ts';
import type { Place } from './place.ts';
import type { Survey } from './places.ts';
import { childOf, isContainer, leafOf, type Column, type ListNode, type Node, type ObjectNode } from './tree.ts';
import { kept } from './values.ts';

const MOST_FIELDS = 8;
const MOST_ENTRIES = 120;

/** Where the value of a table is. */
export interface Cell {
  /** The list of entries, or the object of the maps that are their fields. */
  readonly holder: ListNode | ObjectNode;
  readonly entry: string | number;
  readonly field: string;
}

/** `undefined` of what is deeper in its entry than one object. */
export function cellAt(place: Place, survey: Survey): Cell | undefined {
  const { depth, collection, parent, holder: list, step } = place;
  if (list === undefined || parent === undefined || collection === undefined || depth - collection > 3)
    return undefined;
  if (place.isEntry) return parent.parent && cellOfMap(parent.parent, survey, String(parent.step), step);
  const entry = place.up(collection + 1);
  const holder = survey.at(list);
  if (!isContainer(holder) || (entry !== parent && typeof step === 'number')) return undefined;
  return { holder, entry: entry.step, field: entry === parent ? String(step) : inner(String(parent.step), `${step}`) };
}

function cellOfMap(around: Place, survey: Survey, field: string, entry: string | number): Cell | undefined {
  const holder = survey.at(around);
  const map = holder?.kind === 'object' ? holder.member(field)?.value : undefined;
  return holder?.kind === 'object' && map?.kind === 'object' && map.isColumn ? { holder, entry, field } : undefined;
}

const INNER = '\n';
const inner = (object: string, field: string): string => `${object}${INNER}${field}`;

/** The entries of a list, field by field; what nobody asks for is not read. */
export class Table {
  /** What each row is called, or where it is. */
  readonly rows: readonly (string | number)[];
  readonly fields: readonly string[];
  readonly #holder: ListNode | ObjectNode;
  /** Maps are the fields. */
  readonly #isOfMaps: boolean;
  readonly #names: readonly string[] | undefined;
  readonly #columns = new Map<string, Column>();
  readonly #numbers = new Map<string, readonly number[]>();
  readonly #times = new Map<string, readonly (string | undefined)[]>();
  readonly #days = new Map<string, readonly number[]>();
  #numeric: readonly string[] | undefined;
  #texts: readonly string[] | undefined;

  constructor(holder: ListNode | ObjectNode) {
    this.#holder = holder;
    const maps = holder.kind === 'object' ? holder.members.filter(({ value }) => isColumn(value)) : [];
    this.#isOfMaps = maps.length > 0;
    if (this.#isOfMaps) {
      this.rows = [...new Set(maps.flatMap(({ value }) => keysOf(value)))].slice(0, MOST_ENTRIES);
      this.fields = maps.map(({ key }) => key);
      return;
    }
    const first = holder.nodeAt(0);
    this.rows = Array.from({ length: Math.min(holder.size, MOST_ENTRIES) }, (_, at) => holder.nameAt(at));
    this.fields = fieldsOf(first);
    this.#names = first?.kind === 'array' ? first.columns : undefined;
  }

  /** As it is told. */
  nameOf(field: string): string {
    if (this.#names === undefined) return field.replace(INNER, '.');
    return this.#names[Number(field)] ?? `column ${Number(field) + 1}`;
  }

  column(field: string): Column {
    return kept(this.#columns, field, () => {
      const holder = this.#holder;
      if (!this.#isOfMaps) {
        const path = this.#names === undefined ? field.split(INNER) : [Number(field)];
        return holder.column(path, field).slice(0, MOST_ENTRIES);
      }
      const map = holder.kind === 'object' ? holder.member(field)?.value : undefined;
      return this.rows.map((row) => leafOf(childOf(map, row)));
    });
  }

  /** The first fields that are numbers nearly everywhere. */
  get numeric(): readonly string[] {
    return (this.#numeric ??= this.#mostly((leaf) => leaf.number !== undefined));
  }

  get texts(): readonly string[] {
    return (this.#texts ??= this.#mostly(({ kind }) => kind === 'string'));
  }

  #mostly(test: (leaf: Leaf) => boolean): string[] {
    const found: string[] = [];
    for (const field of this.fields) {
      if (found.length === MOST_FIELDS) break;
      if (this.#isMostly(field, test)) found.push(field);
    }
    return found;
  }

  #isMostly(field: string, test: (leaf: Leaf) => boolean): boolean {
    let count = 0;
    for (const leaf of this.column(field)) if (leaf !== undefined && test(leaf)) count += 1;
    return count >= this.rows.length * 0.8;
  }

  /** Of one field, without a look at the others where it is none. */
  isNumeric(field: string): boolean {
    return this.#isMostly(field, (leaf) => leaf.number !== undefined) && this.numeric.includes(field);
  }

  /** `NaN` where there is none. */
  numbers(field: string): readonly number[] {
    return kept(this.#numbers, field, () => this.column(field).map((leaf) => leaf?.number ?? NaN));
  }

  /** Dates and moments that sort as texts do. */
  times(field: string): readonly (string | undefined)[] {
    return kept(this.#times, field, () => this.column(field).map(orderOf));
  }

  /** Dates as numbers of days; `NaN` where there is none. */
  days(field: string): readonly number[] {
    return kept(this.#days, field, () =>
      this.column(field).map((leaf) => (leaf?.kind === 'string' ? (dayNumber(leaf.value) ?? NaN) : NaN)),
    );
  }
}

const isColumn = (node: Node): boolean => node.kind === 'object' && node.isColumn;

const keysOf = (node: Node): readonly string[] => (node.kind === 'object' ? node.members.map(({ key }) => key) : []);

/** Those of the entry itself before those of objects in it. */
function fieldsOf(entry: Node | undefined): readonly string[] {
  if (entry?.kind === 'array') return entry.columns === undefined ? [] : entry.items.map((_, at) => String(at));
  if (entry?.kind !== 'object') return [];
  const own = entry.members.flatMap(({ key, value }) => (leafOf(value) ? [key] : []));
  const nested = entry.members.flatMap(({ key, value }) =>
    value.kind !== 'object' || value.leaf !== undefined
      ? []
      : value.members.flatMap((member) => (leafOf(member.value) ? [inner(key, member.key)] : [])),
  );
  return [...own, ...nested];
}

const TIME = /^\d{4}-\d\d-\d\d/;
const DASH = 0x2d;

function orderOf(leaf: Leaf | undefined): string | undefined {
  return leaf?.kind === 'string' && leaf.value.charCodeAt(4) === DASH && TIME.test(leaf.value) ? leaf.value : undefined;
}
