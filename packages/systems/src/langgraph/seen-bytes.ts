/** Which nodes had seen what, compared as bytes: a tree has many rows, and making objects of each costs most of it. */
import { isNode, sameVersions } from './shape.ts';

/** More nodes are read another way. */
const MOST_NAMES = 64;

/** `versions_seen` of a row, which is used again for a later one: an object for each row keeps the garbage collector busy. */
export class SeenBytes {
  bytes: Buffer = Buffer.alloc(0);
  /** For each node the number of its name, and where its versions begin and end. */
  readonly nodes = new Int32Array(3 * MOST_NAMES);
  /** Of `nodes`. */
  length = 0;

  add(name: number, from: number, to: number): void {
    this.nodes[this.length] = name;
    this.nodes[this.length + 1] = from;
    this.nodes[this.length + 2] = to;
    this.length += 3;
  }
}

const VERSIONS_SEEN = Buffer.from('"versions_seen":');
const [QUOTE, COMMA, COLON, BACKSLASH, OPEN, CLOSE, ZERO, NINE, SPACE] = [34, 44, 58, 92, 123, 125, 48, 57, 32];
/** More digits could be rounded. */
const MOST_DIGITS = 15;

/** Names of nodes by their numbers. */
export class NodeNames {
  readonly #names: { readonly bytes: Buffer; readonly text: string }[] = [];

  text(number: number): string {
    return this.#names[number]?.text ?? '';
  }

  /** -1: there are too many. */
  of(bytes: Buffer, from: number, to: number): number {
    for (let number = 0; number < this.#names.length; number++) {
      const known = this.#names[number]?.bytes;
      if (known && isSame(known, 0, known.length, bytes, from, to)) return number;
    }
    const name = Buffer.from(bytes.subarray(from, to));
    return this.#names.length < MOST_NAMES ? this.#names.push({ bytes: name, text: name.toString('utf8') }) - 1 : -1;
  }
}

/**
 * Where the name `versions_seen` is in the end of a checkpoint, of which it is the last member; -1 where it is not.
 * @param likely looking for it costs more than reading it
 */
export function seenAt(bytes: Buffer, from: number, to: number, likely: number): number {
  const length = VERSIONS_SEEN.length;
  if (likely >= from && isSame(VERSIONS_SEEN, 0, length, bytes, likely, likely + length)) return likely;
  const at = bytes.subarray(from, to).lastIndexOf(VERSIONS_SEEN);
  return at < 0 ? -1 : from + at;
}

/** Reads what follows that name up to the end; false where it is written another way than LangGraph does. */
export function readSeen(into: SeenBytes, bytes: Buffer, at: number, to: number, names: NodeNames): boolean {
  const from = at + VERSIONS_SEEN.length;
  // The checkpoint itself ends there too.
  const end = to - 2;
  if (at < 0 || bytes[from] !== OPEN || bytes[end] !== CLOSE || bytes[end + 1] !== CLOSE) return false;
  into.bytes = bytes;
  into.length = 0;
  if (from + 1 === end) return true;
  for (let place = from; place < end;) {
    const colon = endOfText(bytes, place + 1);
    const after = colon < 0 ? -1 : endOfVersions(bytes, colon);
    // A number would be listed before the others.
    if (after < 0 || isDigit(bytes[place + 2])) return false;
    const name = names.of(bytes, place + 2, colon - 1);
    if (name < 0 || placeOf(into, name) >= 0) return false;
    into.add(name, colon + 1, after);
    if (bytes[after] !== COMMA && after !== end) return false;
    place = after;
  }
  return true;
}

/** The nodes that ran to make a checkpoint, as `nodesThatRan` finds them, with commas; absent: none. */
export function bytesThatRan(seen: SeenBytes, before: SeenBytes, names: NodeNames): string | undefined {
  let ran: string | undefined;
  for (let at = 0; at < seen.length; at += 3) {
    const name = seen.nodes[at] ?? -1;
    const last = at < before.length && before.nodes[at] === name ? at : placeOf(before, name);
    if (last >= 0 && hasSame(seen, at, before, last)) continue;
    const text = names.text(name);
    if (isNode(text)) ran = ran === undefined ? text : `${ran}, ${text}`;
  }
  return ran;
}

function placeOf({ nodes, length }: SeenBytes, name: number): number {
  for (let at = 0; at < length; at += 3) if (nodes[at] === name) return at;
  return -1;
}

function hasSame(a: SeenBytes, at: number, b: SeenBytes, last: number): boolean {
  const [from = 0, to = 0] = [a.nodes[at + 1], a.nodes[at + 2]];
  const [start = 0, end = 0] = [b.nodes[last + 1], b.nodes[last + 2]];
  if (isSame(a.bytes, from, to, b.bytes, start, end)) return true;
  // Of several channels the order may be another one.
  const comma = a.bytes.indexOf(COMMA, from);
  return comma >= 0 && comma < to && sameVersions(versionsIn(a.bytes, from, to), versionsIn(b.bytes, start, end));
}

const versionsIn = (bytes: Buffer, from: number, to: number): Readonly<Record<string, unknown>> =>
  JSON.parse(bytes.toString('utf8', from, to)) as Record<string, unknown>;

function isSame(a: Buffer, from: number, to: number, b: Buffer, start: number, end: number): boolean {
  if (to - from !== end - start) return false;
  // Names and versions differ at their ends.
  for (let at = to - 1, other = end - 1; at >= from; at--, other--) if (a[at] !== b[other]) return false;
  return true;
}

const isDigit = (code: number | undefined): boolean => code !== undefined && code >= ZERO && code <= NINE;

/** At the colon behind a key without escapes; -1 where there is none, or the name that was looked for. */
function endOfText(bytes: Buffer, from: number): number {
  const end = endOfValue(bytes, from);
  if (end < 0 || bytes[end] !== COLON) return -1;
  return isSame(VERSIONS_SEEN, 0, VERSIONS_SEEN.length, bytes, from, end + 1) ? -1 : end;
}

function endOfValue(bytes: Buffer, from: number): number {
  if (bytes[from] !== QUOTE) return -1;
  for (let at = from + 1; at < bytes.length; at++) {
    const code = bytes[at] ?? 0;
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH || code < SPACE) return -1;
  }
  return -1;
}

/** Behind an object of numbers and texts, which follows a colon. */
function endOfVersions(bytes: Buffer, colon: number): number {
  if (bytes[colon + 1] !== OPEN) return -1;
  if (bytes[colon + 2] === CLOSE) return colon + 3;
  for (let at = colon + 1; ;) {
    const end = endOfText(bytes, at + 1);
    if (end < 0) return -1;
    at = bytes[end + 1] === QUOTE ? endOfValue(bytes, end + 1) : endOfNumber(bytes, end + 1);
    if (at < 0) return -1;
    if (bytes[at] === CLOSE) return at + 1;
    if (bytes[at] !== COMMA) return -1;
  }
}

function endOfNumber(bytes: Buffer, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at++;
  const digits = at - from;
  const isWhole = digits > 0 && digits <= MOST_DIGITS && (digits === 1 || bytes[from] !== ZERO);
  return isWhole ? at : -1;
}
