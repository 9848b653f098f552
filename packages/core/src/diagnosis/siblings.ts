import type { JsonNode } from '../json/node.ts';
import type { Place, Survey } from './places.ts';
import { decimalsOf, isProse, leafOf, shapeOf, type Leaf } from './values.ts';

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
  const { collection, path } = place;
  if (collection === undefined) return [];
  const own = path[collection];
  const rest = path.slice(collection + 1);
  const holder = survey.node(path.slice(0, collection));
  const found: Leaf[] = [];
  for (const { name, node } of survey.entries(holder)) {
    if (name === own) continue;
    const leaf = below(survey, node, rest);
    if (leaf) found.push(leaf);
    if (found.length >= MOST) break;
  }
  return found.length >= 2 ? found : [...found, ...cousins(survey, place)];
}

function below(survey: Survey, entry: JsonNode, rest: readonly (string | number)[]): Leaf | undefined {
  let node: JsonNode | undefined = entry;
  for (const step of rest) {
    if (node?.kind === 'object') node = node.members.find(({ key }) => key === step)?.value;
    else if (node?.kind === 'array' && typeof step === 'number') node = node.items[step];
    else return undefined;
  }
  return node && leafOf(survey.document, node);
}

/** Where a list inside an entry is short: the same field of all lists of its kind. */
function cousins(survey: Survey, { path, slots, collection = 0 }: Place): Leaf[] {
  const outer = slots.lastIndexOf('*', collection - 1);
  if (outer < 0 || collection === 0) return [];
  const found: Leaf[] = [];
  const rest = path.slice(collection + 1);
  for (const { name, node } of survey.entries(survey.node(path.slice(0, outer)))) {
    if (name === path[outer]) continue;
    const list = path.slice(outer + 1, collection).reduce<JsonNode | undefined>(memberAt, node);
    for (const entry of survey.entries(list)) {
      const leaf = below(survey, entry.node, rest);
      if (leaf) found.push(leaf);
    }
    if (found.length >= MOST) break;
  }
  return found;
}

function memberAt(node: JsonNode | undefined, step: string | number): JsonNode | undefined {
  return node?.kind === 'object' ? node.members.find(({ key }) => key === step)?.value : undefined;
}

/** A field that no other entry has, in the place of one that all others have. */
export function oddKey(
  survey: Survey,
  { path, collection }: Place,
): { readonly usual: string; readonly of: number } | undefined {
  if (collection === undefined || path.length !== collection + 2) return undefined;
  const [own, field] = path.slice(collection);
  const entries = survey.entries(survey.node(path.slice(0, collection)));
  const others = entries.filter(({ name, node }) => name !== own && node.kind === 'object').slice(0, MOST);
  if (typeof field !== 'string' || others.length < 3) return undefined;
  if (others.some(({ node }) => hasKey(node, field))) return undefined;
  const entry = entries.find(({ name }) => name === own)?.node;
  const [first] = others;
  const missing = first?.node.kind === 'object' ? first.node.members.map(({ key }) => key) : [];
  const usual = missing.find(
    (key) => entry !== undefined && !hasKey(entry, key) && others.every(({ node }) => hasKey(node, key)),
  );
  return usual === undefined ? undefined : { usual, of: others.length };
}

const hasKey = (node: JsonNode, field: string): boolean =>
  node.kind === 'object' && node.members.some(({ key }) => key === field);

/** How far `leaf` is unlike `others`, in every way that shows. */
export function odditiesOf(leaf: Leaf, others: readonly Leaf[]): Oddity[] {
  if (others.length < 2) return [];
  const trust = others.length / (others.length + 1.5);
  const found: Oddity[] = [];
  const add = (why: Oddity['why'], strength: number, usual?: string): void => {
    if (strength > 0.05)
      found.push({ why, strength: strength * trust, of: others.length, ...(usual === undefined ? {} : { usual }) });
  };
  const kinds = others.filter(({ kind }) => kind === leaf.kind).length;
  if (kinds === 0 && isAll(others, ({ kind }) => kind === others[0]?.kind)) {
    add(leaf.kind === 'null' || leaf.kind === 'empty' ? 'missing' : 'type', 0.9, others[0]?.kind);
    return found;
  }
  if (kinds < others.length * 0.7) return found;
  const alike = others.filter(({ kind }) => kind === leaf.kind);
  if (leaf.kind === 'number') addNumber(leaf, alike, add);
  if (leaf.kind === 'string') addString(leaf, alike, add);
  if (leaf.kind === 'boolean' && alike.length >= 3 && isAll(alike, ({ value }) => value !== leaf.value))
    add('category', 0.45);
  return found;
}

type Add = (why: Oddity['why'], strength: number, usual?: string) => void;

const isAll = (leaves: readonly Leaf[], test: (leaf: Leaf) => boolean): boolean => leaves.every(test);
const share = (leaves: readonly Leaf[], test: (leaf: Leaf) => boolean): number =>
  leaves.length === 0 ? 0 : leaves.filter(test).length / leaves.length;

function addNumber(leaf: Leaf, others: readonly Leaf[], add: Add): void {
  const value = leaf.number ?? 0;
  const numbers = others.flatMap(({ number }) => number ?? []);
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

/** On a scale of powers of ten, against the spread of the others. */
function addSize(value: number, numbers: readonly number[], add: Add): void {
  const sizes = numbers
    .filter((one) => one !== 0)
    .map((one) => Math.log10(Math.abs(one)))
    .toSorted((a, b) => a - b);
  if (sizes.length < 2) return;
  const size = Math.log10(Math.abs(value));
  const [least = 0, most = 0] = [sizes[0], sizes.at(-1)];
  const beyond = Math.max(least - size, size - most);
  const middle = sizes[Math.floor(sizes.length / 2)] ?? 0;
  const spread = Math.max(0.1, median(sizes.map((one) => Math.abs(one - middle))) * 1.48);
  if (beyond < 0.25) return;
  const far = Math.min(1, 0.25 + beyond / 2);
  add('size', far * Math.min(1, Math.abs(size - middle) / spread / 5), `${10 ** least} to ${10 ** most}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function addDecimals(leaf: Leaf, others: readonly Leaf[], add: Add): void {
  if (others.length < 3) return;
  const own = decimalsOf(leaf.text);
  const all = others.map(({ text }) => decimalsOf(text));
  if (own - Math.max(...all) >= 2) add('decimals', 0.4);
  if (own === 0 && all.filter((one) => one > 0).length >= all.length * 0.9) add('decimals', 0.3);
}

function addString(leaf: Leaf, others: readonly Leaf[], add: Add): void {
  const { value } = leaf;
  if (value.trim() === '') {
    if (isAll(others, (one) => one.value.trim() !== '')) add('empty', 0.85);
    return;
  }
  if (GARBLED.test(value) && share(others, (one) => !GARBLED.test(one.value)) > 0.9) add('garbled', 0.85);
  if (isProse(value) || share(others, (one) => isProse(one.value)) > 0.5) return addProse(value, others, add);
  const distinct = new Set(others.map((one) => one.value));
  if (distinct.size === others.length) addTwice(leaf, others, add);
  if (others.length < 3) return;
  const shape = shapeOf(value);
  const isUsual = share(others, (one) => shapeOf(one.value) === shape);
  if (isUsual === 0) {
    const [first] = others;
    const usual = first && shapeOf(first.value);
    const agreed = share(others, (one) => shapeOf(one.value) === usual);
    if (agreed > 0.8) add('format', 0.95 * agreed, first?.value);
  }
  if (!distinct.has(value) && distinct.size <= Math.max(1, others.length / 3)) {
    add('category', distinct.size === 1 ? 0.4 : 0.25, [...distinct].slice(0, 3).join(', '));
  }
}

const GARBLED = /\ufffd|[\u00c2\u00c3][\u0080-\u00bf]|\u00e2\u20ac/;

/** A time or an amount may well appear twice. */
const AMOUNT = /^[\d.,:/ -]+$|^\d{4}-\d\d-\d\d/;

function addTwice(leaf: Leaf, others: readonly Leaf[], add: Add): void {
  if (others.length < 4 || !/\d/.test(leaf.value) || AMOUNT.test(leaf.value)) return;
  if (new Set(others.map(({ value }) => value)).size < others.length) return;
  if (share(others, ({ value }) => shapeOf(value) === shapeOf(leaf.value)) < 0.8) return;
  if (others.some(({ value }) => value === leaf.value)) add('twice', 0.85, leaf.value);
}

const ENDS = /[.!?…"')\]]$/;

function addProse(value: string, others: readonly Leaf[], add: Add): void {
  if (others.length < 3) return;
  const lengths = others.map((one) => one.value.length);
  if (!ENDS.test(value) && share(others, (one) => ENDS.test(one.value)) > 0.85) add('cut', 0.95);
  if (value.length < Math.min(...lengths) * 0.4) add('length', 0.5);
}
