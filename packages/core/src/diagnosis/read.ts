import { unquote } from '../json/node.ts';
import { notJson, scalarKind, scanBare, skipSpace, Strings } from '../json/scan.ts';
import { Leaf } from './leaf.ts';
import { withLines } from './lines.ts';
import { isTextAt, ListNode, ObjectNode, type Member, type Node } from './tree.ts';

/** An object or a list whose end is not read yet. */
interface Open {
  readonly start: number;
  /** Of an object. */
  readonly members: OpenMember[] | undefined;
  readonly items: Node[];
  /** What probably stood here in the state before: its parts are tried, and its keys. */
  readonly old: Node | undefined;
  /** An entry of the same list: its keys come again. */
  readonly like: ObjectNode | undefined;
  /** The part of `old` that is tried next. */
  next: number;
  /** The keys that were read are the first of `like`, in their order. */
  inOrder: boolean;
  hasDuplicate: boolean;
  /** Once they are asked for: the keys that were read, and where those of `old` are. */
  keys: Set<string> | undefined;
  places: Map<string, number> | undefined;
}

/** A member whose value may still be read. */
class OpenMember implements Member {
  readonly key: string;
  readonly home: string;
  readonly start: number;
  readonly end: number;
  readonly isDuplicate: boolean;
  value: Node = PENDING;

  constructor(key: string, home: string, start: number, end: number, isDuplicate: boolean) {
    this.key = key;
    this.home = home;
    this.start = start;
    this.end = end;
    this.isDuplicate = isDuplicate;
  }
}

const PENDING = new Leaf('null', '', 0, 0);

/** From this many members on, a set finds duplicates faster than a look back. */
const SMALL = 8;
/** Characters up to which a string is short. */
const MOST_SHORT = 80;
/** Entries that are looked at for the one that an entry of a list was. */
const AHEAD = 6;

/**
 * A JSON text as a tree that shares with `before` what is the same. As strict as `parseJson`, and at any depth.
 * @throws InspectorError unreadable
 */
export function readTree(text: string, before?: Node): Node {
  return new TreeReader(text).read(before);
}

class TreeReader {
  readonly #text: string;
  readonly #strings: Strings;
  readonly #open: Open[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#strings = new Strings(text);
  }

  read(before: Node | undefined): Node {
    this.#skip(0);
    let value = this.#value(before, undefined);
    for (;;) {
      const root = value && this.#attach(value);
      if (root) return root;
      value = this.#next();
    }
  }

  #skip(by: number): void {
    this.#at = skipSpace(this.#text, this.#at + by);
  }

  /** The value that begins here, inside the innermost open list or object. */
  #next(): Node | undefined {
    const open = this.#open[this.#open.length - 1];
    if (open === undefined) return this.#value(undefined, undefined);
    return open.members ? this.#members(open, open.members) : this.#item(open);
  }

  #item(open: Open): Node | undefined {
    const { old, items } = open;
    const last = items[items.length - 1];
    const like = last?.kind === 'object' ? last : undefined;
    if (old?.kind !== 'array') return this.#value(undefined, like);
    const at = this.#placeIn(old, open.next);
    open.next = at + 1;
    return this.#value(old.items[at], like);
  }

  /** Where this entry was: at its turn, or near if others came or went. */
  #placeIn({ items }: ListNode, turn: number): number {
    if (this.#isSame(items[turn])) return turn;
    if (turn > 0 && this.#isSame(items[turn - 1])) return turn - 1;
    for (let at = turn + 1; at <= turn + AHEAD; at++) if (this.#isSame(items[at])) return at;
    return turn;
  }

  /** Reads a value without members, or takes that of the state before; opens any other one and returns nothing. */
  #value(old: Node | undefined, like: ObjectNode | undefined): Node | undefined {
    const start = this.#at;
    if (old !== undefined && this.#isSame(old)) {
      this.#at = start + old.end - old.start;
      return old;
    }
    const code = this.#text.charCodeAt(start);
    if (code !== 0x7b && code !== 0x5b) {
      const end = (this.#at = code === 0x22 ? this.#stringEnd(start) : scanBare(this.#text, start, code));
      return new Leaf(scalarKind(code), this.#text, start, end);
    }
    this.#skip(1);
    if (this.#text.charCodeAt(this.#at) === code + 2) {
      const end = ++this.#at;
      return code === 0x7b
        ? new ObjectNode(this.#text, start, end, [], false)
        : new ListNode(this.#text, start, end, []);
    }
    this.#open.push({
      start,
      members: code === 0x7b ? [] : undefined,
      items: [],
      old,
      like: old?.kind === 'object' ? old : like,
      next: 0,
      inOrder: true,
      hasDuplicate: false,
      keys: undefined,
      places: undefined,
    });
    return undefined;
  }

  /** Of a short one from its own characters: most of a text is taken from the state before, and need not be looked at. */
  #stringEnd(start: number): number {
    const quote = this.#text.indexOf('"', start + 1);
    if (quote === -1 || quote - start > MOST_SHORT) return this.#strings.end(start);
    for (let at = start + 1; at < quote; at++) {
      const code = this.#text.charCodeAt(at);
      if (code < 0x20 || code === 0x5c) return this.#strings.end(start);
    }
    return quote + 1;
  }

  /** Whether the text continues with exactly this value. */
  #isSame(old: Node | undefined): boolean {
    if (old === undefined) return false;
    const at = this.#at;
    const end = at + old.end - old.start;
    if (end > this.#text.length || this.#text.charCodeAt(at) !== old.home.charCodeAt(old.start)) return false;
    if (this.#text.charCodeAt(end - 1) !== old.home.charCodeAt(old.end - 1)) return false;
    return (
      isTextAt(this.#text, at, old.home, old.start, old.end) &&
      (old.kind !== 'number' || !goesOn(this.#text.charCodeAt(end)))
    );
  }

  /** Takes members of the state before as long as they are the same; reads the next `"key":`, and its value. */
  #members(open: Open, members: OpenMember[]): Node | undefined {
    for (let like = open.like?.members[open.next]; like && open.inOrder && this.#isWhole(like);) {
      this.#at += like.value.end - like.start;
      open.next += 1;
      open.hasDuplicate ||= like.isDuplicate;
      members.push(like);
      this.#skip(0);
      like = open.like?.members[open.next];
      if (like === undefined || this.#text.charCodeAt(this.#at) !== COMMA) return TAKEN;
      this.#skip(1);
    }
    return this.#member(open, members);
  }

  #member(open: Open, members: OpenMember[]): Node | undefined {
    const start = this.#at;
    if (this.#text.charCodeAt(start) !== 0x22) throw notJson(this.#text, start, 'a key in double quotes');
    const like = this.#memberLike(open);
    const end = like === undefined ? this.#stringEnd(start) : start + like.end - like.start;
    const key = like === undefined ? unquote(this.#text, start, end) : like.key;
    const isDuplicate = open.inOrder && like !== undefined ? like.isDuplicate : isKnown(open, members, key);
    open.hasDuplicate ||= isDuplicate;
    members.push(new OpenMember(key, this.#text, start, end, isDuplicate));
    this.#at = end;
    this.#skip(0);
    if (this.#text.charCodeAt(this.#at) !== 0x3a) throw notJson(this.#text, this.#at, '":"');
    this.#skip(1);
    return this.#value(like === undefined ? oldValue(open, key) : open.old && like.value, undefined);
  }

  /** The member of the object before that has this key, if it is the next. */
  #memberLike(open: Open): Member | undefined {
    const like = open.like?.members[open.next];
    if (like !== undefined && this.#isKey(like)) {
      open.next += 1;
      return like;
    }
    open.inOrder = false;
    return undefined;
  }

  #isKey({ home, start, end }: Member): boolean {
    return this.#at + end - start <= this.#text.length && isTextAt(this.#text, this.#at, home, start, end);
  }

  /** Key and value, which follow each other in the text that they are from. */
  #isWhole({ home, start, value }: Member): boolean {
    const end = this.#at + value.end - start;
    if (value.home !== home || end > this.#text.length) return false;
    if (this.#text.charCodeAt(end - 1) !== home.charCodeAt(value.end - 1)) return false;
    if (!isTextAt(this.#text, this.#at, home, start, value.end)) return false;
    return value.kind !== 'number' || !goesOn(this.#text.charCodeAt(end));
  }

  /** Hangs `value` into its container and closes all that end here; the root once the document is complete. */
  #attach(first: Node): Node | undefined {
    let value = first;
    for (;;) {
      this.#skip(0);
      const open = this.#open[this.#open.length - 1];
      if (open === undefined) {
        if (this.#at < this.#text.length) throw notJson(this.#text, this.#at, 'the end');
        return value;
      }
      if (!this.#addTo(open, value)) return undefined;
      const end = ++this.#at;
      this.#open.pop();
      const { start, members, items, hasDuplicate } = open;
      value = members
        ? new ObjectNode(this.#text, start, end, members, hasDuplicate)
        : new ListNode(this.#text, start, end, withLines(items));
    }
  }

  /** Adds `value`; true when the container ends at the next character, false when another value begins there. */
  #addTo({ members, items }: Open, value: Node): boolean {
    const last = members?.[members.length - 1];
    if (members === undefined) items.push(value);
    else if (last && value !== TAKEN) last.value = value;
    const code = this.#text.charCodeAt(this.#at);
    if (code === (members ? 0x7d : 0x5d)) return true;
    if (code !== COMMA) throw notJson(this.#text, this.#at, members ? '"," or "}"' : '"," or "]"');
    this.#skip(1);
    return false;
  }
}

const COMMA = 0x2c;
/** Instead of a value: the last member has one already. */
const TAKEN = new Leaf('null', '', 0, 0);

/** A digit, a point or an exponent: the number is a longer one. */
const goesOn = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x45 || code === 0x65;

/** Of a key that did not come at its turn. */
function oldValue(open: Open, key: string): Node | undefined {
  if (open.old?.kind !== 'object') return undefined;
  const { members } = open.old;
  open.places ??= new Map(members.map((member, at) => [member.key, at]));
  const at = open.places.get(key);
  if (at === undefined) return undefined;
  open.next = at + 1;
  return members[at]?.value;
}

/** Where a key came out of its order: whether it came before. */
function isKnown(open: Open, members: readonly Member[], key: string): boolean {
  if (members.length < SMALL) {
    for (const member of members) if (member.key === key) return true;
    return false;
  }
  open.keys ??= new Set(members.map((member) => member.key));
  const isThere = open.keys.has(key);
  open.keys.add(key);
  return isThere;
}
