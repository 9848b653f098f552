import { InspectorError } from '../errors.ts';
import { endless, nodeAt, refsIn } from './text.ts';
import { KIND, type NodeBody } from './types.ts';

type Bodies = ReadonlyMap<number, NodeBody>;

/** Of what is held; what states share is held once. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Memory for each text that another is put together from, as none of them is copied. */
const JOINT_BYTES = 100;

/** Texts of nodes that were read before, so that a state which shares them is put together from few pieces. */
export class KnownTexts {
  /** The greatest id of all, 0 where there is none. */
  newest = 0;
  readonly #texts = new Map<number, string>();
  readonly #maxBytes: number;
  #bytes = 0;
  /** The root of the state that is expected. */
  #next: readonly [id: number, node: NodeBody] | undefined;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  has(id: number): boolean {
    return this.#texts.has(id);
  }

  /** True where nothing needs to be read for the state of this root. */
  isExpected(root: number): boolean {
    return this.#next?.[0] === root;
  }

  clear(): void {
    this.#texts.clear();
    this.#bytes = 0;
    this.newest = 0;
    this.#next = undefined;
  }

  /** Knows all of a state before it is asked for. @throws InspectorError unreadable */
  expect(nodes: Bodies, root: number, bytes: number): void {
    this.textOf(nodes, root, bytes);
    const node = nodes.get(root);
    // With all texts gone there is nothing to put it together from.
    if (node === undefined || this.#texts.size === 0) return;
    this.#next = [root, node];
    this.newest = Math.max(this.newest, root);
  }

  /**
   * The text of a state, `nodes` being those of it that are not known. `bytes`: its length as stored.
   * @throws InspectorError unreadable where a node is missing, or the nodes are no such text
   */
  textOf(nodes: Bodies, root: number, bytes: number): string {
    try {
      return this.#made(this.#next?.[0] === root ? new Map([this.#next]) : nodes, root, bytes);
    } catch (cause) {
      if (cause instanceof RangeError) throw endless(cause);
      throw cause;
    } finally {
      // What was used last cannot be told apart from what it is made of, so all of it goes.
      if (this.#bytes > this.#maxBytes) this.clear();
    }
  }

  /** Nothing is copied until somebody reads the whole. */
  #made(nodes: Bodies, id: number, bytes: number): string {
    const { kind, body } = nodeAt(nodes, id);
    const isFilled = kind === KIND.value || kind === KIND.entries;
    const text = isFilled ? this.#filled(nodes, body, bytes) : this.#listed(nodes, kind, body, bytes);
    if (text.length > bytes) throw endless();
    return text;
  }

  #filled(nodes: Bodies, body: string, bytes: number): string {
    let text = '';
    let at = 0;
    for (let ref = body.indexOf('\u001f'); ref >= 0; ref = body.indexOf('\u001f', at)) {
      this.#bytes += JOINT_BYTES;
      const end = body.indexOf(';', ref);
      if (end < 0) throw new InspectorError('unreadable', 'A part of this state ends in a torn reference.');
      text += body.slice(at, ref) + this.#textAt(nodes, Number(body.slice(ref + 1, end)), bytes);
      at = end + 1;
    }
    return at === 0 ? body : text + body.slice(at);
  }

  #listed(nodes: Bodies, kind: number, body: string, bytes: number): string {
    let text = '';
    let between = '';
    for (const ref of refsIn(body)) {
      this.#bytes += JOINT_BYTES;
      text += between + this.#textAt(nodes, ref, bytes);
      between = ',';
    }
    if (kind === KIND.list) return text;
    return kind === KIND.array ? `[${text}]` : `{${text}}`;
  }

  /** A whole state is not kept: its reader makes one piece of it, which would be as large as all the others. */
  #textAt(nodes: Bodies, id: number, bytes: number): string {
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    const text = this.#made(nodes, id, bytes);
    this.#texts.set(id, text);
    this.#bytes += nodeAt(nodes, id).body.length;
    this.newest = Math.max(this.newest, id);
    return text;
  }
}
