import { InspectorError } from '../errors.ts';
import { endless, nodeAt, refsIn } from './text.ts';
import { KIND, type NodeBody } from './types.ts';

/** Of what is held; what states share is held once. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Texts of nodes that were read before, so that a state which shares them is put together from few pieces. */
export class KnownTexts {
  /** The greatest id of all, 0 where there is none. */
  newest = 0;
  readonly #texts = new Map<number, string>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  has(id: number): boolean {
    return this.#texts.has(id);
  }

  clear(): void {
    this.#texts.clear();
    this.#bytes = 0;
    this.newest = 0;
  }

  /**
   * The text of a state, `nodes` being those of it that are not known. `bytes`: its length as stored.
   * @throws InspectorError unreadable where a node is missing, or the nodes are no such text
   */
  textOf(nodes: ReadonlyMap<number, NodeBody>, root: number, bytes: number): string {
    try {
      return this.#made(nodes, root, bytes);
    } catch (cause) {
      if (cause instanceof RangeError) throw endless(cause);
      throw cause;
    } finally {
      // What was used last cannot be told apart from what it is made of, so all of it goes.
      if (this.#bytes > this.#maxBytes) this.clear();
    }
  }

  #made(nodes: ReadonlyMap<number, NodeBody>, id: number, bytes: number): string {
    const { kind, body } = nodeAt(nodes, id);
    const textAt = (ref: number): string => this.#texts.get(ref) ?? this.#kept(nodes, ref, bytes);
    const isFilled = kind === KIND.value || kind === KIND.entries;
    const pieces = isFilled ? filled(body, textAt) : listed(kind, body, textAt);
    // Of large parts nothing is copied until somebody reads the whole; a state of many small ones is read slowly.
    const text = isSmall(kind) ? pieces.join('') : pieces.reduce((sum, piece) => sum + piece, '');
    if (text.length > bytes) throw endless();
    return text;
  }

  /** A whole state is not kept: its reader makes one piece of it, which would be as large as all the others. */
  #kept(nodes: ReadonlyMap<number, NodeBody>, id: number, bytes: number): string {
    const text = this.#made(nodes, id, bytes);
    const { kind, body } = nodeAt(nodes, id);
    this.#texts.set(id, text);
    this.#bytes += isSmall(kind) ? text.length : body.length;
    this.newest = Math.max(this.newest, id);
    return text;
  }
}

/** Some of the entries of a container; any other node may be as large as the state. */
const isSmall = (kind: number): boolean => kind === KIND.entries;

function filled(body: string, textAt: (ref: number) => string): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (let ref = body.indexOf('\u001f'); ref >= 0; ref = body.indexOf('\u001f', at)) {
    const end = body.indexOf(';', ref);
    if (end < 0) throw new InspectorError('unreadable', 'A part of this state ends in a torn reference.');
    pieces.push(body.slice(at, ref), textAt(Number(body.slice(ref + 1, end))));
    at = end + 1;
  }
  pieces.push(at === 0 ? body : body.slice(at));
  return pieces;
}

function listed(kind: number, body: string, textAt: (ref: number) => string): string[] {
  const texts = refsIn(body).flatMap((ref, at) => (at === 0 ? [textAt(ref)] : [',', textAt(ref)]));
  if (kind === KIND.list) return texts;
  return kind === KIND.array ? ['[', ...texts, ']'] : ['{', ...texts, '}'];
}
