import { formatPath, InspectorError, toJsonText } from '@checkpoint-inspector/core';
import type { AgentState } from './types.ts';

/**
 * A state as JSON text; dates become ISO strings. What JSON cannot hold is refused by its path, not dropped.
 * @throws InspectorError invalid_input: cycle, NaN, Infinity, bigint, function, undefined in an array, Map, Set, class
 */
export function stateToText(state: AgentState): string {
  if (typeof state !== 'object' || state === null || Array.isArray(state)) {
    throw new InspectorError('invalid_input', "The state isn't an object.", { data: { name: 'state' } });
  }
  return toText(state);
}

/** Any value of a state. @throws InspectorError invalid_input */
export function toText(value: unknown): string {
  try {
    return toJsonText(withoutDates(value, [], new Set()));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InspectorError('invalid_input', 'The state is nested too deeply.', { cause: error });
  }
}

type Path = readonly (string | number)[];

/** Dates as text, everything else as it is: `toJsonText` refuses the rest. */
function withoutDates(value: unknown, path: Path, above: Set<object>): unknown {
  if (typeof value === 'bigint') throw refusal('a BigInt', path);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return dateText(value, path);
  if (above.has(value)) throw refusal('a cycle', path);
  above.add(value);
  const copy = copyOf(value, path, above);
  above.delete(value);
  return copy;
}

function copyOf(value: object, path: Path, above: Set<object>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown, at) => withoutDates(item, [...path, at], above));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  if (Object.getOwnPropertySymbols(value).length > 0) return value;
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) copy[key] = withoutDates(item, [...path, key], above);
  return copy;
}

function dateText(date: Date, path: Path): string {
  if (Number.isNaN(date.getTime())) throw refusal('an invalid Date', path);
  return date.toISOString();
}

function refusal(what: string, path: Path): InspectorError {
  const place = formatPath(path);
  return new InspectorError('invalid_input', `JSON cannot hold ${what} (at ${place}).`, {
    data: { path: place },
    remedy: 'Convert the value to strings, numbers, booleans, null, arrays and plain objects first.',
  });
}

/** The state of a row, whose text is known to be JSON; `completedAt` and `timestamp` come back as `Date`. */
export function textToState(text: string): AgentState {
  const state = JSON.parse(text) as AgentState;
  reviveDates(state);
  return state;
}

/** A state may be partial: the document saves and lists such. */
function reviveDates(state: unknown): void {
  const { results, lastError } = recordOf(state);
  for (const result of Array.isArray(results) ? (results as unknown[]) : [])
    reviveDate(recordOf(result), 'completedAt');
  reviveDate(recordOf(lastError), 'timestamp');
}

/** Text that is not a time stays as it is, so that saving it again loses nothing. */
function reviveDate(record: Record<string, unknown>, key: string): void {
  const value = record[key];
  if (typeof value !== 'string') return;
  const date = new Date(value);
  if (!Number.isNaN(date.getTime())) record[key] = date;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
