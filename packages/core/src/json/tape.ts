/** What was read of a text, as numbers; nodes are made from them where somebody asks. */
import { isKey, unquote, type JsonArray, type JsonMember, type JsonNode, type JsonObject } from './node.ts';
import { scalarKind } from './scan.ts';

const OBJECT = 0x7b;
const ARRAY = 0x5b;

/** Of a key or a scalar: where it begins, and `END`. */
export const SCALAR_SLOTS = 2;
/** Of an array or an object also `NEXT` and `LEAVES`; what it holds comes right after. */
export const CONTAINER_SLOTS = 4;
export const END = 1;
/** Where the slots begin of what comes after it and all that it holds. */
export const NEXT = 2;
/** Scalars and empty containers in it; an empty one is a leaf itself. */
export const LEAVES = 3;

/** A text that was read: offsets for each key and value, in the order of the text. */
export class Tape {
  readonly #text: string;
  readonly #slots: ArrayLike<number>;
  /** Containers that were known before: `NEXT` of the nth is -1 - n. */
  readonly #taken: readonly JsonNode[];

  constructor(text: string, slots: ArrayLike<number>, taken: readonly JsonNode[]) {
    this.#text = text;
    this.#slots = slots;
    this.#taken = taken;
  }

  /** The value whose slots begin at `at`. */
  node(at: number): JsonNode {
    const start = this.#slot(at);
    const end = this.#slot(at + END);
    const code = this.#text.charCodeAt(start);
    if (code !== OBJECT && code !== ARRAY) return { kind: scalarKind(code), start, end };
    const next = this.#slot(at + NEXT);
    const taken = next < 0 ? this.#taken[-1 - next] : undefined;
    return taken ?? (code === OBJECT ? new ReadObject(this, at, start, end) : new ReadArray(this, at, start, end));
  }

  items(at: number): readonly JsonNode[] {
    const items: JsonNode[] = [];
    const end = this.#slot(at + NEXT);
    for (let item = at + CONTAINER_SLOTS; item < end; item = this.#after(item)) items.push(this.node(item));
    return items;
  }

  members(at: number): readonly JsonMember[] {
    const members: JsonMember[] = [];
    const end = this.#slot(at + NEXT);
    for (let place = at + CONTAINER_SLOTS; place < end;) {
      const keyStart = this.#slot(place);
      const keyEnd = this.#slot(place + END);
      const key = unquote(this.#text, keyStart, keyEnd);
      place += SCALAR_SLOTS;
      members.push({ key, keyStart, keyEnd, value: this.node(place) });
      place = this.#after(place);
    }
    return withDuplicates(members);
  }

  /** The values of the members with this key. */
  valuesOf(at: number, key: string): readonly JsonNode[] {
    const values: JsonNode[] = [];
    const end = this.#slot(at + NEXT);
    for (let place = at + CONTAINER_SLOTS; place < end;) {
      const value = place + SCALAR_SLOTS;
      if (isKey(this.#text, this.#slot(place), this.#slot(place + END), key)) values.push(this.node(value));
      place = this.#after(value);
    }
    return values;
  }

  leaves(at: number): number {
    return this.#slot(at + LEAVES);
  }

  #slot(at: number): number {
    return this.#slots[at] ?? 0;
  }

  #after(at: number): number {
    const code = this.#text.charCodeAt(this.#slot(at));
    if (code !== OBJECT && code !== ARRAY) return at + SCALAR_SLOTS;
    const next = this.#slot(at + NEXT);
    return next < 0 ? at + CONTAINER_SLOTS : next;
  }
}

/** The same, with those marked whose key stood earlier. */
function withDuplicates(members: readonly JsonMember[]): readonly JsonMember[] {
  const keys = new Set(members.map(({ key }) => key));
  if (keys.size === members.length) return members;
  keys.clear();
  return members.map((member) => (keys.size === keys.add(member.key).size ? { ...member, duplicate: true } : member));
}

/** An array or an object of a text. */
export abstract class Container {
  readonly start: number;
  readonly end: number;
  abstract readonly leaves: number;

  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }
}

/** Scalars and empty containers below a value that was read, or the value itself. */
export const leavesOf = (node: JsonNode): number => (node instanceof Container ? node.leaves : 1);

/** The values of the members with this key; the other members are not made for it. */
export function valuesOf(object: JsonObject, key: string): readonly JsonNode[] {
  if (object instanceof ReadObject) return object.valuesOf(key);
  return object.members.filter((member) => member.key === key).map(({ value }) => value);
}

/** One of which the parts are read when somebody asks. */
abstract class ReadContainer extends Container {
  protected readonly tape: Tape;
  protected readonly at: number;

  constructor(tape: Tape, at: number, start: number, end: number) {
    super(start, end);
    this.tape = tape;
    this.at = at;
  }

  get leaves(): number {
    return this.tape.leaves(this.at);
  }
}

class ReadArray extends ReadContainer implements JsonArray {
  readonly kind = 'array';
  #items: readonly JsonNode[] | undefined;

  get items(): readonly JsonNode[] {
    return (this.#items ??= this.tape.items(this.at));
  }
}

class ReadObject extends ReadContainer implements JsonObject {
  readonly kind = 'object';
  #members: readonly JsonMember[] | undefined;

  get members(): readonly JsonMember[] {
    return (this.#members ??= this.tape.members(this.at));
  }

  valuesOf(key: string): readonly JsonNode[] {
    return this.tape.valuesOf(this.at, key);
  }
}
