import { type KnownText, KnownValues } from './known.ts';
import { unquote, type JsonNode, type JsonScalar } from './node.ts';
import { notJson, scalarKind, scanBare, skipSpace, Strings } from './scan.ts';

interface OpenMember {
  key: string;
  keyStart: number;
  keyEnd: number;
  value: JsonNode;
  duplicate?: true;
}
interface OpenObject {
  kind: 'object';
  start: number;
  end: number;
  members: OpenMember[];
}
interface OpenArray {
  kind: 'array';
  start: number;
  end: number;
  items: JsonNode[];
}

/** From this many members on, a set finds duplicates faster than a look back. */
const SMALL_OBJECT = 8;

/** Held in a member until its value is read. */
const PENDING: JsonScalar = { kind: 'null', start: 0, end: 0 };

/**
 * Reads a JSON text into nodes that point into it. As strict as `JSON.parse`, except that `NaN`, `Infinity`
 * and `-Infinity` are numbers. Works at any depth; numbers and strings are not converted.
 * @throws InspectorError unreadable, `data.offset` in UTF-16 code units
 * @param before what it has in common with this text is found by its text, and not read again
 * @example parseJson('[1.0]') // { kind: 'array', start: 0, end: 5, items: [{ kind: 'number', start: 1, end: 4 }] }
 */
export function parseJson(text: string, before?: KnownText): JsonNode {
  return new Reader(text, before && new KnownValues(text, before)).document();
}

/** Reads values one after the other; open containers are on a stack of its own. */
class Reader {
  readonly #text: string;
  readonly #strings: Strings;
  readonly #open: (OpenObject | OpenArray)[] = [];
  /** Keys of open objects that have outgrown a look back. */
  readonly #keys = new Map<OpenObject, Set<string>>();
  readonly #known: KnownValues | undefined;
  #at = 0;

  constructor(text: string, known: KnownValues | undefined) {
    this.#text = text;
    this.#known = known;
    this.#strings = new Strings(text);
  }

  document(): JsonNode {
    this.#skip(0);
    for (;;) {
      const value = this.#value();
      const root = value && this.#attach(value);
      if (root) return root;
    }
  }

  #skip(by: number): void {
    this.#at = skipSpace(this.#text, this.#at + by);
  }

  /** Reads a scalar or an empty container; opens any other one and returns nothing. */
  #value(): JsonNode | undefined {
    const start = this.#at;
    const known = this.#known?.take(start);
    if (known !== undefined) {
      this.#at = known.end;
      return known;
    }
    const code = this.#text.charCodeAt(start);
    if (code !== 0x7b && code !== 0x5b) {
      const scalar = readScalar(this.#text, start, code, this.#strings);
      this.#at = scalar.end;
      return scalar;
    }
    this.#skip(1);
    const isEmpty = this.#text.charCodeAt(this.#at) === code + 2;
    if (isEmpty) this.#at++;
    const end = this.#at;
    if (code === 0x7b) {
      const object: OpenObject = { kind: 'object', start, end, members: [] };
      if (isEmpty) return object;
      this.#open.push(object);
      this.#known?.open();
      this.#key(object);
    } else {
      const array: OpenArray = { kind: 'array', start, end, items: [] };
      if (isEmpty) return array;
      this.#open.push(array);
      this.#known?.open();
    }
    return undefined;
  }

  /** Hangs `value` into its container and closes all that end here; the root once the document is complete. */
  #attach(first: JsonNode): JsonNode | undefined {
    let value = first;
    for (;;) {
      this.#skip(0);
      const parent = this.#open[this.#open.length - 1];
      if (parent === undefined) {
        if (this.#at < this.#text.length) throw notJson(this.#text, this.#at, 'the end');
        return value;
      }
      if (!this.#addTo(parent, value)) return undefined;
      parent.end = ++this.#at;
      this.#open.pop();
      this.#known?.close();
      value = parent;
    }
  }

  /** Adds `value`; true when the container ends at the next character, false when another value begins there. */
  #addTo(parent: OpenObject | OpenArray, value: JsonNode): boolean {
    const code = this.#text.charCodeAt(this.#at);
    if (parent.kind === 'array') {
      parent.items.push(value);
      if (code === 0x5d) return true;
      if (code !== 0x2c) throw notJson(this.#text, this.#at, '"," or "]"');
      this.#skip(1);
      return false;
    }
    const member = parent.members[parent.members.length - 1];
    if (member) member.value = value;
    if (code === 0x7d) return true;
    if (code !== 0x2c) throw notJson(this.#text, this.#at, '"," or "}"');
    this.#skip(1);
    this.#key(parent);
    return false;
  }

  /** Reads `"key":` into a new member of `object`. */
  #key(object: OpenObject): void {
    const keyStart = this.#at;
    if (this.#text.charCodeAt(keyStart) !== 0x22) throw notJson(this.#text, keyStart, 'a key in double quotes');
    const keyEnd = this.#strings.end(keyStart);
    const key = unquote(this.#text, keyStart, keyEnd);
    this.#known?.key(key);
    const member: OpenMember = { key, keyStart, keyEnd, value: PENDING };
    if (this.#isKnown(object, key)) member.duplicate = true;
    object.members.push(member);
    this.#at = keyEnd;
    this.#skip(0);
    if (this.#text.charCodeAt(this.#at) !== 0x3a) throw notJson(this.#text, this.#at, '":"');
    this.#skip(1);
  }

  #isKnown(object: OpenObject, key: string): boolean {
    const { members } = object;
    if (members.length < SMALL_OBJECT) return hasKey(members, key);
    const known = this.#keys.get(object) ?? new Set(members.map((member) => member.key));
    if (members.length === SMALL_OBJECT) this.#keys.set(object, known);
    const isKnown = known.has(key);
    known.add(key);
    return isKnown;
  }
}

function hasKey(members: readonly OpenMember[], key: string): boolean {
  for (const member of members) if (member.key === key) return true;
  return false;
}

export function readScalar(text: string, start: number, code: number, strings: Strings): JsonScalar {
  const end = code === 0x22 ? strings.end(start) : scanBare(text, start, code);
  return { kind: scalarKind(code), start, end };
}
