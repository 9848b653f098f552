import {
  formatPath,
  InspectorError,
  parseJson,
  quoteJson,
  sourceOf,
  stringOf,
  type JsonNode,
} from '@checkpoint-inspector/core';

/** Python's own reader gives up at about this depth. */
const MAX_DEPTH = 1000;

type Key = string | number;

/** What JavaScript values cannot tell of the text that they were read from. */
interface Spelling {
  /** Member order, where JavaScript would move keys that look like array indexes. */
  readonly keys?: readonly string[];
  /** Number texts such as `0.0`, by key or index. */
  readonly numbers: Map<Key, string>;
}

const spellings = new WeakMap<object, Spelling>();

/** A number by its text, for values such as Python's `0.0` that JavaScript would write as `0`. */
export class JsonNumber {
  readonly numberText: string;

  constructor(numberText: string) {
    this.numberText = numberText;
  }
}

/**
 * A value as `json.dumps` writes it: `", "` and `": "`, ASCII escapes, NaN and Infinity by name, numbers that were
 * read by `parsePython` as they stood there. Members that are `undefined` are left out.
 * @throws InspectorError invalid_input, `data.path`: what is neither plain data nor a JsonNumber, or nested too deeply
 */
export function pythonJson(value: unknown): string {
  return write(value, []);
}

/** A float as Python spells it. @example pythonFloat(0) // '0.0'; pythonFloat(1e-7) // '1e-07' */
export function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Infinity' : 'Infinity';
  if (Object.is(value, -0)) return '-0.0';
  const [mantissa = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  // Between these bounds JavaScript writes the same digits, only without the ".0".
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}

/**
 * Plain values of a JSON text, with its number spellings remembered for `pythonJson`. Whole numbers that a double
 * cannot hold are bigints; of duplicate keys the last one wins.
 * @throws InspectorError unreadable
 */
export function parsePython(text: string): unknown {
  return read(text, parseJson(text), 0);
}

/** A deep copy of plain data that keeps the spellings. @throws InspectorError invalid_input */
export function copyData<T>(value: T): T {
  return copy(value, []) as T;
}

/** Has `pythonJson` write this member as a float. */
export function spellFloat(into: Record<string, unknown>, key: string, value: number): void {
  define(into, key, value);
  const spelling = spellings.get(into) ?? { numbers: new Map<Key, string>() };
  spelling.numbers.set(key, pythonFloat(value));
  spellings.set(into, spelling);
}

function write(value: unknown, path: readonly Key[], spelled?: string): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return quoteJson(value, { ascii: true });
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(value, spelled);
  if (value instanceof JsonNumber) return value.numberText;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return `[${items.map((item, at) => write(item, deeper(path, at), spelledAt(items, at))).join(', ')}]`;
  }
  if (typeof value !== 'object') throw refusal(value === undefined ? 'undefined' : `a ${typeof value}`, path);
  const members = membersOf(value, path).map(([key, item]) => {
    return `${quoteJson(key, { ascii: true })}: ${write(item, deeper(path, key), spelledAt(value, key))}`;
  });
  return `{${members.join(', ')}}`;
}

function numberText(value: number, spelled?: string): string {
  // A value that was changed since has lost its spelling.
  if (spelled !== undefined && Object.is(Number(spelled), value)) return spelled;
  if (!Number.isInteger(value) || Object.is(value, -0) || Math.abs(value) >= 1e21) return pythonFloat(value);
  return String(BigInt(value));
}

function read(text: string, node: JsonNode, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new InspectorError('unreadable', `The JSON is nested more than ${MAX_DEPTH} deep.`);
  if (node.kind === 'string') return stringOf(text, node);
  if (node.kind === 'number') return numberOf(sourceOf(text, node));
  if (node.kind !== 'array' && node.kind !== 'object') return node.kind === 'null' ? null : text[node.start] === 't';
  const numbers = new Map<Key, string>();
  const noted = (key: Key, child: JsonNode): unknown => {
    const value = read(text, child, depth + 1);
    const source = typeof value === 'number' ? sourceOf(text, child) : undefined;
    if (typeof value === 'number' && source !== undefined && source !== numberText(value)) numbers.set(key, source);
    else numbers.delete(key);
    return value;
  };
  if (node.kind === 'array') {
    const items = node.items.map((item, at) => noted(at, item));
    if (numbers.size > 0) spellings.set(items, { numbers });
    return items;
  }
  const into: Record<string, unknown> = {};
  for (const { key, value } of node.members) define(into, key, noted(key, value));
  const keys = [...new Set(node.members.map((member) => member.key))];
  const moved = Object.keys(into).some((key, at) => key !== keys[at]);
  if (numbers.size > 0 || moved) spellings.set(into, { numbers, ...(moved ? { keys } : {}) });
  return into;
}

function numberOf(source: string): number | bigint {
  const value = Number(source);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) ? value : BigInt(source);
}

function copy(value: unknown, path: readonly Key[]): unknown {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value;
  if (Array.isArray(value)) {
    return withSpelling(
      value,
      value.map((item, at) => copy(item, deeper(path, at))),
    );
  }
  const into: Record<string, unknown> = {};
  for (const [key, item] of membersOf(value, path)) define(into, key, copy(item, deeper(path, key)));
  return withSpelling(value, into);
}

function withSpelling<T extends object>(from: object, to: T): T {
  const spelling = spellings.get(from);
  if (spelling) spellings.set(to, { ...spelling, numbers: new Map(spelling.numbers) });
  return to;
}

function spelledAt(container: object, key: Key): string | undefined {
  return spellings.get(container)?.numbers.get(key);
}

function membersOf(value: object, path: readonly Key[]): [string, unknown][] {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype === 'object' && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw refusal(`a ${value.constructor.name}`, path);
  }
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  const keys = spellings.get(value)?.keys;
  if (!keys) return members;
  const place = new Map(keys.map((key, at) => [key, at]));
  return members.toSorted(([a], [b]) => (place.get(a) ?? keys.length) - (place.get(b) ?? keys.length));
}

function deeper(path: readonly Key[], key: Key): readonly Key[] {
  // A cycle ends here too.
  if (path.length >= MAX_DEPTH) throw refusal(`anything nested more than ${MAX_DEPTH} deep`, path.slice(0, 5));
  return [...path, key];
}

function refusal(what: string, path: readonly Key[]): InspectorError {
  const where = formatPath(path);
  return new InspectorError('invalid_input', `A checkpoint can't contain ${what} (at ${where}).`, {
    data: { path: where },
    remedy: 'Convert the value to strings, numbers, booleans, null, arrays and plain objects first.',
  });
}

/** Assigning `__proto__` would change the prototype instead. */
function define(into: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(into, key, { value, writable: true, enumerable: true, configurable: true });
}
