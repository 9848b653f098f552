import type { Document } from '../diff/document.ts';
import type { JsonArray, JsonNode, JsonObject } from '../json/node.ts';
import { memberOf } from '../json/node.ts';
import type { Path } from '../json/path.ts';
import { Place } from './place.ts';
import { Leaf, leafOf, shapeOf } from './values.ts';

/** What the states of one run have in common: most of their places and values are the same, and are made once. */
export class Shared {
  readonly root = new Place();
  readonly leaves = new Map<string, Leaf>();
  readonly rows = new Map<string, Cells>();
}

/** The fields of an entry that hold plain values. */
export type Cells = ReadonlyMap<string, Leaf>;

/** The same field of all entries of a list or a map; absent where an entry has none. */
export interface Column {
  readonly names: readonly (string | number)[];
  readonly leaves: readonly (Leaf | undefined)[];
}

type Members = readonly { readonly name: string | number; readonly node: JsonNode }[];

const NONE: Members = [];
/** Longer texts seldom come again. */
const MOST_SHARED = 120;
const MOST_SHARED_ROW = 2_000;
const MOST_KEPT = 50_000;

/** What was found out about one state, so that it is found out once. */
export class Survey {
  readonly document: Document;
  readonly #shared: Shared;
  readonly #alike = new Map<JsonObject, boolean>();
  readonly #names = new Map<JsonArray, readonly (string | undefined)[]>();
  readonly #members = new Map<JsonNode, Members>();
  readonly #nodes = new Map<Place, JsonNode | undefined>();
  readonly #cells = new Map<JsonObject, Cells>();
  readonly #columns = new Map<JsonNode, Map<string, Column>>();
  /** The way to the place that was asked for last: the next one is mostly near. */
  #way: Place[] = [];

  constructor(document: Document, shared: Shared = new Shared()) {
    this.document = document;
    this.#shared = shared;
    this.#nodes.set(shared.root, document.root);
  }

  /** @param path of a value in this state */
  place(path: Path): Place {
    const way = this.#way;
    let depth = 0;
    while (depth < way.length && depth < path.length && way[depth]?.step === path[depth]) depth++;
    way.length = depth;
    let place = way[depth - 1] ?? this.#shared.root;
    for (const step of depth === 0 ? path : path.slice(depth)) {
      place = this.below(place, this.at(place), step);
      way.push(place);
    }
    return place;
  }

  /** The place one step below `holder`, whose node this is. */
  below(holder: Place, node: JsonNode | undefined, step: string | number): Place {
    if (typeof step === 'string') return holder.below(step, node?.kind === 'object' && this.isMap(node), undefined);
    return holder.below(step, true, node?.kind === 'array' ? this.#namesOf(node)[step] : undefined);
  }

  /** The node at a place of this state. */
  at(place: Place): JsonNode | undefined {
    if (place.parent === undefined) return this.document.root;
    const known = this.#nodes.get(place);
    if (known !== undefined) return known;
    const above = this.at(place.parent);
    const node = above && childOf(above, place.step);
    this.#nodes.set(place, node);
    return node;
  }

  node(path: Path): JsonNode | undefined {
    let node: JsonNode | undefined = this.document.root;
    for (const step of path) node = node && childOf(node, step);
    return node;
  }

  /** As `leafOf`. */
  leaf(node: JsonNode): Leaf | undefined {
    if (node.kind === 'object' || node.kind === 'array') return leafOf(this.document, node);
    const length = node.end - node.start;
    if (length > MOST_SHARED) return leafOf(this.document, node);
    const { leaves } = this.#shared;
    const text = this.document.source(node);
    const known = leaves.get(text);
    if (known) return known;
    const made = leafOf(this.document, node);
    if (leaves.size >= MOST_KEPT) leaves.clear();
    if (made) leaves.set(text, made);
    return made;
  }

  /** The plain values of an entry. */
  cells(node: JsonObject): Cells {
    const known = this.#cells.get(node);
    if (known) return known;
    const cells = this.#sharedCells(node);
    this.#cells.set(node, cells);
    return cells;
  }

  #sharedCells(node: JsonObject): Cells {
    if (!isShort(node)) return this.#readCells(node);
    const { rows } = this.#shared;
    const text = this.document.source(node);
    const known = rows.get(text);
    if (known) return known;
    const made = this.#readCells(node);
    if (rows.size >= MOST_KEPT) rows.clear();
    rows.set(text, made);
    return made;
  }

  #readCells({ members }: JsonObject): Cells {
    const cells = new Map<string, Leaf>();
    for (const { key, value } of members) {
      const leaf = this.leaf(value);
      if (leaf) cells.set(key, leaf);
    }
    return cells;
  }

  /** The node whose `Place.keys` these are. */
  find(keys: readonly string[]): JsonNode | undefined {
    let node: JsonNode | undefined = this.document.root;
    for (const step of keys) {
      if (node?.kind === 'object') node = memberOf(node, step)?.value;
      else if (node?.kind === 'array') node = this.#entry(node, step);
      else return undefined;
    }
    return node;
  }

  /** The path of such keys in this state, as far as its entries are there; a last field may be missing. */
  pathOf(keys: readonly string[]): (string | number)[] | undefined {
    const path: (string | number)[] = [];
    let node: JsonNode | undefined = this.document.root;
    for (const key of keys) {
      if (node?.kind === 'array') {
        const index: number = key.startsWith('=') ? this.#namesOf(node).indexOf(key.slice(1)) : Number(key);
        if (!(index >= 0 && index < node.items.length)) return undefined;
        path.push(index);
        node = node.items[index];
      } else {
        if (node?.kind !== 'object') return undefined;
        path.push(key);
        node = memberOf(node, key)?.value;
      }
    }
    return path;
  }

  #entry(list: JsonArray, step: string): JsonNode | undefined {
    if (!step.startsWith('=')) return list.items[Number(step)];
    return list.items[this.#namesOf(list).indexOf(step.slice(1))];
  }

  /** The same field of all entries, read once: each of them is compared with all others. */
  column(holder: JsonNode, rest: Path, field: string = rest.join('\n')): Column {
    const columns = this.#columns.get(holder) ?? new Map<string, Column>();
    const known = columns.get(field);
    if (known) return known;
    this.#columns.set(holder, columns);
    const entries = this.entries(holder);
    const column = {
      names: entries.map(({ name }) => name),
      leaves: entries.map(({ node }) => this.#cellOf(node, rest)),
    };
    columns.set(field, column);
    return column;
  }

  #cellOf(entry: JsonNode, rest: Path): Leaf | undefined {
    const [first] = rest;
    if (rest.length === 1 && typeof first === 'string' && entry.kind === 'object' && isShort(entry)) {
      const leaf = this.cells(entry).get(first);
      // Of a key that is there twice the last one counts, which may be a list.
      if (leaf === undefined || !hasDuplicate(entry)) return leaf;
    }
    let at: JsonNode | undefined = entry;
    for (const step of rest) at = at && childOf(at, step);
    return at && this.leaf(at);
  }

  /** Entries of a list or of a map; other objects have none. */
  entries(node: JsonNode | undefined): Members {
    if (node?.kind !== 'array' && node?.kind !== 'object') return NONE;
    const known = this.#members.get(node);
    if (known) return known;
    const members =
      node.kind === 'array'
        ? node.items.map((item, index) => ({ name: index, node: item }))
        : node.members.map(({ key, value }) => ({ name: key, node: value }));
    this.#members.set(node, members);
    return members;
  }

  /** An object whose members are entries of one kind rather than fields. */
  isMap(node: JsonObject): boolean {
    const known = this.#alike.get(node);
    if (known !== undefined) return known;
    const alike = this.#areAlike(node);
    this.#alike.set(node, alike);
    return alike;
  }

  #areAlike({ members }: JsonObject): boolean {
    const first = members[0]?.value;
    if (first === undefined || members.length < 2) return false;
    for (const { value } of members) if (value.kind !== first.kind) return false;
    if (first.kind === 'array') return members.length > 2;
    if (first.kind === 'object') {
      const keys = new Set(first.members.map(({ key }) => key));
      return members.every(({ value }, at) => at === 0 || (value.kind === 'object' && sharesHalf(keys, value)));
    }
    if (members.length < 3) return false;
    if (first.kind === 'number') return true;
    if (first.kind !== 'string') return false;
    const shape = shapeOf(members[0]?.key ?? '');
    return members.every(({ key }) => shapeOf(key) === shape) || this.#areCodes(members.map(({ value }) => value));
  }

  /** Nearly all are spelled alike, with digits: versions, dates, numbers of orders. */
  #areCodes(values: readonly JsonNode[]): boolean {
    if (values.length < 4) return false;
    const counts = new Map<string, number>();
    for (const value of values) {
      const shape = this.leaf(value)?.shape ?? shapeOf('');
      counts.set(shape, (counts.get(shape) ?? 0) + 1);
    }
    return [...counts].some(([shape, count]) => shape.includes('9') && count >= values.length * 0.8);
  }

  #namesOf(list: JsonArray): readonly (string | undefined)[] {
    const known = this.#names.get(list);
    if (known) return known;
    const names = this.#nameEntries(list);
    this.#names.set(list, names);
    return names;
  }

  /** By the first field that tells all entries apart. */
  #nameEntries({ items }: JsonArray): readonly (string | undefined)[] {
    const first = items[0];
    if (first?.kind === 'string' && items.every(({ kind }) => kind === 'string')) return [];
    if (first?.kind !== 'object') return [];
    for (const { key } of first.members) {
      const names = this.#namesBy(key, items);
      if (names) return names;
    }
    return [];
  }

  /** Of all entries, if each has a name of its own there. */
  #namesBy(key: string, items: readonly JsonNode[]): readonly string[] | undefined {
    const names = new Set<string>();
    for (const item of items) {
      const name = nameOf(this.#cellOf(item, [key]));
      if (name === undefined || names.has(name)) return undefined;
      names.add(name);
    }
    return [...names];
  }
}

function nameOf(leaf: Leaf | undefined): string | undefined {
  if (leaf === undefined || leaf.value.length === 0 || leaf.value.length > 64) return undefined;
  if (leaf.kind === 'string') return leaf.value;
  return leaf.kind === 'number' && /^\d+$/.test(leaf.text) ? leaf.text : undefined;
}

function sharesHalf(keys: ReadonlySet<string>, { members }: JsonObject): boolean {
  const shared = members.filter(({ key }) => keys.has(key)).length;
  return shared * 2 >= Math.max(keys.size, members.length) && shared > 0;
}

const isShort = ({ start, end }: JsonNode): boolean => end - start <= MOST_SHARED_ROW;

const hasDuplicate = ({ members }: JsonObject): boolean => members.some(({ duplicate }) => duplicate === true);

function childOf(node: JsonNode, step: string | number): JsonNode | undefined {
  if (node.kind === 'object' && typeof step === 'string') return memberOf(node, step)?.value;
  if (node.kind === 'array' && typeof step === 'number') return node.items[step];
  return undefined;
}
