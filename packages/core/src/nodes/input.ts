import { InspectorError } from '../errors.ts';
import { isPlainValue, type JsonNode, parseJson, sourceOf, toJsonText } from '../json/index.ts';
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

/** A value that needs a look at the whole of it: JSON has no form for it, or only as a text. */
export class NotPlain extends Error {}

/** The value itself, where `JSON.stringify` writes exactly that. */
export function plainValue(value: unknown): unknown {
  if (value === undefined || isPlainValue(value)) return value;
  throw new NotPlain();
}

/**
 * The text of a state that is given as a value.
 * @throws InspectorError invalid_input, for what JSON cannot hold and for what a getter throws
 */
export function stateText(value: unknown): string {
  try {
    return toJsonText(value);
  } catch (cause) {
    throw refusal(cause);
  }
}

/** Why a state can't be saved, after what was thrown when it was read. */
export function refusal(cause: unknown): InspectorError {
  if (InspectorError.is(cause)) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new InspectorError('invalid_input', `Reading the state failed: ${message}`, { cause });
}
