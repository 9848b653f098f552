/** Reads stored nodes only as far as a question needs them, whoever fetches them. */
import { InspectorError } from '../errors.ts';
import { type JsonNode, parseJson } from '../json/index.ts';
import { nodeAt, REF, refsIn, textOf, withoutRefs } from './text.ts';
import { KIND, type NodeBody } from './types.ts';

/** Stored nodes by id, without their hashes. */
export type Bodies = ReadonlyMap<number, NodeBody>;

/**
 * A question about stored nodes: it names those that it needs next and is given those that there are. All of them have
 * to be of one moment, so whoever answers does so inside a transaction.
 */
export type NodeWork<T> = Generator<readonly number[], T, Bodies>;

/**
 * Answers a question where nodes are read at once.
 * @example const diff = answerNodes(diffNodes(root, other), (ids) => readBodies(db, ids));
 */
export function answerNodes<T>(work: NodeWork<T>, read: (ids: readonly number[]) => Bodies): T {
  for (let step = work.next(); ; step = work.next(read(step.value))) if (step.done) return step.value;
}

/**
 * Answers a question where reading nodes takes a while.
 * @example const diff = await answerNodesFrom(diffNodes(root, other), (ids) => client.bodies(ids));
 */
export async function answerNodesFrom<T>(
  work: NodeWork<T>,
  read: (ids: readonly number[]) => Promise<Bodies>,
): Promise<T> {
  // oxlint-disable-next-line no-await-in-loop -- what was read names the next ones
  for (let step = work.next(); ; step = work.next(await read(step.value))) if (step.done) return step.value;
}

/** How much may be read before the texts are the cheaper way. */
export interface NodeLimits {
  readonly reads: number;
  readonly characters: number;
}

/** Thrown where a limit is reached; never leaves this folder. */
export class TooMuch extends Error {}

/** A value in a state: a node of its own, or a place in the body of one. */
export type Slot = { readonly id: number } | Inline;
export interface Inline {
  readonly body: Body;
  readonly node: JsonNode;
}

/** Parsed, with a zero in the place of each reference. */
export interface Body {
  readonly text: string;
  readonly root: JsonNode;
  /** By offset. */
  readonly refs: ReadonlyMap<number, number>;
}

/** The nodes that have been read so far. */
export class NodeReader {
  readonly #nodes = new Map<number, NodeBody>();
  readonly #bodies = new Map<string, Body>();
  readonly #most: number;
  #left: NodeLimits;

  constructor(limits: NodeLimits) {
    this.#left = limits;
    this.#most = limits.characters;
  }

  *load(ids: readonly number[]): NodeWork<void> {
    const missing = [...new Set(ids)].filter((id) => !this.#nodes.has(id));
    if (missing.length === 0) return;
    let { reads, characters } = this.#left;
    reads -= missing.length;
    if (reads < 0) throw new TooMuch();
    for (const [id, node] of yield missing) {
      this.#nodes.set(id, node);
      characters -= node.body.length;
    }
    this.#left = { reads, characters };
    if (characters < 0) throw new TooMuch();
  }

  /** @throws InspectorError unreadable (it is missing) */
  *node(id: number): NodeWork<NodeBody> {
    yield* this.load([id]);
    return nodeAt(this.#nodes, id);
  }

  *kindOf(slot: Slot): NodeWork<JsonNode['kind']> {
    if (!('id' in slot)) return slot.node.kind;
    const { kind, body } = yield* this.node(slot.id);
    if (kind === KIND.array) return 'array';
    return kind === KIND.object ? 'object' : this.#body(body).root.kind;
  }

  /** Where a value that is not cut is. */
  *inline(slot: Slot): NodeWork<Inline> {
    if (!('id' in slot)) return slot;
    const body = this.#body((yield* this.node(slot.id)).body);
    return { body, node: body.root };
  }

  /** The entries in a node, as a container. */
  *entries(id: number, kind: 'array' | 'object'): NodeWork<Inline> {
    const { kind: own, body: stored } = yield* this.node(id);
    if (own !== KIND.entries) throw new InspectorError('unreadable', `Node ${id} contains no entries.`);
    const body = this.#body(kind === 'array' ? `[${stored}]` : `{${stored}}`);
    return { body, node: body.root };
  }

  /** True where both are stored in the same place or written in the same way; others may be equal, too. */
  isSame(a: Slot | undefined, b: Slot | undefined): boolean {
    if (a === undefined || b === undefined) return false;
    if ('id' in a || 'id' in b) return 'id' in a && 'id' in b && a.id === b.id;
    return stored(a) === stored(b);
  }

  *text(slot: Slot): NodeWork<string> {
    const [text = ''] = yield* this.texts([slot]);
    return text;
  }

  *texts(slots: readonly Slot[]): NodeWork<readonly string[]> {
    yield* this.#loadAll(slots);
    return slots.map((slot) =>
      'id' in slot ? this.#textOf(slot.id) : stored(slot).replace(REF, (_, id: string) => this.#textOf(Number(id))),
    );
  }

  /** Few nodes may be a long text where they contain each other many times over. */
  #textOf(id: number): string {
    try {
      return textOf(this.#nodes, id, this.#most);
    } catch (error) {
      if (InspectorError.is(error) && error.data === undefined) throw new TooMuch(undefined, { cause: error });
      throw error;
    }
  }

  /** All that they are made of, a level at a time. */
  *#loadAll(slots: readonly Slot[]): NodeWork<void> {
    const seen = new Set<number>();
    let wanted = slots.flatMap((slot) => ('id' in slot ? [slot.id] : refsIn(stored(slot))));
    while (wanted.length > 0) {
      yield* this.load(wanted);
      const next = new Set<number>();
      for (const id of wanted) {
        seen.add(id);
        for (const ref of refsIn(nodeAt(this.#nodes, id).body)) if (!seen.has(ref)) next.add(ref);
      }
      wanted = [...next];
    }
  }

  #body(text: string): Body {
    const known = this.#bodies.get(text);
    if (known) return known;
    const { text: json, refs } = withoutRefs(text);
    const body = { text: json, root: parseJson(json), refs };
    this.#bodies.set(text, body);
    return body;
  }
}

/** A value inside a body. */
export function slotAt(body: Body, node: JsonNode): Slot {
  const id = body.refs.get(node.start);
  return id === undefined ? { body, node } : { id };
}

/** As it is in its body, references included. */
function stored({ body, node }: Inline): string {
  if (body.refs.size === 0) return body.text.slice(node.start, node.end);
  let text = '';
  let at = node.start;
  for (const [offset, id] of body.refs) {
    if (offset < node.start || offset >= node.end) continue;
    text += `${body.text.slice(at, offset)}\u001f${id};`;
    at = offset + 1;
  }
  return text + body.text.slice(at, node.end);
}
