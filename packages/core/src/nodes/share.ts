import { cut, markOf, sharedEnds, type Entries } from './cut.ts';
import { Front } from './front.ts';
import { Members, NotPlain, plainValue, refusal, stateText, valuesOf } from './input.ts';
import {
  bytesOf,
  frameBytes,
  inlineWeight,
  isSame,
  keyWeight,
  measured,
  scalarBytes,
  scalarText,
  weightOf,
} from './measure.ts';
import { markOfHash, markOfValue, nodeOf, Pieces, write, writeEntries, writeFramed } from './pieces.ts';
import {
  Container,
  CUT_FROM,
  Exact,
  type FreshNode,
  type Group,
  type Hash,
  KIND,
  Long,
  LONG_TEXT,
  MAX_DEPTH,
  type NodeKind,
  OWN_NODE,
  REFERENCE,
  type SharedNode,
  type SharedState,
  type SharedValue,
} from './types.ts';

export interface ShareOptions {
  readonly hash: Hash;
  /** What the value is likely to have much in common with. */
  readonly before?: SharedState | undefined;
  /** The value and all in it never change: what is the same object as before is not looked into. */
  readonly immutable?: boolean | undefined;
}

export interface Shared {
  readonly state: SharedState;
  /** What has to be written; what a node refers to comes before it. */
  readonly fresh: readonly FreshNode[];
}

/**
 * A value cut into nodes, of which only those are new that the state before does not have. Values are those that
 * `toJsonText` takes, or those of `valuesOf`.
 * @throws InspectorError invalid_input for what JSON cannot hold
 * @example const { state, fresh } = share({ step: 2 }, { hash, before });
 */
export function share(value: unknown, options: ShareOptions): Shared {
  try {
    return shared(value, options);
  } catch (cause) {
    if (!(cause instanceof NotPlain)) throw refusal(cause);
  }
  return shared(valuesOf(stateText(value)), options);
}

function shared(value: unknown, { hash, before, immutable = false }: ShareOptions): Shared {
  const sharing = new Sharing(hash, immutable);
  return { state: sharing.state(toItem(value), before), fresh: sharing.fresh };
}

/** Absent for a member that is left out. */
const toInput = (value: unknown): unknown =>
  value instanceof Exact || value instanceof Members ? value : plainValue(value);

function toItem(value: unknown): unknown {
  if (value === undefined) throw new NotPlain();
  return toInput(value);
}

class Sharing {
  readonly fresh: FreshNode[] = [];
  readonly #hash: Hash;
  readonly #immutable: boolean;

  constructor(hash: Hash, immutable: boolean) {
    this.#hash = hash;
    this.#immutable = immutable;
  }

  state(input: unknown, before: SharedState | undefined): SharedState {
    const value = this.#value(input, before?.value, 0);
    if (before && value === before.value) return before;
    const node = nodeOf(value) ?? this.#node(KIND.value, write(new Pieces(), value));
    return { value, node, bytes: bytesOf(value) };
  }

  #value(input: unknown, old: SharedValue | undefined, depth: number): SharedValue {
    if (typeof input === 'string') return input.length < LONG_TEXT ? input : this.#long(input, old);
    if (input === null || typeof input === 'number' || typeof input === 'boolean') return input;
    if (input instanceof Exact) {
      if (input.source.length >= LONG_TEXT) return this.#long(input, old);
      return old instanceof Exact && old.source === input.source ? old : input;
    }
    if (typeof input !== 'object') throw new NotPlain();
    const was = old instanceof Container ? old : undefined;
    if (was && this.#isSource(input, was)) return was;
    // Only of an agent's own values: those of a text are `Exact` at this depth.
    if (depth > MAX_DEPTH) throw new NotPlain();
    if (Array.isArray(input)) return this.#array(input, was?.keys === undefined ? was : undefined, depth);
    return this.#object(input, was?.keys === undefined ? undefined : was, depth);
  }

  #long(value: string | Exact, old: SharedValue | undefined): Long {
    if (old instanceof Long && sameScalar(value, old.value)) return old;
    return new Long(value, scalarBytes(value), this.#node(KIND.value, new Pieces().text(scalarText(value))));
  }

  /** True where the value was made of this very object, which never changes. */
  #isSource(input: unknown, old: SharedValue | undefined): boolean {
    return this.#immutable && old instanceof Container && old.source !== undefined && isSame(old.source, input);
  }

  /** So that the next save does not look into what this one has found to be the same. */
  #sameAs(input: object, old: Container): Container {
    if (this.#immutable) old.source = input;
    return old;
  }

  #array(input: readonly unknown[], old: Container | undefined, depth: number): Container {
    const olds = old?.values ?? [];
    const most = Math.min(input.length, olds.length);
    let prefix = this.#sameObjects(input, old);
    const front = old?.front;
    while (
      prefix < most &&
      (front?.isSame(prefix, input[prefix]) || this.#sameItem(input, prefix, olds[prefix] ?? null, depth + 1))
    )
      prefix++;
    if (old && prefix === input.length && prefix === olds.length) return this.#sameAs(input, old);
    const shift = olds.length - input.length;
    let end = input.length;
    const least = prefix + Math.max(0, -shift);
    while (end > least && this.#sameItem(input, end - 1, olds[end - 1 + shift] ?? null, depth + 1)) end--;
    const spare = new Map<string, Container>();
    for (const value of olds.slice(prefix, end + shift)) {
      if (value instanceof Container && value.node) spare.set(value.node.hash, value);
    }
    // A new item most likely has the keys of the last one.
    const like = (nth: number): SharedValue | undefined => olds[prefix + nth] ?? olds.at(-1);
    // `map` would leave holes out.
    const middle = Array.from(input.slice(prefix, end), (item, nth) =>
      this.#known(spare, () => this.#value(toItem(item), like(nth), depth + 1)),
    );
    const values = olds.slice(0, prefix).concat(middle, olds.slice(end + shift));
    return this.#container({ values, keys: undefined, old, source: input, prefix, suffix: input.length - end });
  }

  /** How many items at the front are those that the array before was made of: none of them is looked into. */
  #sameObjects(input: readonly unknown[], old: Container | undefined): number {
    const source = this.#immutable ? old?.source : undefined;
    if (!Array.isArray(source)) return 0;
    const most = Math.min(input.length, source.length);
    let count = 0;
    while (count < most && isSame(input[count], source[count])) count++;
    return count;
  }

  /** What was made again though the array had it elsewhere. */
  #known(spare: ReadonlyMap<string, Container>, make: () => SharedValue): SharedValue {
    const { length } = this.fresh;
    const value = make();
    const had = value instanceof Container && value.node && spare.get(value.node.hash);
    if (!had) return value;
    this.fresh.length = length;
    return had;
  }

  #object(input: object, old: Container | undefined, depth: number): Container {
    const oldKeys = old?.keys ?? [];
    const { keys, values } = this.#members(input, old, depth + 1);
    const inPlace = keys.length === oldKeys.length && keys.every((key, at) => isSame(key, oldKeys[at]));
    const isOld = (at: number, before: number): boolean =>
      isSame(keys[at], oldKeys[before]) && isSame(values[at], old?.values[before]);
    const most = Math.min(keys.length, oldKeys.length);
    let prefix = 0;
    while (prefix < most && isOld(prefix, prefix)) prefix++;
    if (old && prefix === keys.length && prefix === oldKeys.length) return this.#sameAs(input, old);
    let suffix = 0;
    while (suffix < most - prefix && isOld(keys.length - 1 - suffix, oldKeys.length - 1 - suffix)) suffix++;
    return this.#container({ values, keys: inPlace ? oldKeys : keys, old, source: input, prefix, suffix });
  }

  /** What it writes, each beside the old value of its key. Most are the very strings and numbers of before. */
  #members(input: object, old: Container | undefined, depth: number): { keys: string[]; values: SharedValue[] } {
    const { keys: oldKeys = [], values: olds = [] } = old ?? {};
    const keys: string[] = [];
    const values: SharedValue[] = [];
    let places: ReadonlyMap<string, number> | undefined;
    const enter = (key: string, raw: unknown, isTold: boolean): void => {
      const at = keys.length;
      if (key !== oldKeys[at]) places ??= new Map(oldKeys.map((one, place) => [one, place]));
      const was = olds[key === oldKeys[at] ? at : (places?.get(key) ?? -1)];
      if (was !== undefined && isScalarOf(raw, was)) {
        keys.push(key);
        values.push(was);
        return;
      }
      const value = isTold ? raw : toInput(raw);
      if (value === undefined) return;
      keys.push(key);
      values.push(this.#value(value, was, depth));
    };
    if (input instanceof Members) for (const [at, key] of input.keys.entries()) enter(key, input.values[at], true);
    else for (const key of Object.keys(input)) enter(key, rawMemberOf(input, key), false);
    return { keys, values };
  }

  #container(made: {
    readonly values: readonly SharedValue[];
    readonly keys: readonly string[] | undefined;
    readonly old: Container | undefined;
    readonly source: object;
    readonly prefix: number;
    readonly suffix: number;
  }): Container {
    const { values, keys, old, prefix, suffix } = made;
    const { weight, entryBytes } = measured(made, old, prefix, suffix);
    const bytes = entryBytes + frameBytes(values.length);
    const source = this.#immutable ? made.source : undefined;
    const front = this.#immutable ? undefined : Front.of(made, old?.front, prefix);
    if (values.length >= CUT_FROM.entries && weight > CUT_FROM.weight) {
      const levels = this.#levels(made, old && { old, prefix, suffix });
      const kind = keys === undefined ? KIND.array : KIND.object;
      return new Container({
        values,
        keys,
        weight,
        bytes,
        source,
        front,
        levels,
        node: this.#list(kind, levels.at(-1) ?? []),
      });
    }
    const isOwn = inlineWeight(values.length, weight) > OWN_NODE;
    const node = isOwn ? this.#node(KIND.value, writeFramed(new Pieces(), made)) : undefined;
    return new Container({ values, keys, weight, bytes, source, front, levels: [], node });
  }

  #levels(
    { values, keys }: Pick<Container, 'values' | 'keys'>,
    before: { readonly old: Container; readonly prefix: number; readonly suffix: number } | undefined,
  ): Group[][] {
    const { old, prefix = 0, suffix = 0 } = before ?? {};
    const entries = this.#entries(values, keys, old);
    const lowest = old?.levels[0];
    const levels = [cut(entries, lowest && { length: old?.values.length ?? 0, groups: lowest, prefix, suffix })];
    for (;;) {
      const below = levels.at(-1) ?? [];
      if (below.length * REFERENCE <= CUT_FROM.weight) return levels;
      const was = old?.levels[levels.length - 1];
      levels.push(cut(this.#groups(below, was), sharedEnds(below, was, old?.levels[levels.length])));
    }
  }

  #entries(values: readonly SharedValue[], keys: readonly string[] | undefined, old: Container | undefined): Entries {
    const valueAt = (at: number): SharedValue => values[at] ?? null;
    return {
      length: values.length,
      weight: (at) => weightOf(valueAt(at)) + (keys === undefined ? 1 : keyWeight(keys[at] ?? '')),
      mark: (at) => (keys === undefined ? markOfValue(valueAt(at)) : markOf(keys[at] ?? '')),
      isOld: (at, before) => isSame(values[at], old?.values[before]) && isSame(keys?.[at], old?.keys?.[before]),
      make: (from, to) => {
        const pieces = writeEntries(new Pieces(), { values, keys }, from, to);
        return { node: this.#node(KIND.entries, pieces), length: to - from, count: to - from };
      },
    };
  }

  #groups(groups: readonly Group[], olds: readonly Group[] | undefined): Entries {
    return {
      length: groups.length,
      weight: () => REFERENCE,
      mark: (at) => markOfHash(groups[at]?.node.hash ?? '0'),
      isOld: (at, before) => isSame(groups[at], olds?.[before]),
      make: (from, to) => {
        const part = groups.slice(from, to);
        const count = part.reduce((sum, group) => sum + group.count, 0);
        return { node: this.#list(KIND.list, part), length: to - from, count };
      },
    };
  }

  #list(kind: NodeKind, groups: readonly Group[]): SharedNode {
    const pieces = new Pieces();
    for (const [at, { node, count }] of groups.entries())
      pieces
        .text(at === 0 ? '' : ' ')
        .node(node)
        .text(`:${count}`);
    return this.#node(kind, pieces);
  }

  #node(kind: NodeKind, written: Pieces): SharedNode {
    const contents = `${kind} ${written.contents()}`;
    const node = { id: 0, hash: this.#hash(contents) };
    this.fresh.push({ node, kind, pieces: written.end(contents.slice(2)) });
    return node;
  }

  #sameItem(input: readonly unknown[], at: number, old: SharedValue, depth: number): boolean {
    const raw = input[at];
    return isSame(raw, old) || this.#isSource(raw, old) || this.#same(toItem(raw), old, depth);
  }

  /** Whether `input` writes what `old` writes. Makes nothing, and stops at the first difference. */
  #same(input: unknown, old: SharedValue, depth: number): boolean {
    if (!(old instanceof Container)) return sameScalar(input, old instanceof Long ? old.value : old);
    if (this.#isSource(input, old)) return true;
    if (typeof input !== 'object' || input === null || input instanceof Exact || depth > MAX_DEPTH) return false;
    const isSame = Array.isArray(input)
      ? this.#sameItems(input, old, depth + 1)
      : this.#sameMembers(input, old, depth + 1);
    if (isSame) this.#sameAs(input, old);
    return isSame;
  }

  #sameItems(input: readonly unknown[], { keys, values }: Container, depth: number): boolean {
    if (keys !== undefined || values.length !== input.length) return false;
    for (let at = 0; at < values.length; at++) if (!this.#sameItem(input, at, values[at] ?? null, depth)) return false;
    return true;
  }

  #sameMembers(input: object, { keys, values }: Container, depth: number): boolean {
    if (keys === undefined) return false;
    const isOld = (at: number, key: string, value: unknown): boolean =>
      key === keys[at] && this.#same(value, values[at] ?? null, depth);
    if (input instanceof Members) {
      return input.keys.length === keys.length && input.keys.every((key, at) => isOld(at, key, input.values[at]));
    }
    let at = 0;
    for (const key in input) {
      if (!hasOwn.call(input, key)) continue;
      const own = rawMemberOf(input, key);
      // Most members are the very strings and numbers of before.
      if (isScalarOf(own, values[at]) && key === keys[at]) {
        at++;
        continue;
      }
      const value = toInput(own);
      if (value === undefined) continue;
      if (!isOld(at, key, value)) return false;
      at++;
    }
    return at === keys.length;
  }
}

const rawMemberOf = (input: object, key: string): unknown => (isRecord(input) ? input[key] : undefined);

/** True for the same string, number, boolean or null: nothing else of an agent's can be a value of ours. */
const isScalarOf = (own: unknown, old: SharedValue | undefined): boolean =>
  isSame(own, old) || (old instanceof Long && own === old.value);

/** Not `Object.hasOwn`, nor a list of keys: for this one V8 looks at an object's shape once and not for each key. */
const { hasOwnProperty: hasOwn } = Object.prototype;

/** Any object but an array is read by its keys. */
const isRecord = (value: object): value is Readonly<Record<string, unknown>> => !Array.isArray(value);

const sameScalar = (input: unknown, old: SharedValue): boolean =>
  input === old || (input instanceof Exact && old instanceof Exact && input.source === old.source);
