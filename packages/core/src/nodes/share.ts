import { cut, markOf, type Before, type Entries } from './cut.ts';
import { invalid, jsonValue, Members } from './input.ts';
import { bytesOf, frameBytes, inlineWeight, keyBytes, keyWeight, scalarText, utf8Length, weightOf } from './measure.ts';
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
  type Piece,
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
 * A value cut into nodes, of which only those are new that the state before does not have. Values are those of
 * `JSON.stringify`, or of `valuesOf`.
 * @throws InspectorError invalid_input for what JSON cannot hold
 * @example const { state, fresh } = share({ step: 2 }, { hash, before });
 */
export function share(value: unknown, { hash, before, immutable = false }: ShareOptions): Shared {
  const sharing = new Sharing(hash, immutable);
  try {
    const told = toInput(value, '');
    if (told === undefined) throw invalid('no value that JSON can hold');
    return { state: sharing.state(told, before), fresh: sharing.fresh };
  } catch (cause) {
    if (cause instanceof RangeError) throw invalid('a value that is nested too deeply', cause);
    throw cause;
  }
}

const toInput = (value: unknown, key: string): unknown =>
  value instanceof Exact || value instanceof Members ? value : jsonValue(value, key);

/** Of an array, what cannot be written is null. */
const toItem = (value: unknown, at: number): unknown => toInput(value, String(at)) ?? null;

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
    const node = nodeOf(value) ?? this.#node(KIND.value, this.#pieces(value));
    return { value, node, bytes: bytesOf(value) };
  }

  #value(input: unknown, old: SharedValue | undefined, depth: number): SharedValue {
    if (typeof input === 'string') return input.length < LONG_TEXT ? input : this.#long(input, old);
    if (input === null || typeof input === 'number' || typeof input === 'boolean') return input;
    if (input instanceof Exact) {
      if (input.source.length >= LONG_TEXT) return this.#long(input, old);
      return old instanceof Exact && old.source === input.source ? old : input;
    }
    if (typeof input !== 'object') throw invalid('a value that JSON cannot hold');
    const was = old instanceof Container ? old : undefined;
    if (was !== undefined && this.#immutable && was.source === input) return was;
    if (depth > MAX_DEPTH) return this.#value(new Exact(deepText(input)), old, 0);
    if (Array.isArray(input)) return this.#array(input, was?.keys === undefined ? was : undefined, depth);
    return this.#object(input, was?.keys === undefined ? undefined : was, depth);
  }

  #long(value: string | Exact, old: SharedValue | undefined): Long {
    if (old instanceof Long && sameScalar(value, old.value)) return old;
    const text = scalarText(value);
    return new Long(value, utf8Length(text), this.#node(KIND.value, [text]));
  }

  #array(input: readonly unknown[], old: Container | undefined, depth: number): Container {
    const olds = old?.values ?? [];
    const most = Math.min(input.length, olds.length);
    const isOld = (at: number, before: number): boolean =>
      this.#same(toItem(input[at], at), olds[before] ?? null, depth + 1);
    let prefix = 0;
    while (prefix < most && isOld(prefix, prefix)) prefix++;
    if (old && prefix === input.length && prefix === olds.length) return old;
    let suffix = 0;
    while (suffix < most - prefix && isOld(input.length - 1 - suffix, olds.length - 1 - suffix)) suffix++;
    const end = input.length - suffix;
    const spare = new Map<string, Container>();
    for (const value of olds.slice(prefix, olds.length - suffix)) {
      if (value instanceof Container && value.node) spare.set(value.node.hash, value);
    }
    const middle = input
      .slice(prefix, end)
      .map((item, nth) =>
        this.#known(spare, () => this.#value(toItem(item, prefix + nth), olds[prefix + nth], depth + 1)),
      );
    const values = [...olds.slice(0, prefix), ...middle, ...olds.slice(olds.length - suffix)];
    return this.#container({ values, keys: undefined, old, source: input, prefix, suffix });
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
    const { keys, values: inputs } = input instanceof Members ? input : membersOf(input);
    const oldKeys = old?.keys ?? [];
    const inPlace = keys.length === oldKeys.length && keys.every((key, at) => key === oldKeys[at]);
    const places = inPlace || old === undefined ? undefined : new Map(oldKeys.map((key, at) => [key, at]));
    const values = inputs.map((value, at) => {
      const place = inPlace ? at : places?.get(keys[at] ?? '');
      return this.#value(value, place === undefined ? undefined : old?.values[place], depth + 1);
    });
    const isOld = (at: number, before: number): boolean =>
      keys[at] === oldKeys[before] && values[at] === old?.values[before];
    const most = Math.min(keys.length, oldKeys.length);
    let prefix = 0;
    while (prefix < most && isOld(prefix, prefix)) prefix++;
    if (old && prefix === keys.length && prefix === oldKeys.length) return old;
    let suffix = 0;
    while (suffix < most - prefix && isOld(keys.length - 1 - suffix, oldKeys.length - 1 - suffix)) suffix++;
    return this.#container({ values, keys: inPlace ? oldKeys : keys, old, source: input, prefix, suffix });
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
    let weight = old?.weight ?? 0;
    let bytes = old === undefined ? 0 : old.bytes - frameBytes(old.values.length);
    const count = (one: Pick<Container, 'values' | 'keys'>, sign: 1 | -1): void => {
      const end = one.values.length - suffix;
      for (let at = prefix; at < end; at++) {
        const key = one.keys?.[at];
        const value = one.values[at] ?? null;
        weight += sign * (weightOf(value) + (key === undefined ? 0 : keyWeight(key)));
        bytes += sign * (bytesOf(value) + (key === undefined ? 0 : keyBytes(key)));
      }
    };
    if (old) count(old, -1);
    count(made, 1);
    const whole = { values, keys, weight, bytes: bytes + frameBytes(values.length) };
    const source = this.#immutable ? made.source : undefined;
    if (values.length >= CUT_FROM.entries && weight > CUT_FROM.weight) {
      const levels = this.#levels(whole, old && { old, prefix, suffix });
      const kind = keys === undefined ? KIND.array : KIND.object;
      return new Container({ ...whole, source, levels, node: this.#list(kind, levels.at(-1) ?? []) });
    }
    const isOwn = inlineWeight(values.length, weight) > OWN_NODE;
    const plain = { ...whole, source, levels: [] };
    const node = isOwn ? this.#node(KIND.value, this.#framed(whole)) : undefined;
    return new Container({ ...plain, node });
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
      if (below.length * REFERENCE <= CUT_FROM.weight * 2) return levels;
      levels.push(
        cut(this.#groups(below), sharedEnds(below, old?.levels[levels.length - 1], old?.levels[levels.length])),
      );
    }
  }

  #entries(values: readonly SharedValue[], keys: readonly string[] | undefined, old: Container | undefined): Entries {
    const valueAt = (at: number): SharedValue => values[at] ?? null;
    return {
      length: values.length,
      weight: (at) => weightOf(valueAt(at)) + (keys === undefined ? 1 : keyWeight(keys[at] ?? '')),
      mark: (at) => (keys === undefined ? this.#markOf(valueAt(at)) : markOf(keys[at] ?? '')),
      isOld: (at, before) => values[at] === old?.values[before] && keys?.[at] === old?.keys?.[before],
      make: (from, to) => {
        const part = { values: values.slice(from, to), keys: keys?.slice(from, to) };
        return { node: this.#node(KIND.entries, this.#entryPieces(part)), length: to - from, count: to - from };
      },
    };
  }

  #markOf(value: SharedValue): number {
    const node = nodeOf(value);
    if (node) return Number.parseInt(node.hash.slice(0, 8), 16);
    return markOf(
      this.#pieces(value)
        .map((piece) => (typeof piece === 'string' ? piece : piece.hash))
        .join(''),
    );
  }

  #groups(groups: readonly Group[]): Entries {
    return {
      length: groups.length,
      weight: () => REFERENCE,
      mark: (at) => Number.parseInt(groups[at]?.node.hash.slice(0, 8) ?? '0', 16),
      isOld: () => false,
      make: (from, to) => {
        const part = groups.slice(from, to);
        const count = part.reduce((sum, group) => sum + group.count, 0);
        return { node: this.#list(KIND.list, part), length: to - from, count };
      },
    };
  }

  #list(kind: NodeKind, groups: readonly Group[]): SharedNode {
    return this.#node(
      kind,
      groups.flatMap(({ node, count }, at) => [at === 0 ? '' : ' ', node, `:${count}`]),
    );
  }

  #node(kind: NodeKind, pieces: readonly Piece[]): SharedNode {
    const text = pieces.map((piece) => (typeof piece === 'string' ? piece : `\u001f${piece.hash};`)).join('');
    const node = { id: 0, hash: this.#hash(`${kind} ${text}`) };
    this.fresh.push({ node, kind, pieces });
    return node;
  }

  /** As it is written in what it is in. */
  #pieces(value: SharedValue): Piece[] {
    const node = nodeOf(value);
    if (node) return [node];
    if (value instanceof Long) return [value.node];
    if (!(value instanceof Container)) return [scalarText(value)];
    return this.#framed(value);
  }

  #framed(container: Pick<Container, 'values' | 'keys'>): Piece[] {
    const [open, close] = container.keys === undefined ? ['[', ']'] : ['{', '}'];
    return [open, ...this.#entryPieces(container), close];
  }

  #entryPieces({ values, keys }: Pick<Container, 'values' | 'keys'>): Piece[] {
    return values.flatMap((value, at) => {
      const key = keys?.[at];
      const comma = at === 0 ? '' : ',';
      return [key === undefined ? comma : `${comma}${JSON.stringify(key)}:`, ...this.#pieces(value)];
    });
  }

  /** Whether `input` writes what `old` writes. Makes nothing, and stops at the first difference. */
  #same(input: unknown, old: SharedValue, depth: number): boolean {
    if (old instanceof Long) return sameScalar(input, old.value);
    if (!(old instanceof Container)) return sameScalar(input, old);
    if (this.#immutable && old.source === input) return true;
    if (typeof input !== 'object' || input === null || input instanceof Exact || depth > MAX_DEPTH) return false;
    if (Array.isArray(input)) {
      const { values, keys } = old;
      if (keys !== undefined || values.length !== input.length) return false;
      return values.every((value, at) => this.#same(toItem(input[at], at), value, depth + 1));
    }
    const { keys, values } = input instanceof Members ? input : membersOf(input);
    if (old.keys?.length !== keys.length || !keys.every((key, at) => key === old.keys?.[at])) return false;
    return old.values.every((value, at) => this.#same(values[at], value, depth + 1));
  }
}

function deepText(input: object): string {
  try {
    return JSON.stringify(input);
  } catch (cause) {
    throw invalid('itself, or a value that JSON has no form for', cause);
  }
}

function membersOf(input: object): { keys: string[]; values: unknown[] } {
  const keys: string[] = [];
  const values: unknown[] = [];
  for (const [key, own] of Object.entries(input)) {
    const value = toInput(own, key);
    if (value === undefined) continue;
    keys.push(key);
    values.push(value);
  }
  return { keys, values };
}

const nodeOf = (value: SharedValue): SharedNode | undefined =>
  value instanceof Container || value instanceof Long ? value.node : undefined;

const sameScalar = (input: unknown, old: SharedValue): boolean =>
  input === old || (input instanceof Exact && old instanceof Exact && input.source === old.source);

/** What two levels of the same array have in common at their ends. */
function sharedEnds(
  now: readonly Group[],
  before: readonly Group[] | undefined,
  groups: readonly Group[] | undefined,
): Before | undefined {
  if (before === undefined || groups === undefined) return undefined;
  const most = Math.min(now.length, before.length);
  let prefix = 0;
  while (prefix < most && now[prefix] === before[prefix]) prefix++;
  let suffix = 0;
  while (suffix < most - prefix && now[now.length - 1 - suffix] === before[before.length - 1 - suffix]) suffix++;
  return { length: before.length, groups, prefix, suffix };
}
