/** Values that a text has in common with the one before it: they are found by their text, not read again. */
import type { JsonArray, JsonMember, JsonNode, JsonObject } from './node.ts';
import { Container, leavesOf } from './tape.ts';

/** A text that was read, and its value. */
export interface KnownText {
  readonly text: string;
  readonly root: JsonNode;
}

/** Shorter strings, and other scalars, are read as quickly as they are compared one by one. */
const LONG = 32;
/** So much both texts have in common at least where more than one value is compared at once. */
const LEAST = 64;
const TRIES = 32;
/** Deeper values are read: what differs at the bottom would be compared once for each level. */
const MOST_DEPTH = 64;
/** So many elements may be gone before one that is still there. */
const AHEAD = 4;

/** A container that is still open, and where the one like it was. */
interface Frame {
  readonly old: JsonNode | undefined;
  /** Elements read, or members. */
  count: number;
  /** Where the next one that is known is likely to be. */
  next: number;
  /** How much further elements were in the text before. */
  shift: number;
  key: string | undefined;
  places: Map<string | undefined, number> | undefined;
}

/**
 * Follows a text through the one before it.
 * @example const known = new KnownValues('[1,{"a":"b"}]', before); known.take(3)?.end // 12 where `before` has it too
 */
export class KnownValues {
  readonly #text: string;
  readonly #before: KnownText;
  readonly #open: Frame[] = [];
  /** What the value that comes is likely to have most in common with. */
  #like: JsonNode | undefined;
  /** From the last value that was compared up to here the text is the one before, where that is `#by` to the left. */
  #same = 0;
  #by = 0;
  /** So often is worth a look, until one has found more than was looked for. */
  #tries = TRIES;

  constructor(text: string, before: KnownText) {
    this.#text = text;
    this.#before = before;
  }

  key(key: string): void {
    const frame = this.#open.at(-1);
    if (frame) frame.key = key;
  }

  /** Where the key at `at` ends, if it is known: then `key` need not be told of it. */
  keyEnd(at: number): number | undefined {
    const frame = this.#open.at(-1);
    const member = frame?.old?.kind === 'object' ? frame.old.members[frame.next] : undefined;
    if (!frame || !member || !this.#isKnown(at, member.keyStart, member.keyEnd - member.keyStart)) return undefined;
    frame.key = member.key;
    return member.keyEnd + this.#by;
  }

  open(): void {
    this.#open.push({ old: this.#like, count: 0, next: 0, shift: 0, key: undefined, places: undefined });
  }

  close(): void {
    this.#open.pop();
  }

  /** The value that begins at `at`, where the text before has the same one in its place. Asked once for each value. */
  take(at: number): JsonNode | undefined {
    const frame = this.#open.at(-1);
    if (frame === undefined) return this.#one(at, this.#before.root);
    this.#like = undefined;
    if (this.#open.length > MOST_DEPTH) return undefined;
    const { old } = frame;
    const nth = frame.count++;
    if (old?.kind === 'object') return this.#one(at, memberLike(frame, old)?.value);
    return old?.kind === 'array' ? this.#element(at, frame, old, nth) : undefined;
  }

  #one(at: number, old: JsonNode | undefined): JsonNode | undefined {
    this.#like = old;
    // Much of what is in a container, or comes after a short value, may be the same though it is not.
    const isTaken =
      old && (this.#isAt(at, old) || (this.#tries > 0 && this.#isRun(at, old.start) && this.#isAt(at, old)));
    return isTaken ? movedTo(at, old) : undefined;
  }

  #element(at: number, frame: Frame, { items }: JsonArray, nth: number): JsonNode | undefined {
    const turn = nth + frame.shift;
    for (let place = frame.next; place <= frame.next + AHEAD; place++) {
      const found = this.#elementAt(at, frame, items, nth, place);
      if (found) return found;
    }
    this.#like = items[turn];
    return this.#elementAt(at, frame, items, nth, turn);
  }

  #elementAt(at: number, frame: Frame, items: readonly JsonNode[], nth: number, place: number): JsonNode | undefined {
    const old = items[place];
    if (old === undefined || !this.#isAt(at, old)) return undefined;
    frame.next = place + 1;
    frame.shift = place - nth;
    return movedTo(at, old);
  }

  #isAt(at: number, { kind, start, end }: JsonNode): boolean {
    const length = end - start;
    // Behind a number there must be the same: it might go on.
    if (this.#isKnown(at, start, length + 1)) return true;
    const isLong = kind === 'array' || kind === 'object' || (kind === 'string' && length >= LONG);
    return isLong && this.#isRun(at, start, length);
  }

  #isKnown(at: number, start: number, length: number): boolean {
    return at - start === this.#by && at + length <= this.#same;
  }

  /** Whether the texts are the same for so long; then also how far: by pieces of twice the length, then of half of it. */
  #isRun(at: number, start: number, length = LEAST): boolean {
    this.#tries--;
    if (!this.#isEqual(at, start, length)) return false;
    this.#by = at - start;
    this.#same = at + length;
    let isFound = false;
    for (let size = LEAST; size >= LEAST; size = isFound ? size >> 1 : size * 2) {
      if (this.#isEqual(this.#same, this.#same - this.#by, size)) {
        this.#same += size;
        this.#tries = TRIES;
      } else isFound = true;
    }
    return true;
  }

  /** Within both texts: behind the end of one no letter is like another. Two letters tell most that differ apart, which is faster than comparing texts. */
  #isEqual(at: number, start: number, length: number): boolean {
    const [text, old] = [this.#text, this.#before.text];
    const isLike = (further: number): boolean => text.charCodeAt(at + further) === old.charCodeAt(start + further);
    return (
      isLike(length >> 1) && isLike(length - 1) && text.slice(at, at + length) === old.slice(start, start + length)
    );
  }
}

function memberLike(frame: Frame, { members }: JsonObject): JsonMember | undefined {
  const { key, next } = frame;
  let place: number | undefined = next;
  if (members[next]?.key !== key) {
    // As long as each was where it was expected, none is left that could be this one.
    if (next === members.length && !frame.places) return undefined;
    frame.places ??= new Map(members.map((member, at) => [member.key, at]));
    place = frame.places.get(key);
  }
  if (place === undefined) return undefined;
  frame.next = place + 1;
  return members[place];
}

/** The same value, as it is where it begins at `at`. */
function movedTo(at: number, old: JsonNode): JsonNode {
  const by = at - old.start;
  if (by === 0) return old;
  if (old.kind === 'array') return new TwinArray(old, by);
  if (old.kind === 'object') return new TwinObject(old, by);
  return { kind: old.kind, start: at, end: old.end + by };
}

/** A container with the text of another one, elsewhere. Its entries are made when they are asked for. */
class Twin<Node extends JsonArray | JsonObject> extends Container {
  readonly twin: Node;
  protected readonly by: number;

  constructor(twin: Node, by: number) {
    super(twin.start + by, twin.end + by);
    this.twin = twin;
    this.by = by;
  }

  get leaves(): number {
    return leavesOf(this.twin);
  }
}

class TwinArray extends Twin<JsonArray> implements JsonArray {
  readonly kind = 'array';
  #items: readonly JsonNode[] | undefined;

  get items(): readonly JsonNode[] {
    return (this.#items ??= this.twin.items.map((item) => movedTo(item.start + this.by, item)));
  }
}

class TwinObject extends Twin<JsonObject> implements JsonObject {
  readonly kind = 'object';
  #members: readonly JsonMember[] | undefined;

  get members(): readonly JsonMember[] {
    return (this.#members ??= this.twin.members.map((member) => ({
      ...member,
      keyStart: member.keyStart + this.by,
      keyEnd: member.keyEnd + this.by,
      value: movedTo(member.value.start + this.by, member.value),
    })));
  }
}

/** The node of the text before that this one has been taken from, where it is another one. */
export const twinOf = (node: JsonNode): JsonNode | undefined =>
  node instanceof TwinArray || node instanceof TwinObject ? node.twin : undefined;
