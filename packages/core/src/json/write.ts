import { InspectorError } from '../errors.ts';
import { formatPath } from './path.ts';
import { quoteJson } from './node.ts';

/** One container being written. */
interface Frame {
  readonly value: object;
  /** Property names of an object; absent for an array. */
  readonly keys?: readonly string[];
  readonly length: number;
  next: number;
}

/**
 * Writes a value as JSON text that says exactly that value, or refuses by name. Works at any depth. Members that
 * are `undefined` are left out; -0 and bigint are written as they are; whole numbers past 2^53 with all their digits.
 * @throws InspectorError invalid_input, `data.path`: NaN, Infinity, a cycle, a function, a symbol, undefined in an
 * array or at the top, any object that is neither plain nor an array (Date, Map, Set, bytes, class instances)
 * | too_large: longer than a text can be
 * @example toJsonText({ a: -0, b: 12345678901234567890n }) // '{"a":-0,"b":12345678901234567890}'
 */
export function toJsonText(value: unknown): string {
  try {
    return writeText(value);
  } catch (cause) {
    if (!(cause instanceof RangeError) || !/string length/i.test(cause.message)) throw cause;
    throw new InspectorError('too_large', 'The value is too long for a JSON text.', { cause });
  }
}

function writeText(value: unknown): string {
  const out: string[] = [];
  const frames: Frame[] = [];
  const ancestors = new Set<object>();
  let current = value;
  for (;;) {
    const frame = isObject(current) ? openFrame(current, frames, ancestors) : undefined;
    if (frame) {
      frames.push(frame);
      ancestors.add(frame.value);
      out.push(frame.keys ? '{' : '[');
    } else {
      out.push(scalarText(current, frames));
    }
    const next = advance(frames, ancestors, out);
    if (next === undefined) return out.join('');
    current = next.value;
  }
}

/** Closes finished containers; the next value to write, or `undefined` at the end. */
function advance(frames: Frame[], ancestors: Set<object>, out: string[]): { value: unknown } | undefined {
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    if (frame.next === frame.length) {
      out.push(frame.keys ? '}' : ']');
      ancestors.delete(frame.value);
      frames.pop();
      continue;
    }
    if (frame.next > 0) out.push(',');
    const key = frame.keys ? (frame.keys[frame.next] ?? '') : frame.next;
    if (typeof key === 'string') out.push(quoteJson(key), ':');
    frame.next++;
    return { value: Reflect.get(frame.value, key) };
  }
  return undefined;
}

function openFrame(value: object, frames: readonly Frame[], ancestors: ReadonlySet<object>): Frame {
  if (ancestors.has(value)) throw refusal('a cycle', frames);
  if (Array.isArray(value)) return { value, length: value.length, next: 0 };
  const prototype: unknown = Object.getPrototypeOf(value);
  // The root prototype of any realm has no prototype of its own.
  if (isObject(prototype) && Object.getPrototypeOf(prototype) !== null) throw refusal(className(value), frames);
  if (Object.getOwnPropertySymbols(value).length > 0) throw refusal('a symbol as key', frames);
  const keys = Object.keys(value).filter((key) => Reflect.get(value, key) !== undefined);
  return { value, keys, length: keys.length, next: 0 };
}

function scalarText(value: unknown, frames: readonly Frame[]): string {
  switch (typeof value) {
    case 'string':
      return quoteJson(value);
    case 'number':
      return numberText(value, frames);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      return 'null';
    default:
      throw refusal(typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`, frames);
  }
}

function numberText(value: number, frames: readonly Frame[]): string {
  if (!Number.isFinite(value)) throw refusal(String(value), frames);
  if (Object.is(value, -0)) return '-0';
  // String(2 ** 60) rounds the last digits; below 1e21 the exact ones are as readable.
  const exact = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
  return exact ? String(BigInt(value)) : String(value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function className(value: object): string {
  const maker: unknown = Reflect.get(value, 'constructor');
  return typeof maker === 'function' && maker.name !== '' ? `a ${maker.name}` : 'an object with a prototype';
}

function refusal(what: string, frames: readonly Frame[]): InspectorError {
  const path = formatPath(frames.map((frame) => (frame.keys ? (frame.keys[frame.next - 1] ?? '') : frame.next - 1)));
  return new InspectorError('invalid_input', `JSON cannot hold ${what} (at ${path}).`, {
    data: { path },
    remedy: 'Convert the value to strings, numbers, booleans, null, arrays and plain objects first.',
  });
}

/** Deeper than this a value is left to writers that need no stack. */
const PLAIN_DEPTH = 200;

/** True where `JSON.stringify` writes what `toJsonText` does; then the value itself can be saved. */
export function isPlainJson(value: unknown, depth = 0): boolean {
  if (!isPlainValue(value)) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (depth > PLAIN_DEPTH) return false;
  if (Array.isArray(value)) return isPlainArray(value, depth);
  return Object.values(value).every((own) => own === undefined || isPlainJson(own, depth + 1));
}

/** The same of a scalar, or of an array or object without what is in it. */
export function isPlainValue(value: unknown): boolean {
  if (typeof value === 'number') return isPlainNumber(value);
  if (typeof value !== 'object' || value === null) return isPlainScalar(value);
  if ('toJSON' in value) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.getOwnPropertySymbols(value).length === 0;
}

/** A loop, because `every` leaves holes out. */
function isPlainArray(values: readonly unknown[], depth: number): boolean {
  for (let at = 0; at < values.length; at++) if (!isPlainJson(values[at], depth + 1)) return false;
  return true;
}

const isPlainNumber = (value: number): boolean =>
  Number.isSafeInteger(value) ? !Object.is(value, -0) : Number.isFinite(value) && !Number.isInteger(value);

const isPlainScalar = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'boolean';
