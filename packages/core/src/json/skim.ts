/** Finds where values end without building them: a light index of a text of any size. */
import { notJson, scanBare, skipSpace } from './scan.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OBJECT = 0x7b;
const ARRAY = 0x5b;
/** A closing bracket is two places after its opening one. */
const CLOSES = 2;

/** Every so-manieth child of a kept container has its offset noted. */
export const MARK = 64;
/** Shorter containers are skimmed again where they are needed. */
const KEPT_LENGTH = 4096;
const KEPT_DEPTH = 512;
const KEPT_MOST = 200_000;

/** A container of the text; offsets count UTF-16 code units. */
export interface Container {
  readonly kind: 'object' | 'array';
  readonly start: number;
  readonly end: number;
  /** Its children, duplicate keys included. */
  readonly count: number;
  /** Where the children 0, 64, 128 … begin; of a member that is its key. */
  readonly marks: readonly number[];
}

/** Where the large containers of a text are. */
export interface JsonIndex {
  readonly text: string;
  /** The root value. */
  readonly start: number;
  readonly end: number;
  readonly kept: Map<number, Container>;
}

interface Frame {
  code: number;
  start: number;
  count: number;
  marks: number[];
}

/**
 * Reads over the whole text once; what is kept grows with its large containers, never with its values. Structure and
 * numbers are checked as `parseJson` does, escapes inside strings are not.
 * @throws InspectorError unreadable, `data.offset` in UTF-16 code units
 * @example indexJson('{"a":[1,2]}').end // 11
 */
export function indexJson(text: string): JsonIndex {
  return new Indexer(text).run();
}

class Indexer {
  readonly #text: string;
  readonly #kept = new Map<number, Container>();
  /** Reused: a text may hold millions of containers. */
  readonly #frames: Frame[] = [];
  #depth = 0;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): JsonIndex {
    const start = skipSpace(this.#text, 0);
    this.#at = start;
    do while (this.#opens());
    while (this.#goesOn());
    const end = this.#at;
    const rest = skipSpace(this.#text, end);
    if (rest < this.#text.length) throw notJson(this.#text, rest, 'the end');
    return { text: this.#text, start, end, kept: this.#kept };
  }

  /** At a value: goes into a container that is not empty, else past the value. */
  #opens(): boolean {
    const text = this.#text;
    const start = this.#at;
    const code = text.charCodeAt(start);
    if (code !== OBJECT && code !== ARRAY) {
      this.#at = checkedScalarEnd(text, start, code);
      return false;
    }
    const first = skipSpace(text, start + 1);
    if (text.charCodeAt(first) === code + CLOSES) {
      this.#at = first + 1;
      return false;
    }
    const frame = (this.#frames[this.#depth] ??= { code, start, count: 0, marks: [] });
    frame.code = code;
    frame.start = start;
    frame.count = 0;
    frame.marks = [];
    this.#depth++;
    this.#child(frame, first);
    return true;
  }

  /** Past a value: to the next one, closing what ends here; false at the end of the root. */
  #goesOn(): boolean {
    const text = this.#text;
    for (;;) {
      const frame = this.#frames[this.#depth - 1];
      if (this.#depth === 0 || frame === undefined) return false;
      const at = skipSpace(text, this.#at);
      const code = text.charCodeAt(at);
      if (code === COMMA) {
        this.#child(frame, skipSpace(text, at + 1));
        return true;
      }
      if (code !== frame.code + CLOSES) throw notJson(text, at, frame.code === OBJECT ? '"," or "}"' : '"," or "]"');
      this.#at = at + 1;
      this.#depth--;
      this.#keep(frame);
    }
  }

  /** To the value of the child that begins at `at`. */
  #child(frame: Frame, at: number): void {
    if (frame.count % MARK === 0) frame.marks.push(at);
    frame.count++;
    this.#at = frame.code === OBJECT ? valueOfMember(this.#text, at) : at;
  }

  #keep(frame: Frame): void {
    const end = this.#at;
    if (end - frame.start < KEPT_LENGTH || this.#depth >= KEPT_DEPTH || this.#kept.size >= KEPT_MOST) return;
    const { code, start, count, marks } = frame;
    this.#kept.set(start, { kind: code === OBJECT ? 'object' : 'array', start, end, count, marks });
  }
}

/** Where the value of the member begins whose key is at `at`. */
function valueOfMember(text: string, at: number): number {
  if (text.charCodeAt(at) !== QUOTE) throw notJson(text, at, 'a key in double quotes');
  const colon = skipSpace(text, stringEnd(text, at));
  if (text.charCodeAt(colon) !== 0x3a) throw notJson(text, colon, '":"');
  return skipSpace(text, colon + 1);
}

/** End of the string token at `start`: the first quote that no backslash escapes. */
export function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((at - 1 - before) % 2 === 0) return at + 1;
  }
  throw notJson(text, text.length, 'a closing quote');
}

const checkedScalarEnd = (text: string, start: number, code: number): number =>
  code === QUOTE ? stringEnd(text, start) : scanBare(text, start, code);

/** End of the value at `start` in a text that is known to be JSON. */
export function valueEnd(
  { text, kept }: { readonly text: string; readonly kept: ReadonlyMap<number, Container> },
  start: number,
): number {
  const known = kept.get(start);
  if (known) return known.end;
  const code = text.charCodeAt(start);
  if (code !== OBJECT && code !== ARRAY) return checkedScalarEnd(text, start, code);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const here = text.charCodeAt(at);
    if (here === QUOTE) at = stringEnd(text, at) - 1;
    else if (here === OBJECT || here === ARRAY) depth++;
    else if ((here === OBJECT + CLOSES || here === ARRAY + CLOSES) && --depth === 0) return at + 1;
  }
  throw notJson(text, text.length, 'a closing bracket');
}

/** Goes over the children of a container, one after the other. */
export class ChildCursor {
  readonly #index: JsonIndex;
  readonly #isObject: boolean;
  #next: number;
  /** Place among the children; -1 before the first step. */
  place: number;
  /** Where the key of a member begins; equal to `start` in an array. */
  from = 0;
  /** The value. */
  start = 0;
  end = 0;

  /** Positioned before child `place`, or as near before it as a mark allows. */
  constructor(index: JsonIndex, container: Pick<Container, 'kind' | 'start'>, place = 0) {
    this.#index = index;
    this.#isObject = container.kind === 'object';
    const marks = index.kept.get(container.start)?.marks ?? [];
    const mark = Math.min(Math.floor(place / MARK), Math.max(0, marks.length - 1));
    this.#next = marks[mark] ?? skipSpace(index.text, container.start + 1);
    this.place = mark * MARK - 1;
  }

  /** To the next child; false after the last. */
  next(): boolean {
    const { text } = this.#index;
    const code = text.charCodeAt(this.#next);
    if (code === OBJECT + CLOSES || code === ARRAY + CLOSES) return false;
    this.place++;
    this.from = this.#next;
    this.start = this.#isObject ? valueOfMember(text, this.from) : this.from;
    this.end = valueEnd(this.#index, this.start);
    const after = skipSpace(text, this.end);
    this.#next = text.charCodeAt(after) === COMMA ? skipSpace(text, after + 1) : after;
    return true;
  }
}

/** The container at `start` with its count; `undefined` for a scalar. */
export function containerAt(index: JsonIndex, start: number): Container | undefined {
  const known = index.kept.get(start);
  if (known) return known;
  const code = index.text.charCodeAt(start);
  if (code !== OBJECT && code !== ARRAY) return undefined;
  const kind = code === OBJECT ? 'object' : 'array';
  const cursor = new ChildCursor(index, { kind, start });
  const marks: number[] = [];
  while (cursor.next()) if (cursor.place % MARK === 0) marks.push(cursor.from);
  const end = skipSpace(index.text, cursor.place < 0 ? start + 1 : cursor.end) + 1;
  const found: Container = { kind, start, end, count: cursor.place + 1, marks };
  // Too deep to be kept at first; it was asked for, so the next question will find it.
  if (end - start >= KEPT_LENGTH) index.kept.set(start, found);
  return found;
}
