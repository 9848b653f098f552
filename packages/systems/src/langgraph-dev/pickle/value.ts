/** What a pickle holds, as inert data. */
import { isUtf8 } from 'node:buffer';
import { InspectorError } from '@checkpoint-inspector/core';

/** A name of Python's, never looked up. */
export class Global {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Apart from whole numbers: 1.0 isn't 1. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Entries in the order in which they were set; of the same key, the last counts. */
export class Dict {
  readonly entries: (readonly [key: Pickled, value: Pickled])[] = [];
}

/** An object of a class that isn't known: only the name is kept, not what was stored with it. */
export class Inert {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Lists and tuples are one kind here. */
export type Pickled = null | boolean | number | bigint | Float | Text | Uint8Array | Pickled[] | Dict | Global | Inert;

/** A text as stored. Decoded when asked, once: a payload of bytes is a text too, and never needed as one. */
export class Text {
  readonly #utf8: Uint8Array;
  #text: string | undefined;
  #latin1: Uint8Array | undefined;

  constructor(utf8: Uint8Array) {
    this.#utf8 = utf8;
  }

  /** @throws InspectorError unreadable */
  toString(): string {
    if (this.#text !== undefined) return this.#text;
    if (!isUtf8(this.#utf8)) throw new InspectorError('unreadable', "The pickle has a text that isn't valid UTF-8.");
    this.#text = Buffer.from(this.#utf8.buffer, this.#utf8.byteOffset, this.#utf8.byteLength).toString('utf8');
    return this.#text;
  }

  /** The bytes that these characters encode, as protocol 2 stores all bytes. @throws InspectorError unreadable */
  latin1(): Uint8Array {
    this.#latin1 ??= latin1Of(this.#utf8);
    return this.#latin1;
  }
}

function latin1Of(utf8: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(utf8.length);
  let length = 0;
  for (let at = 0; at < utf8.length; at++) {
    const byte = utf8[at] ?? 0;
    if (byte < 0x80) {
      bytes[length++] = byte;
      continue;
    }
    const next = utf8[++at] ?? 0;
    if ((byte !== 0xc2 && byte !== 0xc3) || (next & 0xc0) !== 0x80) {
      throw new InspectorError('unreadable', 'The pickle encodes a text as Latin-1 that has other characters.');
    }
    bytes[length++] = ((byte & 0x03) << 6) | (next & 0x3f);
  }
  return bytes.slice(0, length);
}
