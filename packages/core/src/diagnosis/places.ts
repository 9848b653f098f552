import type { Document } from '../diff/document.ts';
import type { JsonArray, JsonNode, JsonObject } from '../json/node.ts';
import { memberOf } from '../json/node.ts';
import type { Path } from '../json/path.ts';
import { leafOf, shapeOf, type Leaf } from './values.ts';

/** In a slot: any entry of a list, or of a map of entries that are alike. */
const ANY = '*';

/** Where a value is, told in three ways. */
export interface Place {
  readonly path: Path;
  /** The steps of the same field of every entry: `items`, `*`, `price`. */
  readonly slots: readonly string[];
  /** The steps of this entry's field, by the name of the entry where it has one: they outlive a move. */
  readonly keys: readonly string[];
  /** Both as one text. */
  readonly slot: string;
  readonly key: string;
  /** What the entries on the way are called: ids, names, keys of maps. */
  readonly names: readonly string[];
  /** How many steps of the path lead to the innermost list or map. */
  readonly collection?: number;
}

const ROOT: Place = { path: [], slots: [], keys: [], slot: '', key: '', names: [] };

/** Places by the place above them. */
export type Places = Map<Place, Map<string, Place>>;

type Members = readonly { readonly name: string | number; readonly node: JsonNode }[];

/** What was found out about one state, so that it is found out once. */
export class Survey {
  readonly document: Document;
  readonly #alike = new Map<JsonObject, boolean>();
  readonly #names = new Map<JsonArray, readonly (string | undefined)[]>();
  readonly #known: Places;

  /** @param known places of the states before: most are the same, and are made once */
  constructor(document: Document, known: Places = new Map()) {
    this.document = document;
    this.#known = known;
  }

  /** @param path of a value in this state */
  place(path: Path): Place {
    let place = ROOT;
    let node: JsonNode | undefined = this.document.root;
    for (const step of path) {
      place = this.below(place, node, step);
      node = node && childOf(node, step);
    }
    return place;
  }

  /** The place one step below `holder`, whose node this is. */
  below(holder: Place, node: JsonNode | undefined, step: string | number): Place {
    const isEntry = typeof step === 'number' || (node?.kind === 'object' && this.isMap(node));
    const slot = isEntry ? ANY : step;
    const name = typeof step === 'number' ? this.#nameAt(node, step) : undefined;
    const key = name === undefined ? String(step) : `=${name}`;
    const members = this.#known.get(holder) ?? new Map<string, Place>();
    this.#known.set(holder, members);
    const id = `${isEntry ? ANY : ''}${step}\n${name ?? ''}`;
    const known = members.get(id);
    if (known) return known;
    const own = name ?? (isEntry && typeof step === 'string' ? step : undefined);
    const made: Place = {
      path: [...holder.path, step],
      slots: [...holder.slots, slot],
      keys: [...holder.keys, key],
      slot: `${holder.slot}\n${slot}`,
      key: `${holder.key}\n${key}`,
      names: own === undefined ? holder.names : [...holder.names, own],
      ...(isEntry
        ? { collection: holder.path.length }
        : holder.collection === undefined
          ? {}
          : { collection: holder.collection }),
    };
    members.set(id, made);
    return made;
  }

  node(path: Path): JsonNode | undefined {
    let node: JsonNode | undefined = this.document.root;
    for (const step of path) node = node && childOf(node, step);
    return node;
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

  /** Entries of a list or of a map; other objects have none. */
  entries(node: JsonNode | undefined): Members {
    if (node?.kind === 'array') return node.items.map((item, index) => ({ name: index, node: item }));
    if (node?.kind !== 'object') return [];
    return node.members.map(({ key, value }) => ({ name: key, node: value }));
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
    const [first, ...rest] = members.map(({ value }) => value);
    if (first === undefined || rest.length === 0) return false;
    if (rest.some(({ kind }) => kind !== first.kind)) return false;
    if (first.kind === 'array') return rest.length >= 2;
    if (first.kind === 'object') {
      const keys = new Set(first.members.map(({ key }) => key));
      return rest.every((one) => one.kind === 'object' && sharesHalf(keys, one));
    }
    if (rest.length < 2) return false;
    if (first.kind === 'number') return true;
    const shapes = new Set(members.map(({ key }) => shapeOf(key)));
    return shapes.size === 1 && first.kind === 'string';
  }

  #nameAt(list: JsonNode | undefined, index: number): string | undefined {
    return list?.kind === 'array' ? this.#namesOf(list)[index] : undefined;
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
      const found = items.map((item) => {
        const value = item.kind === 'object' ? memberOf(item, key)?.value : undefined;
        return value && nameOf(leafOf(this.document, value));
      });
      const named = found.filter((name) => name !== undefined);
      if (named.length === items.length && new Set(named).size === items.length) return found;
    }
    return [];
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

function childOf(node: JsonNode, step: string | number): JsonNode | undefined {
  if (node.kind === 'object' && typeof step === 'string') return memberOf(node, step)?.value;
  if (node.kind === 'array' && typeof step === 'number') return node.items[step];
  return undefined;
}
