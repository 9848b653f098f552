import type { Leaf } from './leaf.ts';
import { ANY, type Place } from './place.ts';
import type { Survey } from './places.ts';
import { childOf, isContainer, type Node, type ObjectNode } from './tree.ts';
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
    | 'cut'
    | 'length'
    | 'garbled'
    | 'holder'
    | 'category'
    | 'key';
  readonly strength: number;
  /** How many siblings say so. */
  readonly of: number;
  /** What they have. */
  readonly usual?: string;
}

/** Values that are looked at of a long list. */
const MOST = 300;

/** The same field of the entries beside it, this one left out. */
export function siblingsOf(survey: Survey, place: Place): Leaf[] {
  const { collection, holder: list, path } = place;
  if (collection === undefined || list === undefined) return [];
  const own = path[collection];
  const holder = survey.at(list);
  const found: Leaf[] = [];
  if (isContainer(holder)) {
    const leaves = holder.column(path.slice(collection + 1), place.rest);
    for (let at = 0; at < leaves.length && found.length < MOST; at++) {
      const leaf = leaves[at];
      if (leaf !== undefined && holder.nameAt(at) !== own) found.push(leaf);
    }
  }
  return found.length >= 2 ? found : [...found, ...cousins(survey, place)];
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
    if (value === undefined) continue;
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
export function odditiesOf(leaf: Leaf, others: readonly Leaf[]): Oddity[] {
  if (others.length < 2) return [];
  const trust = others.length ** 2 / (others.length ** 2 + TRUST);
  const found: Oddity[] = [];
  const add = (why: Oddity['why'], strength: number, usual?: string): void => {
    if (strength > 0.05)
      found.push({ why, strength: strength * trust, of: others.length, ...(usual === undefined ? {} : { usual }) });
  };
  const kinds = count(others, ({ kind }) => kind === leaf.kind);
  if (kinds === 0 && isAll(others, ({ kind }) => kind === others[0]?.kind)) {
    // One of them is the first to get a value.
    const isFirst = others[0]?.kind === 'null' || others[0]?.kind === 'empty';
    add(leaf.kind === 'null' || leaf.kind === 'empty' ? 'missing' : 'type', isFirst ? 0.3 : 0.9, others[0]?.kind);
    return found;
  }
  if (kinds < others.length * 0.7) return found;
  const alike = kinds === others.length ? others : others.filter(({ kind }) => kind === leaf.kind);
  if (leaf.kind === 'number') addNumber(leaf, alike, add);
  if (leaf.kind === 'string') addString(leaf, alike, add);
  if (leaf.kind === 'boolean' && alike.length >= 3 && isAll(alike, ({ value }) => value !== leaf.value))
    add('category', 0.45);
  return found;
}

type Add = (why: Oddity['why'], strength: number, usual?: string) => void;

const isAll = (leaves: readonly Leaf[], test: (leaf: Leaf) => boolean): boolean => leaves.every(test);
const share = (leaves: readonly Leaf[], test: (leaf: Leaf) => boolean): number =>
  leaves.length === 0 ? 0 : count(leaves, test) / leaves.length;

function count(leaves: readonly Leaf[], test: (leaf: Leaf) => boolean): number {
  let found = 0;
  for (const leaf of leaves) if (test(leaf)) found += 1;
  return found;
}

function addNumber(leaf: Leaf, others: readonly Leaf[], add: Add): void {
  const value = leaf.number ?? 0;
  const numbers: number[] = [];
  for (const { number } of others) if (number !== undefined) numbers.push(number);
  if (numbers.length < 2) return;
  if (
    value !== 0 &&
    numbers.every((one) => Math.sign(one) === -Math.sign(value) || one === 0) &&
    numbers.some((one) => one !== 0)
  ) {
    add('sign', 0.9, value < 0 ? 'positive' : 'negative');
  }
  if (value === 0 && numbers.every((one) => one !== 0)) add('zero', 0.7);
  if (value !== 0) addSize(value, numbers, add);
  if ((value > 1 || value < 0) && numbers.length >= 4 && numbers.every(isShare) && !numbers.every(Number.isInteger)) {
    add('size', 0.8, '0 to 1');
  }
  addDecimals(leaf, others, add);
}

const isShare = (one: number): boolean => one >= 0 && one <= 1;

/** Surely not far from the others: seen without sorting them. */
function isAmong(value: number, numbers: readonly number[]): boolean {
  let least = Infinity;
  let most = 0;
  for (const one of numbers) {
    if (one === 0) continue;
    const size = Math.abs(one);
    if (size < least) least = size;
    if (size > most) most = size;
  }
  const size = Math.abs(value);
  return size * 1.7 > least && size < most * 1.7;
}

/** On a scale of powers of ten, against the spread of the others. */
function addSize(value: number, numbers: readonly number[], add: Add): void {
  if (isAmong(value, numbers)) return;
  const sizes = numbers
    .filter((one) => one !== 0)
    .map((one) => Math.log10(Math.abs(one)))
    .toSorted((a, b) => a - b);
  if (sizes.length < 2) return;
  const size = Math.log10(Math.abs(value));
  const [least = 0, most = 0] = [sizes[0], sizes.at(-1)];
  const beyond = Math.max(least - size, size - most);
  const middle = sizes[Math.floor(sizes.length / 2)] ?? 0;
  const own = median(sizes.map((one) => Math.abs(one - middle))) * 1.48;
  const spread = Math.max(0.1, own);
  const isTight = sizes.length >= 6 && beyond > 0.05 && beyond > 6 * own;
  if (beyond < 0.25 && !isTight) return;
  const far = isTight ? Math.min(1, 0.6 + beyond / 2) : Math.min(1, 0.25 + beyond / 2);
  if (isTight) return add('size', far, `${10 ** least} to ${10 ** most}`);
  add('size', far * Math.min(1, Math.abs(size - middle) / spread / 5), `${10 ** least} to ${10 ** most}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function addDecimals(leaf: Leaf, others: readonly Leaf[], add: Add): void {
  if (others.length < 3) return;
  const own = decimalsOf(leaf.value);
  if (own >= 2 && isAll(others, ({ value }) => own - decimalsOf(value) >= 2)) add('decimals', 0.4);
  if (own === 0 && count(others, ({ value }) => decimalsOf(value) > 0) >= others.length * 0.9) {
    const fewest = Math.min(...others.map(({ value }) => decimalsOf(value)));
    add('decimals', Math.min(0.8, Math.max(0.3, 0.2 * fewest)));
  }
}

function addString(leaf: Leaf, others: readonly Leaf[], add: Add): void {
  const { value } = leaf;
  if (value.trim() === '') {
    if (isAll(others, (one) => one.value.trim() !== '')) add('empty', 0.85);
    return;
  }
  if (GARBLED.test(value) && share(others, (one) => !GARBLED.test(one.value)) > 0.9) add('garbled', 0.85);
  if (leaf.isProse || share(others, (one) => one.isProse) > 0.5) return addProse(value, others, add);
  addTwice(leaf, others, add);
  if (others.length < 3) return;
  if (isAll(others, ({ shape }) => shape !== leaf.shape)) {
    const [first] = others;
    const agreed = share(others, ({ shape }) => shape === first?.shape);
    if (agreed > 0.8) add('format', 0.95 * agreed, first?.value);
  }
  if (isAll(others, (one) => one.value !== value)) addCategory(others, add);
}

/** Where there are few different ones. */
function addCategory(others: readonly Leaf[], add: Add): void {
  const distinct = new Set<string>();
  const most = Math.max(1, others.length / 3);
  for (const { value } of others) if (distinct.add(value).size > most) return;
  add('category', distinct.size === 1 ? 0.4 : 0.25, [...distinct].slice(0, 3).join(', '));
}

const GARBLED = /\ufffd|[\u00c2\u00c3][\u0080-\u00bf]|\u00e2\u20ac|%[0-9A-F]{2}|&(?:amp|lt|gt|quot|#\d+);/;

/** Characters of a wrong encoding, where there were none. */
export const becameGarbled = (before: string, after: string): boolean => GARBLED.test(after) && !GARBLED.test(before);

/** A time or an amount may well appear twice. */
const AMOUNT = /^[+-]?[\d., ]+%?$|^\d+:\d\d|^\d{4}[-/.]\d\d[-/.]\d\d|^\d\d?[-/.]\d\d?[-/.]\d{2,4}/;

/** One word with a digit. */
const IDLIKE = /^(?=\D*\d)\S+$/;

function addTwice(leaf: Leaf, others: readonly Leaf[], add: Add): void {
  if (others.length < 4 || !IDLIKE.test(leaf.value) || AMOUNT.test(leaf.value)) return;
  if (isAll(others, ({ value }) => value !== leaf.value)) return;
  if (share(others, ({ shape }) => shape === leaf.shape) < 0.8) return;
  if (new Set(others.map(({ value }) => value)).size === others.length) add('twice', 1.2, leaf.value);
}

const ENDS = /[.!?…"')\]]$/;

function addProse(value: string, others: readonly Leaf[], add: Add): void {
  const lengths = others.map((one) => one.value.length);
  if (!ENDS.test(value) && share(others, (one) => ENDS.test(one.value)) > 0.85) add('cut', 0.95);
  if (value.length < Math.min(...lengths) * 0.4) add('length', 0.5);
}
