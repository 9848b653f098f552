/** Where the values in a JSON file are, without holding it: a file may be larger than a string can be. */
import { InspectorError } from '@checkpoint-inspector/core';

/** Names of members and places in lists, from the root. */
export type JsonPlace = readonly (string | number)[];

export interface JsonPart {
  readonly path: JsonPlace;
  /** Of the value, in bytes. */
  readonly start: number;
  readonly end: number;
}

const MAX_NAME_BYTES = 1024;

/** Some programs begin a file with it. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Takes a JSON text in pieces and tells each value whose surroundings are all split. What is inside a value is not
 * checked: who reads it parses it.
 * @example const parts = new JsonParts((path) => path.length < 2); for (const part of parts.push(bytes)) …
 */
export class JsonParts {
  readonly #isSplit: (path: JsonPlace) => boolean;
  /** Of the value that comes next. */
  readonly #path: (string | number)[] = [];
  /** Of all pieces before. */
  #before = 0;
  /** Containers that are open, and how many of them are split. */
  #depth = 0;
  #split = 0;
  /** Where the value or name began that is being read. */
  #start: number | undefined;
  #isName = false;
  #name: number[] = [];
  #string: 'inside' | 'escaped' | undefined;
  #found: JsonPart[] = [];

  constructor(isSplit: (path: JsonPlace) => boolean) {
    this.#isSplit = isSplit;
  }

  /** The values that end in this piece. @throws InspectorError unreadable */
  push(piece: Uint8Array): JsonPart[] {
    this.#found = [];
    for (let at = 0; at < piece.length; at++) {
      if (this.#string !== undefined) at = this.#inString(piece, at);
      else this.#byte(piece[at] ?? 0, this.#before + at);
    }
    this.#before += piece.length;
    return this.#found;
  }

  /** @throws InspectorError unreadable, where the text ends too early */
  end(): JsonPart[] {
    this.#found = [];
    if (this.#string !== undefined || this.#depth > 0) throw broken('ends too early', this.#before);
    this.#ends(this.#before);
    return this.#found;
  }

  /** Of a long string, all that is in this piece; the place of the last byte that was read. */
  #inString(piece: Uint8Array, from: number): number {
    for (let at = from; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (this.#string === 'escaped') this.#string = 'inside';
      else if (byte === BACKSLASH) this.#string = 'escaped';
      else if (byte === QUOTE) {
        this.#string = undefined;
        this.#stringEnds(this.#before + at);
        return at;
      }
      if (this.#isName && this.#name.push(byte) > MAX_NAME_BYTES)
        throw broken('has a name that is too long', this.#before + at);
    }
    return piece.length;
  }

  #stringEnds(at: number): void {
    if (this.#isName) this.#path[this.#path.length - 1] = nameOf(this.#name, at);
    else if (this.#depth === this.#split) this.#ends(at + 1);
  }

  #byte(byte: number, at: number): void {
    if (byte === QUOTE) return this.#stringBegins(at);
    if (byte === BRACE || byte === BRACKET) return this.#opens(byte, at);
    if (byte === BRACE_END || byte === BRACKET_END) return this.#closes(byte, at);
    if (this.#depth > this.#split) return;
    if (byte === COMMA) return this.#next(at);
    if (byte === COLON) this.#isName = false;
    else if (byte > 0x20 && byte !== BYTE_ORDER_MARK[at]) this.#start ??= at;
    else this.#ends(at);
  }

  #stringBegins(at: number): void {
    this.#string = 'inside';
    if (this.#depth > this.#split) return;
    this.#name = [];
    if (!this.#isName) this.#start ??= at;
  }

  #opens(byte: number, at: number): void {
    this.#depth += 1;
    if (this.#depth > this.#split + 1) return;
    if (this.#isName || this.#start !== undefined) throw broken('is damaged', at);
    if (!this.#isSplit(this.#path)) {
      this.#start = at;
      return;
    }
    this.#split += 1;
    this.#isName = byte === BRACE;
    this.#path.push(byte === BRACE ? '' : 0);
  }

  #closes(byte: number, at: number): void {
    if (this.#depth === 0) throw broken('is damaged', at);
    if (this.#depth > this.#split) {
      this.#depth -= 1;
      if (this.#depth === this.#split) this.#ends(at + 1);
      return;
    }
    this.#ends(at);
    const isList = typeof this.#path.pop() === 'number';
    if (isList !== (byte === BRACKET_END)) throw broken('is damaged', at);
    this.#depth -= 1;
    this.#split -= 1;
    this.#isName = false;
  }

  #next(at: number): void {
    this.#ends(at);
    const last = this.#path.at(-1);
    if (typeof last === 'number') this.#path[this.#path.length - 1] = last + 1;
    else this.#isName = true;
  }

  #ends(end: number): void {
    if (this.#start === undefined) return;
    this.#found.push({ path: [...this.#path], start: this.#start, end });
    this.#start = undefined;
  }
}

function nameOf(bytes: readonly number[], at: number): string {
  try {
    return String(JSON.parse(`"${Buffer.from(bytes).toString()}"`));
  } catch (cause) {
    throw broken('has a damaged name', at, cause);
  }
}

const broken = (what: string, offset: number, cause?: unknown): InspectorError =>
  new InspectorError('unreadable', `The JSON ${what}, at byte ${offset}.`, { data: { offset }, cause });
