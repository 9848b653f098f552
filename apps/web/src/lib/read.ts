/**
 * Reads values that come from outside: the address, storage, short answers. A reader gives back the value where it has
 * its form, else `undefined`. The first screen needs no more than this; whole answers are typed by the client.
 */
export type Read<T> = (value: unknown) => T | undefined;

/** What a reader reads. */
export type ReadBy<R> = R extends Read<infer T> ? T : never;

export const aText: Read<string> = (value) => (typeof value === 'string' ? value : undefined);

export const aNumber: Read<number> = (value) => (typeof value === 'number' ? value : undefined);

export const aFlag: Read<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

/** @example oneOf('tree', 'text')('list') // undefined */
export const oneOf =
  <const T extends string>(...words: readonly T[]): Read<T> =>
  (value) =>
    words.find((word) => word === value);

/** A list, all of whose items have the form. */
export const listOf =
  <T>(read: Read<T>): Read<T[]> =>
  (value) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.flatMap((item) => read(item) ?? []);
    return items.length === value.length ? items : undefined;
  };

/** An object with any names, all of whose values have the form. */
export const mapOf =
  <T>(read: Read<T>): Read<Record<string, T>> =>
  (value) => {
    if (!isObject(value)) return undefined;
    const entries = Object.entries(value).flatMap(([name, item]) => {
      const known = read(item);
      return known === undefined ? [] : [[name, known] as const];
    });
    return entries.length === Object.keys(value).length ? Object.fromEntries(entries) : undefined;
  };

/** What an object has of some fields; a broken one is there and `undefined`, so that it covers the broken value. */
export const fields =
  <F extends Readonly<Record<string, Read<unknown>>>>(readers: F) =>
  (value: unknown): { [Name in keyof F]?: ReadBy<F[Name]> | undefined } => {
    const found: { [Name in keyof F]?: ReadBy<F[Name]> | undefined } = {};
    if (!isObject(value)) return found;
    for (const name in readers) {
      if (!Object.hasOwn(value, name)) continue;
      found[name] = readers[name]?.(value[name]) as ReadBy<F[typeof name]> | undefined;
    }
    return found;
  };

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const anObject: Read<Record<string, unknown>> = (value) => (isObject(value) ? value : undefined);

/** What a text of JSON holds; nothing where it is none. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
