import { findSecrets, maskSecrets } from '@checkpoint-inspector/core';

/** How many secrets of one known shape there are. */
export interface MaskedShape {
  /** In words: "AWS access key". */
  readonly name: string;
  readonly count: number;
}

/** Masks secrets in JSON text and counts them; one per export. */
export interface Redactor {
  /** JSON text stays JSON text: only strings change, and only where a secret stands in them. */
  json(text: string): string;
  text(text: string): string;
  /** What was found until now, most frequent first. */
  found(): MaskedShape[];
}

/** A string of JSON, its quotes included. Linear: each character is taken once. */
const STRING = /"(?:[^"\\]|\\.)*"/gs;

/** With `reveal` everything passes as it is; it is counted all the same. */
export function createRedactor(reveal: boolean): Redactor {
  const counts = new Map<string, number>();
  const text = (value: string): string => {
    const spans = findSecrets(value);
    for (const { name } of spans) counts.set(name, (counts.get(name) ?? 0) + 1);
    return reveal || spans.length === 0 ? value : maskSecrets(value);
  };

  /** The shape is looked for in what the string says: an escape must not hide it. */
  const token = (quoted: string): string => {
    const said = saidBy(quoted);
    const masked = text(said);
    return masked === said ? quoted : JSON.stringify(masked);
  };

  return {
    text,
    json: (value) => value.replaceAll(STRING, token),
    found: () =>
      [...counts]
        .map(([name, count]) => ({ name, count }))
        .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
  };
}

function saidBy(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    // An escape that JSON does not know: the characters as they stand.
    return quoted.slice(1, -1);
  }
}
