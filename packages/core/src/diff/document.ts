import { equalNodes } from '../json/equal.ts';
import { sourceOf, stringOf, type JsonArray, type JsonNode, type JsonObject, type JsonScalar } from '../json/node.ts';
import { twinOf } from '../json/known.ts';
import { parseJson } from '../json/read.ts';

const SEEDS = { object: 1, array: 2, string: 3, number: 4, boolean: 5, null: 6 } as const;

/** Another one in each process, so that nobody can prepare a state whose values all collide. */
const MULTIPLIER = Math.floor(Math.random() * 0x7fff_ffff) | 1;

interface DocumentOptions {
  readonly multiplier?: number;
  readonly before?: Document;
}

/** One side of a comparison. Hashes are kept per container, so that a deep state is walked once, not once per level. */
export class Document {
  readonly text: string;
  readonly root: JsonNode;
  readonly #hashes = new Map<JsonNode, number>();
  readonly #multiplier: number;
  readonly #before: Document | undefined;

  /**
   * Both sides need the same odd `multiplier`. @param before the other side: what both have is read once
   * @throws InspectorError unreadable
   */
  constructor(text: string, { multiplier = MULTIPLIER, before }: DocumentOptions = {}) {
    this.text = text;
    this.#multiplier = multiplier;
    this.#before = before;
    this.root = parseJson(text, before);
  }

  /** Where a value was read: in this text, or in the one before. */
  home(node: JsonNode): { readonly document: Document; readonly node: JsonNode } {
    const twin = this.#before && twinOf(node);
    return this.#before && twin ? { document: this.#before, node: twin } : { document: this, node };
  }

  source(node: JsonNode): string {
    return sourceOf(this.text, node);
  }

  /** 32 bits; equal values have equal hashes, however they are spelled. Works at any depth. */
  hash(root: JsonNode): number {
    const home = this.home(root);
    if (home.document !== this) return home.document.hash(home.node);
    const todo = [root];
    for (let node = todo.at(-1); node; node = todo.at(-1)) {
      const size = todo.length;
      if (!this.#isHashed(node)) {
        if (node.kind === 'array') for (const item of node.items) this.#need(item, todo);
        if (node.kind === 'object') for (const { value } of node.members) this.#need(value, todo);
        if (todo.length > size) continue;
        this.#hashes.set(node, this.#combine(node));
      }
      todo.pop();
    }
    return this.#known(root);
  }

  #need(node: JsonNode, todo: JsonNode[]): void {
    if (!this.#isHashed(node)) todo.push(node);
  }

  #isHashed(node: JsonNode): boolean {
    return isScalar(node) || this.#hashes.has(node);
  }

  #known(node: JsonNode): number {
    return isScalar(node) ? this.#scalar(node) : (this.#hashes.get(node) ?? 0);
  }

  #combine(node: JsonObject | JsonArray | JsonScalar): number {
    let hash: number = SEEDS[node.kind];
    if (node.kind === 'array') {
      for (const item of node.items) hash = Math.imul(hash, this.#multiplier) + this.#known(item);
    } else if (node.kind === 'object') {
      // A sum, because the order of keys says nothing.
      for (const { key, value } of node.members) {
        const name = this.#hashText(key, 0, key.length, SEEDS.object);
        hash += mixed(Math.imul(name, this.#multiplier) + this.#known(value));
      }
    }
    return mixed(hash);
  }

  #scalar(node: JsonScalar): number {
    const seed = SEEDS[node.kind];
    if (node.kind !== 'string') return this.#hashText(this.text, node.start, node.end, seed);
    const value = stringOf(this.text, node);
    return this.#hashText(value, 0, value.length, seed);
  }

  #hashText(text: string, start: number, end: number, seed: number): number {
    let hash = seed;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, this.#multiplier) + text.charCodeAt(i)) | 0;
    return mixed(hash);
  }
}

/** Equal in the sense of `equalJson`; unequal values are nearly always told apart by their hashes. */
export function equalIn(before: Document, a: JsonNode, after: Document, b: JsonNode): boolean {
  if (a.kind !== b.kind) return false;
  if (isTaken(a, b)) return true;
  if (before.source(a) === after.source(b)) return true;
  return before.hash(a) === after.hash(b) && equalNodes(before.text, a, after.text, b);
}

/** Whether the second was found to be the first when it was read. */
export const isTaken = (a: JsonNode, b: JsonNode): boolean => a === b || a === twinOf(b);

function isScalar(node: JsonNode): node is JsonScalar {
  return node.kind !== 'object' && node.kind !== 'array';
}

/** Spreads every bit over all others. */
function mixed(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
