import type { Event } from './events.ts';
import type { Habit } from './habits.ts';
import type { Reason } from './weights.ts';
import { isProse } from './values.ts';
import { timesWords } from './words.ts';

/** How far a changed value is from the one before, 0 to 1.35, and that as a sentence. */
export function jumpOf({ before, after }: Event): readonly [number, Reason['words']] {
  if (before === undefined || after === undefined) return NONE;
  if (before.number === undefined || after.number === undefined) return textJump(before.value, after.value);
  return numberJump(before.number, after.number);
}

const NONE = [0, ''] as const;

function numberJump(before: number, after: number): readonly [number, Reason['words']] {
  if (before !== 0 && after === -before) return [1, 'The sign flipped.'];
  if (before * after < 0) return [0.6, 'The sign flipped.'];
  if (after === 0) return [0.5, 'It dropped to zero.'];
  if (before === 0) return NONE;
  const ratio = Math.log10(Math.abs(after / before));
  const isPower = Math.abs(ratio) > 0.9 && Math.abs(ratio - Math.round(ratio)) < 1e-9;
  const strength = Math.min(1, Math.max(0, Math.abs(ratio) - 0.3) / 2) + (isPower ? 0.35 : 0);
  return [strength, () => timesWords(before, after)];
}

function textJump(before: string, after: string): readonly [number, string] {
  if (after.trim() === '' && before.trim() !== '') return [0.9, 'The text became empty.'];
  if (after.length > 1 && before.length > after.length && before.startsWith(after))
    return [0.9, 'The text was cut short.'];
  if (before.length === after.length && before !== after && before.toLowerCase() === after.toLowerCase())
    return [0.5, 'Only upper and lower case changed.'];
  return NONE;
}

/** Of a text that only ever changed in one figure, as the limit in a rule: what that was, and is. */
export function retouched(
  { before, after, collection }: Event,
  { earlier, later, isOld }: Habit,
): readonly [string, string] | undefined {
  if (earlier + later > 0 || (!isOld && collection === undefined)) return undefined;
  if (before?.kind !== 'string' || after?.kind !== 'string' || !isProse(before.value)) return undefined;
  const [old, now] = [before.value.split(/\s+/), after.value.split(/\s+/)];
  if (old.length !== now.length || old.length < FEWEST_WORDS) return undefined;
  const other = old.flatMap((word, at) => (word === now[at] ? [] : [at]));
  const [was, is] = [old[other[0] ?? 0] ?? '', now[other[0] ?? 0] ?? ''];
  return other.length === 1 && /\d/.test(was) && /\d/.test(is) ? [was, is] : undefined;
}

const FEWEST_WORDS = 5;
