/**
 * What LangGraph's Python serializer writes beside plain values, as data with the name of its type under "$type".
 * Nothing is imported, called or built from that name. Source: langgraph-checkpoint, serde/jsonplus.py.
 */
import { findSecretBytes, InspectorError, quoteJson, SECRET_CLASS } from '@checkpoint-inspector/core';
import { Output } from './output.ts';

/** Reads the body of an extension from its beginning, and writes what it reads. */
export interface BodyReader {
  /** The next value. */
  write(): void;
  /** So many members of a map, each after a comma. */
  members(size: number): void;
  /** The text that is next; `undefined` for anything else, which is then left unread. */
  text(): string | undefined;
  mapLength(): number | undefined;
  arrayLength(): number | undefined;
  isAtEnd(): boolean;
  /** So many bytes are written again. @throws InspectorError too_large */
  again(size: number): void;
}

const TYPE = '"$type"';
/** In the place of a secret: what Python itself shows. */
export const MASKED = '"**********"';

/** Codes of LangGraph's extensions. */
const SINGLE = 0;
const POSITIONAL = 1;
const METHOD = 3;
const NUMPY = 6;
const DELTA_SNAPSHOT = 7;
/** Constructors by keywords, and pydantic's models of both versions: their fields are beside the name of the type. */
const BY_FIELDS = new Set([2, 4, 5]);

/** The type that marks the value of a delta channel's snapshot. */
export const SNAPSHOT_TYPE = 'langgraph.DeltaSnapshot';
const SEND = 'langgraph.types.Send';
const NUMPY_FIELDS = ['dtype', 'shape', 'order', 'data'];

export function bytesText(bytes: Uint8Array): string {
  const out = new Output();
  writeBytes(out, bytes);
  return out.take(0);
}

/** An object of JSON texts; a list of pairs where keys are not texts, or where it would look like one of these types. */
export function dictText(pairs: readonly (readonly [key: string, value: string])[]): string {
  const isPlain = pairs.every(([key]) => key.startsWith('"') && key !== TYPE);
  if (isPlain) return `{${pairs.map(([key, value]) => `${key}:${value}`).join(',')}}`;
  return `{${TYPE}:"dict","items":[${pairs.map(([key, value]) => `[${key},${value}]`).join(',')}]}`;
}

function writeBytes(out: Output, bytes: Uint8Array): void {
  out.ascii(`{${TYPE}:"bytes","size":${bytes.byteLength},"base64":"`);
  out.base64(bytes);
  out.ascii('"}');
}

export class Extensions {
  readonly #bytes: Uint8Array;
  readonly #out: Output;
  readonly #body: BodyReader;

  constructor(bytes: Uint8Array, out: Output, body: BodyReader) {
    this.#bytes = bytes;
    this.#out = out;
    this.#body = body;
  }

  writeBytes(bytes: Uint8Array): void {
    writeBytes(this.#out, bytes);
  }

  /** The body is MessagePack again for the codes that LangGraph has; any other body, or damage in it, is shown by size. */
  write(code: number, start: number, end: number): void {
    const from = this.#out.size;
    try {
      if (this.#known(code) && this.#body.isAtEnd()) return;
    } catch (error) {
      if (!InspectorError.is(error) || error.code !== 'unreadable') throw error;
    }
    this.#out.size = from;
    this.#unknown(code, this.#bytes.subarray(start, end));
  }

  #unknown(code: number, body: Uint8Array): void {
    this.#body.again(body.length);
    this.#out.ascii(`{${TYPE}:"msgpack extension ${code}","size":${body.length},"base64":`);
    if (findSecretBytes(body).length > 0) this.#out.ascii(MASKED);
    else {
      this.#out.byte(0x22);
      this.#out.base64(body);
      this.#out.byte(0x22);
    }
    this.#out.byte(0x7d);
  }

  #known(code: number): boolean {
    if (code < SINGLE || code > DELTA_SNAPSHOT) return false;
    if (code === DELTA_SNAPSHOT) {
      this.#begin(SNAPSHOT_TYPE);
      this.#member('value');
      this.#out.byte(0x7d);
      return true;
    }
    const length = this.#body.arrayLength() ?? 0;
    const isKnown = code === NUMPY ? this.#numpy(length) : this.#constructed(code, length);
    this.#out.byte(0x7d);
    return isKnown;
  }

  #numpy(length: number): boolean {
    if (length < NUMPY_FIELDS.length) return false;
    this.#begin('numpy.ndarray');
    for (const name of NUMPY_FIELDS) this.#member(name);
    this.#skip(length - NUMPY_FIELDS.length);
    return true;
  }

  /** `[module, name, held]`, and the name of a method after some. */
  #constructed(code: number, length: number): boolean {
    const module = length < 3 ? undefined : this.#body.text();
    const name = module === undefined ? undefined : this.#body.text();
    if (name === undefined) return false;
    const type = `${module}.${name}`;
    this.#begin(type);
    if (SECRET_CLASS.test(type)) {
      this.#skip(1);
      this.#out.ascii(`,"value":${MASKED}`);
    } else this.#held(code, type);
    this.#skip(length - 3);
    return true;
  }

  #held(code: number, type: string): void {
    if (BY_FIELDS.has(code)) {
      // The fields beside the type, so that a path into a message is as short as in Python.
      const size = this.#body.mapLength();
      return size === undefined ? this.#member('value') : this.#body.members(size);
    }
    if (code === POSITIONAL && type === SEND) return this.#send();
    if (code === SINGLE || code === POSITIONAL || code === METHOD) this.#member('value');
  }

  /** `[node, arg]`, and a timeout in newer versions. */
  #send(): void {
    const size = this.#body.arrayLength();
    if (size === undefined) return this.#member('value');
    if (size < 2) return this.#list('value', size);
    this.#member('node');
    this.#member('arg');
    if (size > 2) this.#list('more', size - 2);
  }

  #list(name: string, size: number): void {
    this.#out.ascii(`,"${name}":[`);
    for (let n = 0; n < size; n++) {
      if (n > 0) this.#out.byte(0x2c);
      this.#body.write();
    }
    this.#out.byte(0x5d);
  }

  #begin(type: string): void {
    this.#out.ascii(`{${TYPE}:`);
    this.#out.utf8(quoteJson(type));
  }

  #member(name: string): void {
    this.#out.ascii(`,"${name}":`);
    this.#body.write();
  }

  /** Read for what it may be damaged, and not shown. */
  #skip(count: number): void {
    const from = this.#out.size;
    for (let n = 0; n < count; n++) {
      this.#body.write();
      this.#out.size = from;
    }
  }
}
