/** Patterns that a person writes: none of them may take for ever on a long text. */
import { InspectorError } from '../errors.ts';
import type { MaskRules } from './find.ts';

/** Hex digits of a keyed hash after the dots of a masked secret. */
export const PSEUDONYM_DIGITS = 3;

const MAX_LENGTH = 200;
/** A repeat without end finds at most so much; three of them in a row take so much to the third. */
const MAX_REPEAT = 200;
const MAX_REPEATS = 3;
/** An escape, a class, a repeat of a group, a repeat without end. */
const PARTS = /\\.|\[(?:\\.|[^\]\\])*\]|\)(?:[*+]|\{\d+,?\d*\})|[*+]|\{(\d+),\}/g;

/**
 * The pattern with an end to each repeat.
 * @throws InspectorError invalid_input that names the line
 * @example boundedPattern('INT-\\d+', 1) // 'INT-\\d{1,200}'
 */
export function boundedPattern(pattern: string, line: number): string {
  const refused = (why: string, cause?: unknown): InspectorError =>
    new InspectorError('invalid_input', `Line ${line} ${why}.`, { data: { line }, cause });
  if (pattern.length > MAX_LENGTH) throw refused(`has more than ${MAX_LENGTH} characters`);
  let repeats = 0;
  const bounded = pattern.replaceAll(PARTS, (part, least?: string) => {
    if (part.startsWith(')')) throw refused('repeats a group, which can take very long');
    if (part.startsWith('\\') || part.startsWith('[')) {
      if (/^\\[1-9k]/.test(part)) throw refused('refers back to a group, which can take very long');
      return part;
    }
    if ((repeats += 1) > MAX_REPEATS) throw refused(`has more than ${MAX_REPEATS} repeats without an end`);
    return `{${part === '*' ? 0 : (least ?? 1)},${Math.max(MAX_REPEAT, Number(least ?? 0))}}`;
  });
  try {
    if (new RegExp(bounded).test('')) throw refused('also matches nothing at all');
  } catch (cause) {
    if (InspectorError.is(cause)) throw cause;
    throw refused("isn't a regular expression", cause);
  }
  return bounded;
}

/** Rules as they were written, line by line, as a masker takes them. @throws InspectorError invalid_input */
export const boundedRules = ({ hide = [], safe = [] }: MaskRules): MaskRules => ({
  safe,
  hide: hide.flatMap((one, at) => (one.trim() === '' ? [] : [boundedPattern(one, at + 1)])),
});
