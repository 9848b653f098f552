import { InspectorError } from '../errors.ts';
import { parseJson } from '../json/index.ts';
import { Members, Reading, stringIn } from './input.ts';
import { bytesOf, frameBytes, keyBytes, keyWeight, utf8Length, weightOf } from './measure.ts';
import {
  Container,
  Exact,
  type FreshNode,
  type Group,
  KIND,
  Long,
  LONG_TEXT,
  MAX_DEPTH,
  type NodeBody,
  type SharedNode,
  type SharedState,
  type SharedValue,
} from './types.ts';

// oxlint-disable-next-line no-control-regex -- JSON text contains none, so it can stand for a node
export const REF = /\u001f(\d+);/g;
// oxlint-disable-next-line no-control-regex
const COUNTED = /\u001f(\d+);:(\d+)/g;

/** The body of a node whose references have been written. */
export function bodyOf({ pieces }: FreshNode): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : `\u001f${piece.id};`)).join('');
}

/** The ids that a body refers to, in its order. */
export function refsIn(body: string): number[] {
  const refs: number[] = [];
  for (let at = body.indexOf('\u001f'); at >= 0; at = body.indexOf('\u001f', at + 1)) {
    const id = Number(body.slice(at + 1, body.indexOf(';', at)));
    if (Number.isSafeInteger(id)) refs.push(id);
  }
  return refs;
}

/** Stored nodes by id. */
export type Nodes = ReadonlyMap<number, NodeBody & { readonly hash: string }>;
type Bodies = ReadonlyMap<number, NodeBody>;

/** A body as valid JSON: each node is replaced by a zero, and `refs` has the node by the offset of that zero. */
export function withoutRefs(body: string): { readonly text: string; readonly refs: ReadonlyMap<number, number> } {
  const refs = new Map<number, number>();
  let shift = 0;
  const text = body.replace(REF, (ref: string, id: string, at: number) => {
    refs.set(at - shift, Number(id));
    shift += ref.length - 1;
    return '0';
  });
  return { text, refs };
}

/**
 * The text of a state. `bytes`: its length as stored, so that damaged nodes that contain themselves or each other many
 * times over end where they say more than that.
 * @throws InspectorError unreadable where a node is missing, or the nodes are no such text
 */
export function textOf(nodes: Bodies, root: number, bytes = Number.POSITIVE_INFINITY): string {
  try {
    return new Assembling(nodes, bytes * 3 + 1_000).text(root);
  } catch (cause) {
    if (cause instanceof RangeError) throw endless(cause);
    throw cause;
  }
}

export const endless = (cause?: unknown): InspectorError =>
  new InspectorError('unreadable', 'The parts of this state are more than its text.', { cause });

/** Pieces that are joined once: a text that is put together bit by bit is copied again and again. */
class Assembling {
  readonly #nodes: Bodies;
  readonly #pieces: string[] = [];
  #left: number;

  constructor(nodes: Bodies, left: number) {
    this.#nodes = nodes;
    this.#left = left;
  }

  text(root: number): string {
    this.#add(root);
    return this.#pieces.join('');
  }

  #add(id: number): void {
    const { kind, body } = nodeAt(this.#nodes, id);
    const isList = kind === KIND.array || kind === KIND.object || kind === KIND.list;
    // Every node counts for something, also one that only refers to others.
    this.#left -= 1 + (isList ? 0 : body.length);
    if (this.#left < 0) throw endless();
    if (!isList) return this.#addBody(body);
    if (kind !== KIND.list) this.#pieces.push(kind === KIND.array ? '[' : '{');
    for (const [at, ref] of refsIn(body).entries()) {
      if (at > 0) this.#pieces.push(',');
      this.#add(ref);
    }
    if (kind !== KIND.list) this.#pieces.push(kind === KIND.array ? ']' : '}');
  }

  #addBody(body: string): void {
    let at = 0;
    for (let ref = body.indexOf('\u001f'); ref >= 0; ref = body.indexOf('\u001f', at)) {
      const end = body.indexOf(';', ref);
      if (ref > at) this.#pieces.push(body.slice(at, ref));
      this.#add(Number(body.slice(ref + 1, end)));
      at = end + 1;
    }
    this.#pieces.push(at === 0 ? body : body.slice(at));
  }
}

export function nodeAt<Node extends NodeBody>(nodes: ReadonlyMap<number, Node>, id: number): Node {
  const node = nodes.get(id);
  if (node === undefined) {
    throw new InspectorError('unreadable', `A part of this state is missing: node ${id}.`, { data: { node: id } });
  }
  return node;
}

export const damaged = (id: number, cause?: unknown): InspectorError =>
  new InspectorError('unreadable', `A part of this state is damaged: node ${id}.`, { data: { node: id }, cause });

/** The state in memory as `share` left it, for the next one to be compared with. */
export function sharedOf(nodes: Nodes, root: number): SharedState {
  try {
    const reading = new Rebuilding(nodes);
    const value = reading.value(root);
    return { value, node: reading.node(root), bytes: bytesOf(value) };
  } catch (cause) {
    if (cause instanceof RangeError) throw endless(cause);
    throw cause;
  }
}

/** The ids of all nodes that a state in memory is made of. */
export function nodesOf({ value, node }: SharedState): Set<number> {
  const ids = new Set<number>();
  const add = (one: SharedValue): void => {
    if (one instanceof Long) ids.add(one.node.id);
    if (!(one instanceof Container)) return;
    if (one.node) ids.add(one.node.id);
    for (const level of one.levels) for (const group of level) ids.add(group.node.id);
    for (const inner of one.values) if (typeof inner === 'object') add(inner);
  };
  add(value);
  return ids.add(node.id);
}

class Rebuilding {
  readonly #nodes: Nodes;
  readonly #known = new Map<number, SharedNode>();

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
  }

  node(id: number): SharedNode {
    const known = this.#known.get(id) ?? { id, hash: nodeAt(this.#nodes, id).hash };
    this.#known.set(id, known);
    return known;
  }

  value(id: number): SharedValue {
    const { kind, body } = nodeAt(this.#nodes, id);
    if (kind === KIND.array || kind === KIND.object) return this.#cut(id, kind === KIND.object, body);
    return body.startsWith('"') ? this.#string(body, id) : this.#inline(body, id);
  }

  /** A node of nothing but a string, which is as long as its body: nothing in it is looked at but by the engine. */
  #string(body: string, id: number): SharedValue {
    try {
      const value = stringIn(body) ?? new Exact(body);
      return this.#shared(value, { node: this.node(id), body });
    } catch (cause) {
      if (cause instanceof SyntaxError) throw damaged(id, cause);
      throw cause;
    }
  }

  #cut(id: number, isObject: boolean, body: string): Container {
    const levels: Group[][] = [];
    let groups = listed(body).map(([ref, count]) => this.#group(ref, count));
    for (;;) {
      levels.unshift(groups);
      const [first] = groups;
      if (first === undefined || nodeAt(this.#nodes, first.node.id).kind === KIND.entries) break;
      groups = groups.flatMap(({ node }) =>
        listed(nodeAt(this.#nodes, node.id).body).map(([ref, count]) => this.#group(ref, count)),
      );
    }
    const parts = (levels[0] ?? []).map(({ node }) => this.#entries(node.id, isObject));
    const values = parts.flatMap((part) => part.values);
    const keys = isObject ? parts.flatMap((part) => part.keys ?? []) : undefined;
    return container(values, keys, this.node(id), levels);
  }

  #group(id: number, count: number): Group {
    const { kind, body } = nodeAt(this.#nodes, id);
    return { node: this.node(id), length: kind === KIND.entries ? count : listed(body).length, count };
  }

  #entries(id: number, isObject: boolean): Pick<Container, 'values' | 'keys'> {
    const { body } = nodeAt(this.#nodes, id);
    const value = this.#inline(isObject ? `{${body}}` : `[${body}]`);
    if (!(value instanceof Container)) throw new InspectorError('unreadable', `Node ${id} contains no entries.`);
    return value;
  }

  #inline(body: string, id?: number): SharedValue {
    const own = id === undefined ? undefined : this.node(id);
    const plain = plainBody(body);
    if (plain !== undefined) return this.#plain(plain.value, 0, own);
    const { text, refs } = withoutRefs(body);
    const values = new Map(Array.from(refs, ([at, ref]) => [at, this.value(ref)] as const));
    const read = new Reading(text, values).value(parseJson(text), 0);
    return this.#shared(read, own && { node: own, body });
  }

  #plain(read: unknown, depth: number, own?: SharedNode): SharedValue {
    if (typeof read === 'string') return read.startsWith('\u001f') ? this.value(Number(read.slice(1, -1))) : read;
    if (typeof read === 'number' || typeof read === 'boolean') return read;
    if (typeof read !== 'object' || read === null) return null;
    if (depth > MAX_DEPTH) return new Exact(JSON.stringify(read));
    const values = Object.values(read).map((value) => this.#plain(value, depth + 1));
    return container(values, Array.isArray(read) ? undefined : Object.keys(read), own, []);
  }

  /** `own`: the node whose whole body the value is. */
  #shared(read: unknown, own: { readonly node: SharedNode; readonly body: string } | undefined): SharedValue {
    if (read instanceof Container || read instanceof Long) return read;
    if (typeof read === 'string' || read instanceof Exact) {
      const { length } = typeof read === 'string' ? read : read.source;
      return own !== undefined && length >= LONG_TEXT ? new Long(read, utf8Length(own.body), own.node) : read;
    }
    if (read === null || typeof read === 'number' || typeof read === 'boolean') return read;
    if (Array.isArray(read)) {
      return container(
        read.map((item) => this.#shared(item, undefined)),
        undefined,
        own?.node,
        [],
      );
    }
    if (!(read instanceof Members)) throw new InspectorError('unreadable', 'A node contains no JSON value.');
    return container(
      read.values.map((value) => this.#shared(value, undefined)),
      read.keys,
      own?.node,
      [],
    );
  }
}

/** What the engine reads of a body, a reference being a string that begins as no other one does; absent where it loses something. */
function plainBody(body: string): { readonly value: unknown } | undefined {
  if (body.includes('\\u001f')) return undefined;
  const text = quotedRefs(body);
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? { value } : undefined;
  } catch {
    return undefined;
  }
}

/** Each reference as a string. Looks for one character, which an engine does many times faster than for a pattern. */
function quotedRefs(body: string): string {
  let text = '';
  let at = 0;
  for (let ref = body.indexOf('\u001f'); ref >= 0; ref = body.indexOf('\u001f', at)) {
    const end = body.indexOf(';', ref) + 1;
    if (end === 0) break;
    text += `${body.slice(at, ref)}"\\u001f${body.slice(ref + 1, end)}"`;
    at = end;
  }
  return at === 0 ? body : text + body.slice(at);
}

export const listed = (body: string): [id: number, count: number][] =>
  Array.from(body.matchAll(COUNTED), ([, id, count]) => [Number(id), Number(count)]);

function container(
  values: readonly SharedValue[],
  keys: readonly string[] | undefined,
  node: SharedNode | undefined,
  levels: readonly (readonly Group[])[],
): Container {
  let weight = 0;
  let bytes = frameBytes(values.length);
  for (const [at, value] of values.entries()) {
    const key = keys?.[at];
    weight += weightOf(value) + (key === undefined ? 0 : keyWeight(key));
    bytes += bytesOf(value) + (key === undefined ? 0 : keyBytes(key));
  }
  return new Container({ values, keys, weight, bytes, node, levels, source: undefined, front: undefined });
}
