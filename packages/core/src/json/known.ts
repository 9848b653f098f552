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
/** Deeper values are read: what differs at the bottom would be compared once for each level. */
const MOST_DEPTH = 64;
/** So many elements may be gone before one that is still there. */
const AHEAD = 4;
/** So many members of an object are looked for one by one. */
const FEW = 8;

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
  /** Members that were looked for. */
  missed: number;
  places: Map<string, number> | undefined;
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
  /** Somewhere before here they differ, where the text before is `#otherBy` to the left: it is not asked again. */
  #other = 0;
  #otherBy = 0;

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
    if (at >= this.#same || frame?.old?.kind !== 'object') return undefined;
    const member = frame.old.members[frame.next];
    if (member?.keyStart !== at - this.#by || member.keyEnd + this.#by > this.#same) return undefined;
    frame.key = member.key;
    return member.keyEnd + this.#by;
  }

  /** Into the value that begins at `at`. */
  open(at: number): void {
    const old = this.#like;
    if (old && !this.#isKnown(at, old.start, 1)) this.#isRun(at, old.start);
    this.#open.push({ old, count: 0, next: 0, shift: 0, key: undefined, missed: 0, places: undefined });
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
    return old !== undefined && this.#isAt(at, old) ? movedTo(at, old) : undefined;
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
    if (old === undefined || !this.#isAt(at, old, place === frame.next)) return undefined;
    frame.next = place + 1;
    frame.shift = place - nth;
    return movedTo(at, old);
  }

  /** @param isLikely worth a look for a short value, too */
  #isAt(at: number, { kind, start, end }: JsonNode, isLikely = true): boolean {
    const length = end - start;
    // Behind a number there must be the same: it might go on.
    if (this.#isKnown(at, start, length + 1)) return true;
    if (kind === 'array' || kind === 'object' || (kind === 'string' && length >= LONG))
      return this.#isRun(at, start, length);
    return isLikely && this.#isRun(at, start) && this.#isKnown(at, start, length + 1);
  }

  #isKnown(at: number, start: number, length: number): boolean {
    return at - start === this.#by && at + length <= this.#same;
  }

  /** Whether the texts are the same for so long at least; if so, how far they are is known. */
  #isRun(at: number, start: number, length = LEAST): boolean {
    const by = at - start;
    if (length === LEAST && by === this.#otherBy && at < this.#other) return false;
    if (this.#isEqual(at, start, length)) {
      this.#follow(at + length, by);
      return true;
    }
    if (length === LEAST) [this.#other, this.#otherBy] = [at + length, by];
    return false;
  }

  /** How far the texts are the same: pieces of twice the length are compared, and of half of it once they are not. */
  #follow(at: number, by: number): void {
    this.#by = by;
    this.#same = at;
    let isFound = false;
    for (let size = LEAST; size >= LEAST; size = isFound ? size >> 1 : size * 2) {
      if (this.#isEqual(this.#same, this.#same - by, size)) this.#same += size;
      else isFound = true;
    }
  }

  /** Within both texts. Two letters tell most that differ apart, which is faster than comparing texts. */
  #isEqual(at: number, start: number, length: number): boolean {
    const [text, old] = [this.#text, this.#before.text];
    const isLike = (further: number): boolean => text.charCodeAt(at + further) === old.charCodeAt(start + further);
    return (
      Math.max(at - text.length, start - old.length) + length <= 0 &&
      isLike(length >> 1) &&
      isLike(length - 1) &&
      text.slice(at, at + length) === old.slice(start, start + length)
    );
  }
}

function memberLike(frame: Frame, { members }: JsonObject): JsonMember | undefined {
  const { key, next } = frame;
  if (key === undefined) return undefined;
  const place = members[next]?.key === key ? next : placeOf(frame, members, key);
  if (place === undefined) return undefined;
  frame.next = place + 1;
  return members[place];
}

function placeOf(frame: Frame, members: readonly JsonMember[], key: string): number | undefined {
  if (frame.missed++ >= FEW) {
    frame.places ??= new Map(members.map((member, at) => [member.key, at]));
    return frame.places.get(key);
  }
  const at = members.findIndex((member) => member.key === key);
  return at < 0 ? undefined : at;
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
