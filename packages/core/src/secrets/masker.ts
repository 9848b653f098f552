/** The one way in which text is masked: the same secret looks the same wherever it is shown. */
import { toEnd, type InSteps } from '../in-steps.ts';
import { findWithPlaces, type MaskRules } from './find.ts';
import { secretsInJson, secretsInValue } from './json.ts';
import type { Found } from './spans.ts';

/** In the place of what is masked. */
export const MASK_DOTS = '••••';

export interface Masker {
  text(value: string): string;
  /** JSON text stays JSON text; a number that is a secret becomes a string. */
  json(value: string): string;
  /**
   * A value of a state that is shown without what is around it: of `4711` alone nobody can tell that it is a PIN.
   * @param json its JSON text, a piece of that, or the letters of a string
   * @example at('$.user.pin', '4711') // '"••••#7f3"'
   */
  at(path: string, json: string): string;
  /** The same with stops, for texts as long as states. */
  jsonInSteps(value: string): InSteps<string>;
  /** How many different secrets of each kind it has met, most frequent first. */
  found(): readonly { readonly name: string; readonly count: number }[];
}

export interface MaskerOptions {
  /** Tells secrets with the same beginning apart; it is given what the secret says, without escapes. */
  readonly suffix?: (secret: string) => string;
  readonly rules?: MaskRules;
  /** Everything passes as it is, and is counted. */
  readonly reveal?: boolean;
}

/**
 * Masks and counts: one per answer or file.
 * @throws InspectorError invalid_input, when it is used, where a rule can't be compiled
 * @example createMasker({ suffix: () => '7f3' }).text('PASSWORD=hunter2') // 'PASSWORD=••••#7f3'
 */
export function createMasker({ suffix, rules, reveal = false }: MaskerOptions = {}): Masker {
  /** By its kind, what each secret says and what takes its place: a keyed hash takes longer than finding it. */
  const seen = new Map<string, Map<string, string>>();
  const dotsOf = (name: string, secret: string): string => {
    const known = seen.get(name) ?? new Map<string, string>();
    const before = known.get(secret);
    if (before !== undefined) return before;
    const dots = suffix === undefined ? MASK_DOTS : `${MASK_DOTS}#${suffix(secret)}`;
    seen.set(name, known.set(secret, dots));
    return dots;
  };
  const masked = (value: string, found: readonly Found[]): string => {
    const parts: string[] = [];
    let written = 0;
    for (const { start, end, name, hint, bare, said = value.slice(start, end) } of found) {
      const shown = value.slice(start, start + hint) + dotsOf(name, said);
      parts.push(value.slice(written, start), bare ? `"${shown}"` : shown);
      written = end;
    }
    return reveal || written === 0 ? value : parts.join('') + value.slice(written);
  };
  function* jsonInSteps(value: string): InSteps<string> {
    return masked(value, yield* secretsInJson(value, rules));
  }
  return {
    text: (value) => masked(value, findWithPlaces(value, rules)),
    json: (value) => toEnd(jsonInSteps(value)),
    at: (path, json) => masked(json, secretsInValue(path, json, rules)),
    jsonInSteps,
    found: () =>
      [...seen]
        .map(([name, { size }]) => ({ name, count: size }))
        .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
  };
}

/**
 * The text with each secret cut to what tells its kind. Nothing is said about secrets that are not known.
 * @example maskSecrets('key sk-ant-0123456789abcdef0') // 'key sk-a••••'
 */
export const maskSecrets = (text: string): string => createMasker().text(text);
