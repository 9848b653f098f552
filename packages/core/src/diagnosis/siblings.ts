import type { Leaf } from './leaf.ts';
import { ANY, type Place } from './place.ts';
import type { Survey } from './places.ts';
import { childOf, isContainer, type Column, type ListNode, type Node, type ObjectNode } from './tree.ts';
import { decimalsOf } from './values.ts';

/** Why a value is unlike the same field of the entries beside it. `strength` is 0 to 1. */
export interface Oddity {
  readonly why:
    | 'type'
    | 'missing'
    | 'sign'
    | 'zero'
    | 'size'
    | 'decimals'
    | 'empty'
    | 'format'
    | 'twice'
    | 'twin'
    | 'cut'
    | 'length'
    | 'garbled'
    | 'holder'
    | 'category'
    | 'key';
  readonly strength: number;
  /** How many siblings say so. */
  readonly of: number;
  /** What they have; of sizes, from where to where. */
  readonly usual?: Usual | undefined;
}

export type Usual = string | readonly [number, number];

/** Values that are looked at of a long list. */
const MOST = 300;

/** The same field of other entries. */
export class Others {
  readonly #leaves: Column;
  /** The entry to leave out, and the one to stop at. */
  readonly #own: number;
  readonly #end: number;
  readonly length: number;
  readonly first: Leaf | undefined;

  constructor(leaves: Column, own = -1, most = Infinity) {
    this.#leaves = leaves;
    this.#own = own;
    let length = 0;
    let at = 0;
    for (; at < leaves.length && length < most; at++) {
      if (at === own || leaves[at] === undefined) continue;
      if ((length += 1) === 1) this.first = leaves[at];
    }
    this.#end = at;
    this.length = length;
  }

  count(test: (leaf: Leaf) => boolean): number {
    let found = 0;
    for (let at = 0; at < this.#end; at++) {
      const leaf = this.#leaves[at];
      if (leaf !== undefined && at !== this.#own && test(leaf)) found += 1;
    }
    return found;
  }

  share(test: (leaf: Leaf) => boolean): number {
    return this.length === 0 ? 0 : this.count(test) / this.length;
  }

  every(test: (leaf: Leaf) => boolean): boolean {
    for (let at = 0; at < this.#end; at++) {
      const leaf = this.#leaves[at];
      if (leaf !== undefined && at !== this.#own && !test(leaf)) return false;
    }
    return true;
  }

  map<T>(make: (leaf: Leaf) => T): T[] {
    const made: T[] = [];
    for (let at = 0; at < this.#end; at++) {
      const leaf = this.#leaves[at];
      if (leaf !== undefined && at !== this.#own) made.push(make(leaf));
    }
    return made;
  }

  filled(): Others {
    return this.every(({ kind }) => kind !== 'null') ? this : this.filter(({ kind }) => kind !== 'null');
  }

  filter(test: (leaf: Leaf) => boolean): Others {
    return new Others(this.map((leaf) => (test(leaf) ? leaf : undefined)));
  }
}

/** The same field of the entries beside it, this one left out. */
export function siblingsOf(survey: Survey, place: Place): Others {
  const { collection, holder: list, rest } = place;
  if (collection === undefined || list === undefined) return NO_OTHERS;
  const holder = survey.at(list);
  const beside = isContainer(holder)
    ? besideIn(holder, holder.column(place.path.slice(collection + 1), rest), place.up(collection + 1).step)
    : NO_OTHERS;
  return beside.length >= ENOUGH ? beside : new Others([...beside.map((leaf) => leaf), ...cousins(survey, place)]);
}

const ENOUGH = 5;

const NO_OTHERS = new Others([]);

function besideIn(holder: ObjectNode | ListNode, leaves: Column, own: string | number): Others {
  if (holder.kind === 'array') return new Others(leaves, Number(own), MOST);
  if (holder.hasDuplicate)
    return new Others(
      leaves.map((leaf, at) => (holder.nameAt(at) === own ? undefined : leaf)),
      -1,
      MOST,
    );
  return new Others(
    leaves,
    holder.members.findIndex(({ key }) => key === own),
    MOST,
  );
}

/** Where a list inside an entry is short: the same field of all lists of its kind. */
function cousins(survey: Survey, place: Place): Leaf[] {
  const { path, collection = 0, rest: field } = place;
  const entry = entryAround(place.up(collection));
  const holder = entry?.parent && survey.at(entry.parent);
  if (entry === undefined || !isContainer(holder)) return [];
  const found: Leaf[] = [];
  const rest = path.slice(collection + 1);
  for (let at = 0; at < holder.size && found.length < MOST; at++) {
    if (holder.nameAt(at) === entry.step) continue;
    const list = path.slice(entry.depth, collection).reduce<Node | undefined>(fieldOf, holder.nodeAt(at));
    for (const leaf of isContainer(list) ? list.column(rest, field) : []) if (leaf) found.push(leaf);
  }
  return found;
}

/** The innermost place around this one, itself included, whose step in its slot is that of any entry. */
function entryAround(place: Place): Place | undefined {
  for (let at: Place | undefined = place; at?.parent; at = at.parent) if (at.slot.step === ANY) return at;
  return undefined;
}

const fieldOf = (node: Node | undefined, step: string | number): Node | undefined =>
  node?.kind === 'object' ? childOf(node, step) : undefined;

/** A list or an object where the same field of all other entries is a plain value. */
export function oddHolder(survey: Survey, place: Place): Omit<Oddity, 'why' | 'strength'> | undefined {
  let field = place.parent;
  for (let entry = field?.parent; entry?.parent; field = entry, entry = entry.parent) {
    if (entry.slot.step !== ANY) continue;
    if (field === undefined || typeof field.step !== 'string' || field.slot.step === ANY) return undefined;
    return plainIn(survey, entry.parent, entry.step, field.step);
  }
  return undefined;
}

/** What all other entries have as this field, if that is a plain value of one kind. */
function plainIn(
  survey: Survey,
  list: Place,
  own: string | number | undefined,
  field: string,
): Omit<Oddity, 'why' | 'strength'> | undefined {
  const holder = survey.at(list);
  let usual: Node['kind'] | undefined;
  let looked = 0;
  let of = 0;
  for (let at = 0; isContainer(holder) && at < holder.size; at++) {
    if (holder.nameAt(at) === own) continue;
    if ((looked += 1) > MOST) break;
    const value = childOf(holder.nodeAt(at), field);
    if (value === undefined || value.kind === 'null') continue;
    usual ??= value.kind;
    if (usual === 'object' || usual === 'array' || value.kind !== usual) return undefined;
    of += 1;
  }
  return usual === undefined || of < 3 ? undefined : { of, usual };
}

/** A field that no other entry has, in the place of one that all others have. */
export function oddKey(
  survey: Survey,
  { parent, step: field, depth, collection, holder: list }: Place,
): { readonly usual: string; readonly of: number } | undefined {
  if (list === undefined || depth - 2 !== collection || typeof field !== 'string') return undefined;
  const own = parent?.step;
  const holder = survey.at(list);
  let entry: Node | undefined;
  const others: ObjectNode[] = [];
  for (let at = 0; isContainer(holder) && at < holder.size && others.length < MOST; at++) {
    const node = holder.nodeAt(at);
    if (holder.nameAt(at) === own) entry ??= node;
    else if (node?.kind === 'object') {
      if (node.member(field)) return undefined;
      others.push(node);
    }
  }
  const [first] = others;
  entry ??= parent && survey.at(parent);
  if (others.length < 3 || first === undefined || entry === undefined) return undefined;
  const usual = first.members.find(
    ({ key }) => childOf(entry, key) === undefined && others.every((node) => node.member(key) !== undefined),
  );
  return usual === undefined ? undefined : { usual: usual.key, of: others.length };
}

/** The square of how many siblings are believed half. */
const TRUST = 5;

/** How far `leaf` is unlike `others`, in every way that shows. */
export function odditiesOf(leaf: Leaf, beside: Others): Oddity[] {
  // Those that have no value yet say nothing of one that has.
  const others = leaf.kind === 'null' || leaf.kind === 'empty' ? beside : beside.filled();
  if (others.length < 2) return [];
  const trust = others.length ** 2 / (others.length ** 2 + TRUST);
  const found: Oddity[] = [];
  const add: Add = (why, strength, usual) => {
    if (strength > 0.05) found.push({ why, strength: strength * trust, of: others.length, usual });
  };
  const kinds = others.count(({ kind }) => kind === leaf.kind);
  const usual = others.first?.kind;
  if (kinds === 0 && others.every(({ kind }) => kind === usual)) {
    // One of them is the first to get a value.
    if (usual === 'null' || usual === 'empty') return found;
    add(leaf.kind === 'null' || leaf.kind === 'empty' ? 'missing' : 'type', 0.9, usual);
    return found;
  }
  if (kinds < others.length * 0.7) return found;
  const alike = kinds === others.length ? others : others.filter(({ kind }) => kind === leaf.kind);
  if (leaf.kind === 'number') addNumber(leaf, alike, add);
  if (leaf.kind === 'string') addString(leaf, alike, add);
  if (leaf.kind === 'boolean' && alike.length >= 3 && alike.every(({ value }) => value !== leaf.value))
    add('category', 0.45);
  return found;
}

type Add = (why: Oddity['why'], strength: number, usual?: Usual) => void;

/** What all numbers of some entries have in common. */
class Range {
  /** Sizes without those that are zero. */
  least = Infinity;
  most = 0;
  positive = 0;
  negative = 0;
  zero = 0;
  areShares = true;
  areWhole = true;

  constructor(numbers: readonly number[]) {
    for (const one of numbers) this.#enter(one);
  }

  #enter(one: number): void {
    if (one === 0) this.zero += 1;
    else {
      if (one > 0) this.positive += 1;
      else this.negative += 1;
      const size = Math.abs(one);
      if (size < this.least) this.least = size;
      if (size > this.most) this.most = size;
    }
    if (one < 0 || one > 1) this.areShares = false;
    if (!Number.isInteger(one)) this.areWhole = false;
  }

  /** Surely not far from them. */
  isNear(value: number): boolean {
    const size = Math.abs(value);
    return size * 1.7 > this.least && size < this.most * 1.7;
  }
}

function addNumber(leaf: Leaf, others: Others, add: Add): void {
  const value = leaf.number ?? 0;
  const numbers: number[] = [];
  others.every(({ number }) => number === undefined || numbers.push(number) > 0);
  if (numbers.length < 2) return;
  const range = new Range(numbers);
  const { positive, negative, zero, areShares, areWhole } = range;
  if (value > 0 && positive === 0 && negative > 0) add('sign', 0.9, 'negative');
  if (value < 0 && negative === 0 && positive > 0) add('sign', 0.9, 'positive');
  if (value === 0 && zero === 0) add('zero', 0.4);
  if (value !== 0 && !range.isNear(value)) addSize(value, numbers, add);
  if ((value > 1.5 || value < 0) && numbers.length >= 4 && areShares && !areWhole) add('size', 0.8, [0, 1]);
  addDecimals(leaf, others, add);
}

/** On a scale of powers of ten, against the spread of the others. */
function addSize(value: number, numbers: readonly number[], add: Add): void {
  const sizes: number[] = [];
  for (const one of numbers) if (one !== 0) sizes.push(Math.log10(Math.abs(one)));
  if (sizes.length < 2) return;
  const size = Math.log10(Math.abs(value));
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const beyond = Math.max(least - size, size - most);
  if (beyond < 0.25 && (sizes.length < 6 || beyond <= 0.05)) return;
  const middle = median(sizes);
  const own = median(sizes.map((one) => Math.abs(one - middle))) * 1.48;
  const spread = Math.max(0.1, own);
  const isTight = sizes.length >= 6 && beyond > 0.05 && beyond > 6 * own;
  if (beyond < 0.25 && !isTight) return;
  const far = isTight ? Math.min(1, 0.6 + beyond / 2) : Math.min(1, 0.25 + beyond / 2);
  const strength = isTight ? far : far * Math.min(1, Math.abs(size - middle) / spread / 5);
  add('size', strength, [10 ** least, 10 ** most]);
}

function median(values: readonly number[]): number {
  return Float64Array.from(values).sort()[Math.floor(values.length / 2)] ?? 0;
}

function addDecimals(leaf: Leaf, all: Others, add: Add): void {
  // Zero is written without any.
  const others = all.every(({ number }) => number !== 0) ? all : all.filter(({ number }) => number !== 0);
  if (others.length < 3 || leaf.number === 0) return;
  const own = decimalsOf(leaf.value);
  if (own >= 2 && others.every(({ value }) => own - decimalsOf(value) >= 2)) add('decimals', 0.4);
  if (own === 0 && others.count(({ value }) => decimalsOf(value) > 0) >= others.length * 0.9) {
    const [fewest, most] = [Math.min, Math.max].map((of) => of(...others.map(({ value }) => decimalsOf(value))));
    // One figure in ten with one decimal ends in zero, which many leave out.
    const least = most === 1 ? 0.1 : 0.3;
    add('decimals', Math.min(0.8, Math.max(least, 0.2 * (fewest ?? 0))));
  }
}

function addString(leaf: Leaf, others: Others, add: Add): void {
  const { value } = leaf;
  if (value.trim() === '') {
    if (others.every((one) => one.value.trim() !== '')) add('empty', 0.85);
    return;
  }
  if (GARBLED.test(value) && others.share((one) => !GARBLED.test(one.value)) > 0.9) add('garbled', 0.85);
  if (leaf.isProse || others.share((one) => one.isProse) > 0.5) return addProse(value, others, add);
  addTwice(leaf, others, add);
  if (others.length < 3) return;
  if (others.every(({ shape }) => shape !== leaf.shape)) {
    const { first } = others;
    const agreed = others.share(({ shape }) => shape === first?.shape);
    // Names and kinds have as many words as they need.
    const isOfWords =
      !/\d/.test(value) && !others.every((one) => /\d/.test(one.value)) && wordCount(value) !== wordCount(first?.value);
    if (agreed > 0.8) add('format', (isOfWords ? 0.3 : 0.95) * agreed, first?.value);
  }
  if (others.every((one) => one.value !== value)) addCategory(others, add);
}

const wordCount = (value = ''): number => value.split(' ').length;

/** Where there are few different ones. */
function addCategory(others: Others, add: Add): void {
  const distinct = new Set<string>();
  const most = Math.max(1, others.length / 3);
  if (!others.every(({ value }) => distinct.add(value).size <= most)) return;
  add('category', distinct.size === 1 ? 0.4 : 0.25, [...distinct].slice(0, 3).join(', '));
}

export const GARBLED = /\ufffd|[\u00c2\u00c3][\u0080-\u00bf]|\u00e2\u20ac|%[0-9A-F]{2}|&(?:amp|lt|gt|quot|#\d+);/;

/** Characters of a wrong encoding, where there were none. */
export const becameGarbled = (before: string, after: string): boolean => GARBLED.test(after) && !GARBLED.test(before);

/** A time or an amount may well appear twice. */
const AMOUNT = /^[+-]?[\d., ]+%?$|^\d+:\d\d|^\d{4}[-/.]\d\d[-/.]\d\d|^\d\d?[-/.]\d\d?[-/.]\d{2,4}/;

/** So many that are all unique are names, however different they look. */
const MANY_IDS = 6;

/** One word with a digit. */
const IDLIKE = /^(?=\D*\d)\S+$/;

/** What is told apart from others of its kind by this text. */
export const isLikeId = (value: string): boolean => IDLIKE.test(value) && !AMOUNT.test(value);

function addTwice(leaf: Leaf, others: Others, add: Add): void {
  if (others.length < 4 || !isLikeId(leaf.value)) return;
  if (others.every(({ value }) => value !== leaf.value)) return;
  if (others.length < MANY_IDS && others.share(({ shape }) => shape === leaf.shape) < 0.8) return;
  if (new Set(others.map(({ value }) => value)).size === others.length) add('twice', 1.2, leaf.value);
}

export const SENTENCE_END = /[.!?…"')\]”’»。！？]$/;

function addProse(value: string, others: Others, add: Add): void {
  if (!SENTENCE_END.test(value) && others.share((one) => SENTENCE_END.test(one.value)) > 0.85) add('cut', 0.95);
  let shortest = Infinity;
  others.every((one) => (shortest = Math.min(shortest, one.value.length)) >= 0);
  if (value.length < shortest * 0.4) add('length', 0.5);
}
