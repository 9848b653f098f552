import { InspectorError } from '../errors.ts';
import { type JsonNode, parseJson, sourceOf } from '../json/index.ts';
import { Container, Exact, Long, MAX_DEPTH, type SharedState, type SharedValue } from './types.ts';

/** Members in the order of the text; JavaScript would put keys such as `"1"` in front. */
export class Members {
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
  constructor(keys: readonly string[], values: readonly unknown[]) {
    this.keys = keys;
    this.values = values;
  }
}

/**
 * A text as values, each of which writes itself again as it was.
 * @throws InspectorError unreadable
 * @example valuesOf('{"a":1.0}') // Members { keys: ['a'], values: [Exact { source: '1.0' }] }
 */
export function valuesOf(text: string): unknown {
  return new Reading(text).value(parseJson(text), 0);
}

/**
 * A state in memory as values to share again, such as with another state before it.
 * @example share(valuesOfState(state), { hash, before: other })
 */
export const valuesOfState = ({ value }: SharedState): unknown => inputOf(value);

function inputOf(value: SharedValue): unknown {
  if (value instanceof Long) return value.value;
  if (!(value instanceof Container)) return value;
  const values = value.values.map(inputOf);
  return value.keys === undefined ? values : new Members(value.keys, values);
}

/** `refs`: what is at an offset of the text instead of the value there. */
export class Reading {
  readonly #text: string;
  readonly #refs: ReadonlyMap<number, unknown> | undefined;
  constructor(text: string, refs?: ReadonlyMap<number, unknown>) {
    this.#text = text;
    this.#refs = refs;
  }

  value(node: JsonNode, depth: number): unknown {
    const ref = this.#refs?.get(node.start);
    if (ref !== undefined) return ref;
    if (depth > MAX_DEPTH) return this.#exact(node);
    if (node.kind === 'array') return node.items.map((item) => this.value(item, depth + 1));
    if (node.kind !== 'object') return this.#scalar(node);
    const { members } = node;
    const keys: string[] = [];
    for (const { keyStart, keyEnd, duplicate } of members) {
      const key = duplicate ? undefined : stringIn(this.#text.slice(keyStart, keyEnd));
      if (key === undefined) return this.#exact(node);
      keys.push(key);
    }
    return new Members(
      keys,
      members.map(({ value }) => this.value(value, depth + 1)),
    );
  }

  #scalar(node: JsonNode): unknown {
    const source = sourceOf(this.#text, node);
    if (node.kind === 'string') return stringIn(source) ?? this.#exact(node);
    const value: unknown = isOwnWord(source) ? undefined : JSON.parse(source);
    return value !== undefined && JSON.stringify(value) === source ? value : this.#exact(node);
  }

  /** A copy: a part of a text would keep all of it in memory, as long as any later state has that part in common. */
  #exact(node: JsonNode): Exact {
    return new Exact(` ${sourceOf(this.#text, node)}`.slice(1));
  }
}

/** The string of a valid token, where `JSON.stringify` would write it so. A copy, for the same reason. */
export function stringIn(token: string): string | undefined {
  const value: unknown = JSON.parse(token);
  if (typeof value !== 'string') return undefined;
  // Of all escapes only these can be written in another way; to write a long string again takes longer than to look.
  const isPlain = !token.includes('\\u') && !token.includes('\\/') && value.isWellFormed();
  return isPlain || JSON.stringify(value) === token ? value : undefined;
}

/** Python writes them; `JSON.parse` knows none of them. */
const isOwnWord = (source: string): boolean => source === 'NaN' || source.endsWith('Infinity');

/** What `JSON.stringify` writes in place of a value; `undefined` where it writes nothing. */
export function jsonValue(value: unknown, key: string | number): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  const told = hasToJson(value) ? value.toJSON(String(key)) : value;
  const plain: unknown = isBoxed(told) ? told.valueOf() : told;
  if (typeof plain === 'bigint') throw invalid('a BigInt, which JSON has no form for');
  if (typeof plain === 'number') return Number.isFinite(plain) ? plain + 0 : null;
  return typeof plain === 'function' || typeof plain === 'symbol' ? undefined : plain;
}

/** `Object('a')` and the like. */
function isBoxed(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const made: unknown = Object.getPrototypeOf(value);
  if (made === Object.prototype || made === null) return false;
  return [String, Number, Boolean, BigInt].some((kind) => value instanceof kind);
}

/** `JSON.stringify` asks a function and a BigInt too. */
function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'bigint'))
    return false;
  const { toJSON }: { readonly toJSON?: unknown } = Object(value);
  return typeof toJSON === 'function';
}

export function invalid(what: string, cause?: unknown): InspectorError {
  return new InspectorError('invalid_input', `The state contains ${what}.`, cause === undefined ? {} : { cause });
}

/** True where a value is nested more deeply than the stack goes. */
export const isTooDeep = (cause: unknown): boolean =>
  cause instanceof RangeError && cause.message.includes('call stack');

/** What `JSON.stringify` says of such values. */
const NO_FORM = /circular structure|serialize a BigInt/;

/** Why a state can't be saved, after what was thrown when it was read: by `JSON.stringify`, a getter or a `toJSON`. */
export function refusal(cause: unknown): InspectorError {
  if (InspectorError.is(cause)) return cause;
  if (isTooDeep(cause)) return invalid('a value that is nested too deeply', cause);
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof TypeError && NO_FORM.test(message))
    return invalid('itself, or a value that JSON has no form for', cause);
  return new InspectorError('invalid_input', `Reading the state failed: ${message}`, { cause });
}
