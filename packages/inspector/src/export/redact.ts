import { findSecrets, maskSecrets, stringEnd, toEnd, type InSteps } from '@checkpoint-inspector/core';
import { STEP } from './long-text.ts';

/** How many different secrets of one known shape there are, however often each is stored. */
export interface MaskedShape {
  /** In words: "AWS access key". */
  readonly name: string;
  readonly count: number;
}

export type Redactor = ReturnType<typeof createRedactor>;

/** Masks secrets and counts them; one per export. With `reveal` everything passes as it is, and is counted. */
export function createRedactor(reveal: boolean) {
  const seen = new Map<string, Set<string>>();
  const text = (value: string): string => {
    const spans = findSecrets(value);
    for (const { name, start, end } of spans) {
      const known = seen.get(name) ?? new Set();
      seen.set(name, known.add(value.slice(start, end)));
    }
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
    /** JSON text stays JSON text: only strings change, and only where there is a secret in them. */
    json: (value: string): string => toEnd(eachString(value, token)),
    /** The same with stops, for texts as long as states. */
    jsonInSteps: (value: string): InSteps<string> => eachString(value, token),
    /** What was found until now, most frequent first. */
    found: (): MaskedShape[] =>
      [...seen]
        .map(([name, { size }]) => ({ name, count: size }))
        .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
  };
}

/**
 * Replaces each string of a JSON text; one in which nothing is replaced is returned as it is. By scanning: a pattern that
 * takes long strings overflows the stack.
 */
function* eachString(text: string, replace: (quoted: string) => string): InSteps<string> {
  const parts: string[] = [];
  let [from, written, rested] = [0, 0, 0];
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', from)) {
    const end = endOfString(text, at);
    const quoted = text.slice(at, end);
    const replaced = replace(quoted);
    if (replaced !== quoted) {
      parts.push(text.slice(written, at), replaced);
      written = end;
    }
    from = end;
    if (from - rested < STEP) continue;
    rested = from;
    yield;
  }
  return written === 0 ? text : parts.join('') + text.slice(written);
}

/** Of a string that is cut off, what is there of it. */
function endOfString(text: string, at: number): number {
  try {
    return stringEnd(text, at);
  } catch {
    return text.length;
  }
}

function saidBy(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    // An escape that JSON does not know: the characters as they are.
    return quoted.slice(1, -1);
  }
}
