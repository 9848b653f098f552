import type { Difference } from './types.ts';

/** Why a change is folded: it tells that time went by, not what happened. */
export type Noise = 'counter' | 'clock' | 'cursor' | 'status';

/** Two numbers as whole steps go: the larger one is at most this much more. */
const COUNTED_UP = 5;
const MONTH_MS = 31 * 24 * 3600 * 1000;
const ISO_TIME = /^"\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
const INTEGER = /^\d{1,15}$/;
const NUMBER = /^\d{9,16}(?:\.\d+)?$/;
/** An id by its shape: hex, a UUID or a ULID, of 16 signs and more with a digit among them. */
const OPAQUE =
  /^"(?:[a-z]{1,8}_)?(?=[^"]*\d)(?:[0-9a-f]{16,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-Z]{26})"$/;
const TOKENS = /(?:^|[._"])tokens?(?![a-z])|Tokens?(?![a-z])/;
/** An object of nothing but whole numbers. */
const COUNTS = /^\{(?:\s*"[^"\\]*"\s*:\s*\d{1,15}\s*[,}])+$/;
const TAIL_NUMBER = /^("(?:[^"\\]*[^"\\\d])?)(\d{1,9})"$/;
const NUMBERED_NAME = /^"[A-Za-z][\w.:/#-]*[_#:/-]$/;
const SHORT_WORD = /^(?:"[\p{L}_-]{1,24}"|true|false)$/u;

/** What a change of one value looks like by itself; repeated statuses are found by `statusKey`. */
export function noiseOf({ kind, before, after, path }: Difference): Noise | undefined {
  if (kind === 'added' && after !== undefined && COUNTS.test(after) && TOKENS.test(after)) return 'counter';
  if (kind !== 'changed' || before === undefined || after === undefined) return undefined;
  if (isClock(before, after)) return 'clock';
  if (isCounter(before, after) || isUsage(path, before, after)) return 'counter';
  return isCursor(before, after) ? 'cursor' : undefined;
}

/** Equal for changes of one kind: the same word became the same word under the same name at the same depth. */
export function statusKey({ kind, before, after, path }: Difference): string | undefined {
  if (kind !== 'changed' || before === undefined || after === undefined) return undefined;
  if (!SHORT_WORD.test(before) || !SHORT_WORD.test(after)) return undefined;
  return `${leafOf(path)} ${path.split(/[.[]/).length} ${before} ${after}`;
}

const PLACES = /(?:\[\d+\])+$/;
const QUOTED = /\["((?:[^"\\]|\\.)*)"\]$/;

/** The last name on a path, without the places in lists behind it. @example leafOf('$.plan[3].status') // 'status' */
export function leafOf(path: string): string {
  const bare = path.replace(PLACES, '');
  return QUOTED.exec(bare)?.[1] ?? bare.slice(bare.lastIndexOf('.') + 1);
}

/** Where the last name of a path begins. @example leafStart('plan[3].tags[0]') // 8 */
export function leafStart(path: string): number {
  const bare = path.replace(PLACES, '');
  return QUOTED.exec(bare)?.index ?? bare.lastIndexOf('.') + 1;
}

function isCounter(before: string, after: string): boolean {
  if (!INTEGER.test(before) || !INTEGER.test(after)) return false;
  const [from, up] = [Number(before), Number(after) - Number(before)];
  // One more is a count wherever it starts; a few more only where that is not a doubling.
  return up === 1 || (up > 1 && up <= Math.min(COUNTED_UP, Math.max(2, from)));
}

/** Tokens are counted up by as many as a step used; ten times as many is news. */
function isUsage(path: string, before: string, after: string): boolean {
  if (!TOKENS.test(path) || !INTEGER.test(before) || !INTEGER.test(after)) return false;
  const [from, to] = [Number(before), Number(after)];
  return to > from && (from === 0 || to < 10 * from);
}

function isClock(before: string, after: string): boolean {
  const [from, to] = [timeOf(before), timeOf(after)];
  return from !== undefined && to !== undefined && to > from && to - from < MONTH_MS;
}

/** A time by its shape. @param text JSON */
export const isTime = (text: string): boolean => timeOf(text) !== undefined;

/** Milliseconds of an ISO time or of a number that reads as seconds, milliseconds or microseconds since 1970. */
function timeOf(text: string): number | undefined {
  if (ISO_TIME.test(text)) {
    const time = Date.parse(text.slice(1, -1).replace(' ', 'T'));
    return Number.isNaN(time) ? undefined : time;
  }
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  return [1000, 1, 0.001].map((unit) => value * unit).find((ms) => ms > 1e12 && ms < 4.2e12);
}

/** A name that is counted on (`page_3`, `page_4`) or one opaque id in place of another. */
function isCursor(before: string, after: string): boolean {
  if (OPAQUE.test(before) && OPAQUE.test(after)) return before.length === after.length;
  const [from, to] = [TAIL_NUMBER.exec(before), TAIL_NUMBER.exec(after)];
  if (from === null || to === null || from[1] !== to[1] || !NUMBERED_NAME.test(from[1] ?? '')) return false;
  return isCounter(String(Number(from[2])), String(Number(to[2])));
}
