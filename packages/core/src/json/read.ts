import { type KnownText, KnownValues } from './known.ts';
import { unquote, type JsonNode, type JsonScalar } from './node.ts';
import { notJson, scalarKind, scanBare, skipSpace, Strings } from './scan.ts';
import { CONTAINER_SLOTS, END, LEAVES, leavesOf, NEXT, SCALAR_SLOTS, Tape } from './tape.ts';

const OBJECT = 0x7b;
const ARRAY = 0x5b;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
/** A closing bracket is two places after its opening one. */
const CLOSES = 2;

/**
 * Reads a JSON text into nodes that point into it. As strict as `JSON.parse`, except that `NaN`, `Infinity`
 * and `-Infinity` are numbers. Works at any depth; numbers and strings are not converted. All of the text is checked at
 * once; what an array or an object holds is made when it is asked for.
 * @throws InspectorError unreadable, `data.offset` in UTF-16 code units
 * @param before what it has in common with this text is found by its text, and not read again
 * @example parseJson('[1.0]') // { kind: 'array', start: 0, end: 5, items: [{ kind: 'number', start: 1, end: 4 }] }
 */
export function parseJson(text: string, before?: KnownText): JsonNode {
  return new Reader(text, before && new KnownValues(text, before)).document();
}

/** So many slots are free when a value or a key is read. */
const ROOM = 2 * CONTAINER_SLOTS;
/** Slots of the text that is being read, kept for the next one. No typed array: many small ones burden the collector. */
let scratch = Array.from({ length: 1 << 12 }, () => 0);
/** The slots of larger texts are an array of their own. */
const MOST_KEPT = 1 << 18;

/** Reads values one after the other; open containers are on a stack of its own. */
class Reader {
  readonly #text: string;
  readonly #strings: Strings;
  readonly #known: KnownValues | undefined;
  readonly #taken: JsonNode[] = [];
  #slots: number[] | Int32Array = scratch;
  #used = 0;

  constructor(text: string, known: KnownValues | undefined) {
    this.#text = text;
    this.#known = known;
    this.#strings = new Strings(text);
  }

  document(): JsonNode {
    const text = this.#text;
    const known = this.#known;
    /** Where the slots of open containers begin. */
    const open: number[] = [];
    let isInObject = false;
    let leaves = 0;
    let at = skipSpace(text, 0);
    for (;;) {
      if (this.#used + ROOM > this.#slots.length) this.#grow();
      const slots = this.#slots;
      const place = this.#used;
      const code = text.charCodeAt(at);
      const node = known?.take(at);
      slots[place] = at;
      if (node !== undefined) {
        leaves += leavesOf(node);
        at = this.#put(node);
      } else if (code !== OBJECT && code !== ARRAY) {
        at = code === QUOTE ? this.#strings.end(at) : scanBare(text, at, code);
        slots[place + END] = at;
        this.#used = place + SCALAR_SLOTS;
        leaves++;
      } else {
        this.#used = place + CONTAINER_SLOTS;
        at = skipSpace(text, at + 1);
        if (text.charCodeAt(at) !== code + CLOSES) {
          slots[place + LEAVES] = leaves;
          open.push(place);
          known?.open();
          isInObject = code === OBJECT;
          if (isInObject) at = this.#key(at);
          continue;
        }
        slots[place + END] = ++at;
        slots[place + NEXT] = this.#used;
        slots[place + LEAVES] = 1;
        leaves++;
      }
      for (;;) {
        at = skipSpace(text, at);
        if (open.length === 0) return this.#root(at);
        const next = text.charCodeAt(at);
        if (next === COMMA) {
          at = skipSpace(text, at + 1);
          if (isInObject) at = this.#key(at);
          break;
        }
        if (next !== (isInObject ? OBJECT : ARRAY) + CLOSES)
          throw notJson(text, at, isInObject ? '"," or "}"' : '"," or "]"');
        this.#close(open.pop() ?? 0, ++at, leaves);
        const parent = open.length > 0 ? open[open.length - 1] : undefined;
        isInObject = parent !== undefined && text.charCodeAt(this.#slots[parent] ?? 0) === OBJECT;
      }
    }
  }

  #root(at: number): JsonNode {
    const text = this.#text;
    if (at < text.length) throw notJson(text, at, 'the end');
    const slots = this.#slots === scratch ? scratch.slice(0, this.#used) : this.#slots;
    return new Tape(text, slots, this.#taken).node(0);
  }

  #close(place: number, end: number, leaves: number): void {
    const slots = this.#slots;
    slots[place + END] = end;
    slots[place + NEXT] = this.#used;
    slots[place + LEAVES] = leaves - (slots[place + LEAVES] ?? 0);
    this.#known?.close();
  }

  /** Past a value that is known. */
  #put(node: JsonNode): number {
    const [slots, place] = [this.#slots, this.#used];
    slots[place + END] = node.end;
    this.#used = place + SCALAR_SLOTS;
    if (node.kind !== 'array' && node.kind !== 'object') return node.end;
    this.#used = place + CONTAINER_SLOTS;
    slots[place + NEXT] = -this.#taken.push(node);
    slots[place + LEAVES] = leavesOf(node);
    return node.end;
  }

  /** Past `"key":`. */
  #key(start: number): number {
    const text = this.#text;
    if (text.charCodeAt(start) !== QUOTE) throw notJson(text, start, 'a key in double quotes');
    const knownEnd = this.#known?.keyEnd(start);
    const end = knownEnd ?? this.#strings.end(start);
    if (this.#used + ROOM > this.#slots.length) this.#grow();
    this.#slots[this.#used] = start;
    this.#slots[this.#used + END] = end;
    this.#used += SCALAR_SLOTS;
    if (knownEnd === undefined) this.#known?.key(unquote(text, start, end));
    const colon = text.charCodeAt(end) === COLON ? end : skipSpace(text, end);
    if (text.charCodeAt(colon) !== COLON) throw notJson(text, colon, '":"');
    return skipSpace(text, colon + 1);
  }

  #grow(): void {
    const length = this.#slots.length * 2;
    if (length <= MOST_KEPT) {
      this.#slots = scratch = scratch.concat(scratch);
      return;
    }
    const slots = new Int32Array(length);
    slots.set(this.#slots);
    this.#slots = slots;
  }
}

export function readScalar(text: string, start: number, code: number, strings: Strings): JsonScalar {
  const end = code === QUOTE ? strings.end(start) : scanBare(text, start, code);
  return { kind: scalarKind(code), start, end };
}
