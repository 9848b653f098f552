/**
 * MessagePack to JSON text in one pass. It goes from bytes to text because values between them would lose what a diff
 * must see: 1.0 beside 1, the order of keys, keys that are not texts. Nothing is allocated by what a header claims.
 */
import { isUtf8 } from 'node:buffer';
import { InspectorError } from '@checkpoint-inspector/core';
import { Extensions } from './extension.ts';
import { Output, pythonFloat } from './output.ts';

/** Deeper nesting is refused, not followed; an extension counts as ten levels, because it takes so many calls. */
const DEEPEST = 1000;
const EXTENSION_LEVELS = 10;
/** What has to be written again may be so many times what is stored: damage inside damage would have no end. */
const AGAIN = 32;
const ALWAYS = 1024 * 1024;

const TYPE = '"$type"';
const TYPE_KEY = Buffer.from('$type');
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * The JSON text of one MessagePack value; extensions are inert data.
 * @throws InspectorError unreadable | too_large
 * @example msgpackToJson(new Uint8Array([0x81, 0xa1, 0x61, 0x01])) // '{"a":1}'
 */
export function msgpackToJson(bytes: Uint8Array): string {
  const reader = new MsgpackReader(bytes);
  const text = reader.value();
  reader.done();
  if (!reader.isAtEnd()) throw damaged(`has ${bytes.length - reader.at} more bytes`, reader.at);
  return text;
}

/** The value that begins at this byte, whatever comes after it. @throws InspectorError unreadable | too_large */
export function msgpackAt(bytes: Uint8Array, start: number): string {
  return new MsgpackReader(bytes, start).value();
}

function damaged(what: string, at: number): InspectorError {
  return new InspectorError('unreadable', `The msgpack ${what} at byte ${at}.`);
}

export class MsgpackReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #out = new Output();
  readonly #extensions: Extensions;
  #depth = 0;
  /** The byte after the last that may be read: inside an extension that of its body. */
  #end: number;
  #left: number;
  at: number;

  constructor(bytes: Uint8Array, start = 0) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.length;
    this.#left = AGAIN * bytes.length + ALWAYS;
    this.at = start;
    this.#extensions = new Extensions(this.#bytes, this.#out, {
      write: () => this.#write(),
      members: (size) => this.#members(size, true),
      text: () => this.#plainText(),
      mapLength: () => this.mapLength(),
      arrayLength: () => this.arrayLength(),
      isAtEnd: () => this.isAtEnd(),
      again: (size) => this.#again(size),
    });
  }

  isAtEnd(): boolean {
    return this.at === this.#end;
  }

  /** The reader is not used again. */
  done(): void {
    this.#out.done();
  }

  /** The next value as JSON text. */
  value(): string {
    const from = this.#out.size;
    this.#write();
    return this.#out.take(from);
  }

  /** The number of members of the map that begins here; `undefined` for anything else, which is then left unread. */
  mapLength(): number | undefined {
    return this.#length(0x80, 0xde);
  }

  /** The same of an array. */
  arrayLength(): number | undefined {
    return this.#length(0x90, 0xdc);
  }

  #length(short: number, long: number): number | undefined {
    const head = this.at < this.#end ? (this.#bytes[this.at] ?? 0) : 0;
    const isLong = head === long || head === long + 1;
    if (!isLong && head >> 4 !== short >> 4) return undefined;
    this.at++;
    return isLong ? this.#number(head === long ? 2 : 4) : head & 0x0f;
  }

  #write(): void {
    const start = this.at;
    const head = this.#bytes[this.#take(1)] ?? 0;
    if (head < 0x80) this.#out.small(head);
    else if (head < 0x90) this.#map(head & 0x0f);
    else if (head < 0xa0) this.#array(head & 0x0f);
    else if (head < 0xc0) this.#text(head & 0x1f);
    else if (head >= 0xe0) this.#out.ascii(String(head - 0x100));
    else if (head >= 0xd4 && head <= 0xd8) this.#extension(1 << (head - 0xd4));
    else this.#wide(head, start);
  }

  #wide(head: number, start: number): void {
    const [view, out] = [this.#view, this.#out];
    switch (head) {
      case 0xc0:
        return out.ascii('null');
      case 0xc2:
        return out.ascii('false');
      case 0xc3:
        return out.ascii('true');
      case 0xca:
        return out.ascii(pythonFloat(view.getFloat32(this.#take(4))));
      case 0xcb:
        return out.ascii(pythonFloat(view.getFloat64(this.#take(8))));
      case 0xcf:
        return out.ascii(String(view.getBigUint64(this.#take(8))));
      case 0xd0:
        return out.ascii(String(view.getInt8(this.#take(1))));
      case 0xd1:
        return out.ascii(String(view.getInt16(this.#take(2))));
      case 0xd2:
        return out.ascii(String(view.getInt32(this.#take(4))));
      case 0xd3:
        return out.ascii(String(view.getBigInt64(this.#take(8))));
      default:
        return this.#sized(head, start);
    }
  }

  /** What begins with a number of 1, 2 or 4 bytes: itself, or a length. */
  #sized(head: number, start: number): void {
    if (head >= 0xcc && head <= 0xce) return this.#out.ascii(String(this.#number(1 << (head - 0xcc))));
    if (head >= 0xc4 && head <= 0xc6) return this.#extensions.writeBytes(this.#slice(this.#number(1 << (head - 0xc4))));
    if (head >= 0xc7 && head <= 0xc9) return this.#extension(this.#number(1 << (head - 0xc7)));
    if (head >= 0xd9 && head <= 0xdb) return this.#text(this.#number(1 << (head - 0xd9)));
    if (head === 0xdc || head === 0xdd) return this.#array(this.#number(head === 0xdc ? 2 : 4));
    if (head === 0xde || head === 0xdf) return this.#map(this.#number(head === 0xde ? 2 : 4));
    throw damaged('has the unknown code 0xc1', start);
  }

  #array(size: number): void {
    this.#deeper();
    this.#out.byte(0x5b);
    for (let n = 0; n < size; n++) {
      if (n > 0) this.#out.byte(COMMA);
      this.#write();
    }
    this.#out.byte(0x5d);
    this.#depth--;
  }

  #map(size: number): void {
    this.#deeper();
    this.#members(size, false);
    this.#depth--;
  }

  /**
   * An object; a list of pairs where keys are not texts, or where it would look like a type. `beside`: the members go
   * beside others, each after a comma.
   */
  #members(size: number, beside: boolean): void {
    const out = this.#out;
    const from = out.size;
    if (!beside) out.byte(0x7b);
    const ends: number[] = [];
    for (let n = 0; n < size; n++) {
      if (!this.#isPlainKey()) return this.#pairs(size, beside, from, ends);
      if (n > 0 || beside) out.byte(COMMA);
      ends.push(out.size);
      this.#write();
      ends.push(out.size);
      out.byte(COLON);
      this.#write();
      ends.push(out.size);
    }
    if (!beside) out.byte(0x7d);
  }

  #isPlainKey(): boolean {
    const head = this.#bytes[this.at] ?? 0;
    if (!((head >= 0xa0 && head <= 0xbf) || (head >= 0xd9 && head <= 0xdb))) return false;
    const start = head < 0xc0 ? this.at + 1 : this.at + 1 + (1 << (head - 0xd9));
    const isType = this.#bytes[start] === TYPE_KEY[0] && this.#bytes.subarray(start, start + 5).equals(TYPE_KEY);
    return !isType || this.#sizeAt(head) !== TYPE_KEY.length;
  }

  /** Of the text that begins here. */
  #sizeAt(head: number): number {
    if (head < 0xc0) return head & 0x1f;
    const from = this.at;
    this.at++;
    const size = this.#number(1 << (head - 0xd9));
    this.at = from;
    return size;
  }

  /** `ends`: of those that are written already, where the key begins and ends, and where the value ends. */
  #pairs(size: number, beside: boolean, from: number, ends: readonly number[]): void {
    const out = this.#out;
    const known = out.part(from, out.size);
    this.#again(known.length);
    out.size = from;
    out.ascii(`${beside ? ',"value":' : ''}{${TYPE}:"dict","items":[`);
    for (let n = 0; n < ends.length; n += 3) {
      const [start = 0, middle = 0, end = 0] = ends.slice(n, n + 3).map((place) => place - from);
      out.ascii(n > 0 ? ',[' : '[');
      out.raw(known.subarray(start, middle));
      out.byte(COMMA);
      out.raw(known.subarray(middle + 1, end));
      out.byte(0x5d);
    }
    for (let n = ends.length / 3; n < size; n++) {
      out.ascii(n > 0 ? ',[' : '[');
      this.#write();
      out.byte(COMMA);
      this.#write();
      out.byte(0x5d);
    }
    out.ascii(']}');
  }

  #extension(size: number): void {
    const code = this.#view.getInt8(this.#take(1));
    const start = this.#take(size);
    const [after, end, depth] = [this.at, this.#end, this.#depth];
    this.#deeper(EXTENSION_LEVELS);
    this.#end = after;
    this.at = start;
    this.#extensions.write(code, start, after);
    this.#end = end;
    this.#depth = depth;
    this.at = after;
  }

  #deeper(levels = 1): void {
    if (this.#depth + levels > DEEPEST) {
      throw new InspectorError('too_large', `The msgpack is nested more than ${DEEPEST} levels deep.`);
    }
    this.#depth += levels;
  }

  #again(size: number): void {
    this.#left -= size;
    if (this.#left < 0) throw new InspectorError('too_large', 'The msgpack has too much damage inside damage.');
  }

  #text(size: number): void {
    const start = this.#take(size);
    if (this.#out.quoted(this.#view, start, this.at)) return;
    if (!isUtf8(this.#bytes.subarray(start, this.at))) throw damaged("has a text that isn't valid UTF-8", start);
  }

  /** The text that begins here; `undefined` for anything else. */
  #plainText(): string | undefined {
    const head = this.#bytes[this.at] ?? 0;
    if (!((head >= 0xa0 && head <= 0xbf) || (head >= 0xd9 && head <= 0xdb))) return undefined;
    return String(JSON.parse(this.value()));
  }

  #number(size: number): number {
    const at = this.#take(size);
    if (size === 1) return this.#view.getUint8(at);
    return size === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #slice(size: number): Uint8Array {
    const start = this.#take(size);
    return this.#bytes.subarray(start, start + size);
  }

  #take(size: number): number {
    const start = this.at;
    if (size > this.#end - start) throw damaged('ends too early', this.#end);
    this.at += size;
    return start;
  }
}
