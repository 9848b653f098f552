/** Search params as plain text, so that links read well and an id like `12` stays text. Repeated keys are lists. */

export type SearchValues = Record<string, string | string[]>;

/** @example parseSearch('?cp=a&rules=x&rules=y') // { cp: 'a', rules: ['x', 'y'] } */
export function parseSearch(text: string): SearchValues {
  const values: SearchValues = {};
  for (const [key, value] of new URLSearchParams(text)) {
    if (key === '__proto__') continue;
    const before = Object.hasOwn(values, key) ? values[key] : undefined;
    values[key] = before === undefined ? value : [before, value].flat();
  }
  return values;
}

/** @example stringifySearch({ cp: 'a', base: undefined }) // '?cp=a' */
export function stringifySearch(values: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === 'string' || typeof item === 'number') params.append(key, String(item));
    }
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
