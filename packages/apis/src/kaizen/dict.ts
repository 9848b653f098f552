import { InspectorError } from '@checkpoint-inspector/core';
import { Timestamp } from './timestamp.ts';

/** A JSON object; keys and values as stored. */
export type Dict = Record<string, unknown>;

/** Reads the members of a dictionary, each with the default that holds where it is absent. */
export class DictReader {
  readonly #what: string;
  readonly #dict: Dict;

  /** @throws InspectorError invalid_input for keys outside `known` */
  constructor(what: string, dict: unknown, known: readonly string[]) {
    if (!isDict(dict)) throw new InspectorError('invalid_input', `${what} must be read from an object.`);
    this.#what = what;
    this.#dict = dict;
    const unknown = Object.keys(dict).filter((key) => !known.includes(key));
    if (unknown.length > 0) throw new InspectorError('invalid_input', `${what} has no field ${unknown.join(', ')}.`);
  }

  text(key: string, absent?: string): string {
    return this.#read(key, absent, isText, 'a text');
  }

  textOrNone(key: string): string | undefined {
    return this.#dict[key] === null ? undefined : (this.#read(key, null, isText, 'a text') ?? undefined);
  }

  number(key: string, absent?: number): number {
    return this.#read(key, absent, (value) => typeof value === 'number', 'a number');
  }

  time(key: string): Date {
    const value = this.#dict[key];
    if (value instanceof Date) return value;
    return Timestamp.fromisoformat(this.text(key));
  }

  has(key: string): boolean {
    return this.#dict[key] !== undefined && this.#dict[key] !== null;
  }

  oneOf<T extends string>(key: string, values: readonly T[], absent?: T): T {
    return this.#read(key, absent, (value): value is T => values.some((one) => one === value), values.join(' | '));
  }

  dict(key: string): Dict {
    return this.#read(key, {}, isDict, 'an object');
  }

  counts(key: string): Record<string, number> {
    const isCounts = (value: unknown): value is Record<string, number> =>
      isDict(value) && Object.values(value).every((count) => typeof count === 'number');
    return this.#read(key, {}, isCounts, 'an object of numbers');
  }

  dicts(key: string): Dict[] {
    return this.#read(key, [], listOf(isDict), 'a list of objects');
  }

  texts(key: string): string[] {
    return this.#read(key, [], listOf(isText), 'a list of texts');
  }

  #read<T, U>(key: string, absent: U | undefined, is: (value: unknown) => value is T, expected: string): T | U {
    const value = this.#dict[key] ?? absent;
    if (value === absent && absent !== undefined) return absent;
    if (is(value)) return value;
    const problem = value === undefined ? 'is missing' : `is not ${expected}`;
    throw new InspectorError('invalid_input', `${this.#what}: ${key} ${problem}.`, { data: { key } });
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isDict(value: unknown): value is Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf<T>(is: (value: unknown) => value is T): (value: unknown) => value is T[] {
  return (value): value is T[] => Array.isArray(value) && value.every(is);
}
