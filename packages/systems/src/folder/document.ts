/** What the systems over folders read of their JSON documents. */
import {
  InspectorError,
  parseJson,
  sourceOf,
  stringOf,
  valueAt,
  type JsonNode,
  type JsonObject,
  type Path,
  type Problem,
} from '@checkpoint-inspector/core';
import { decodeUtf8, readBounded, readSmall } from '@checkpoint-inspector/io';

/** A text without the byte order mark that programs of Windows put before it. */
export const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '');

/** @throws InspectorError unreadable */
export const textOfBytes = (bytes: Uint8Array): string => withoutMark(decodeUtf8(bytes));

const SMALL_BYTES = 1024 * 1024;

/** @throws InspectorError not_found | unreadable | too_large */
export async function readText(path: string, maxBytes: number): Promise<string> {
  return textOfBytes(readSmall(path, Math.min(maxBytes, SMALL_BYTES)) ?? (await readBounded(path, { maxBytes })));
}

/** One parsed document and short ways into it. */
export interface Parsed {
  readonly text: string;
  readonly root: JsonObject;
  readonly string: (...path: Path) => string | undefined;
  readonly number: (...path: Path) => number | undefined;
  /** Keys of the object at the path; none where it is not an object. */
  readonly keys: (...path: Path) => readonly string[];
  readonly node: (...path: Path) => JsonNode | undefined;
}

/** The document's object, or why there is none. */
export function parseObject(text: string): Parsed | { readonly problem: Problem } {
  try {
    const root = parseJson(text);
    if (root.kind === 'object') return parsedOf(text, root);
    return { problem: unreadable(`The file contains a JSON ${root.kind}, not an object.`, 0) };
  } catch (cause) {
    const { message, data } = InspectorError.from(cause);
    const offset = data?.['offset'];
    return { problem: unreadable(message, typeof offset === 'number' ? byteOffset(text, offset) : undefined) };
  }
}

export function parsedOf(text: string, root: JsonObject): Parsed {
  const node = (...path: Path): JsonNode | undefined => valueAt(text, root, path);
  return {
    text,
    root,
    node,
    string: (...path) => {
      const found = node(...path);
      return found?.kind === 'string' ? stringOf(text, found) : undefined;
    },
    number: (...path) => {
      const found = node(...path);
      const value = found?.kind === 'number' ? Number(sourceOf(text, found)) : Number.NaN;
      return Number.isFinite(value) ? value : undefined;
    },
    keys: (...path) => {
      const found = node(...path);
      return found?.kind === 'object' ? [...new Set(found.members.map((member) => member.key))] : [];
    },
  };
}

/** Of a document whose `timestamp` is none. */
export function timeProblem({ text, node }: Parsed): Problem {
  const stored = node('timestamp');
  if (!stored) return unreadable('The object has no timestamp.');
  const words = `The timestamp ${sourceOf(text, stored).slice(0, 60)} isn't an ISO 8601 time.`;
  return unreadable(words, byteOffset(text, stored.start));
}

export function unreadable(message: string, offset?: number): Problem {
  return { code: 'unreadable', message, ...(offset === undefined ? {} : { offset }) };
}

/** What is beside a file or row that cannot be read; codes that are not `kept` become `unreadable`. */
export function problemOf(thrown: unknown, kept: readonly Problem['code'][] = ['too_large']): Problem {
  const { code, message, data } = InspectorError.from(thrown);
  const offset = data?.['offset'];
  return {
    code: kept.find((one) => one === code) ?? 'unreadable',
    message,
    ...(typeof offset === 'number' ? { offset } : {}),
  };
}

export function byteOffset(text: string, chars: number): number {
  return Buffer.byteLength(text.slice(0, chars));
}

type Maybe<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];
type Defined<T> = { readonly [K in Exclude<keyof T, Maybe<T>>]: T[K] } & {
  readonly [K in Maybe<T>]?: Exclude<T[K], undefined>;
};

/** The members that are not undefined, in their order. */
export function defined<const T extends object>(members: T): Defined<T> {
  const present: Partial<T> = {};
  // Lists of many rows are made by this: no arrays in between.
  for (const key in members) if (members[key] !== undefined) present[key] = members[key];
  return present as Defined<T>;
}
