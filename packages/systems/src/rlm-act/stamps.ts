/** Timestamps as the pipeline treats them: texts that are compared, never times that are converted. */

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/;

const LATE_UNIT = /[\uD800-\uFFFF]/;

/** By code points, as Python compares strings and Go compares bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  // Only beyond the surrogates do code units sort otherwise than code points.
  if (LATE_UNIT.test(a) || LATE_UNIT.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/**
 * The next text of the same form that sorts later: one more in the last digit, which is 1 µs in Python's form and
 * 1 s in Go's. `undefined` where the text is not a timestamp or there is none later.
 */
export function nextStamp(text: string): string | undefined {
  const match = STAMP.exec(text);
  if (!match) return undefined;
  const [, seconds = '', fraction = '', zone = ''] = match;
  if (/[0-8]/.test(fraction)) {
    return `${seconds}.${String(Number(fraction) + 1).padStart(fraction.length, '0')}${zone}`;
  }
  const milliseconds = Date.parse(`${seconds}Z`);
  if (Number.isNaN(milliseconds)) return undefined;
  const next = new Date(milliseconds + 1000).toISOString().slice(0, 19);
  // A whole second keeps its zeros: "…45Z" would sort after everything that is written in that second.
  const result = next + (fraction === '' ? '' : `.${'0'.repeat(fraction.length)}`) + zone;
  return compareText(result, text) > 0 ? result : undefined;
}

/** A time in the form of Python's `isoformat()` and a Z, always with six digits. */
export function stampOf(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000Z`;
}

/** Milliseconds since 1970 of a timestamp with Z or an offset; `undefined` for any other text. */
export function millisecondsOf(text: string): number | undefined {
  const [, seconds = '', fraction = '', zone] = STAMP.exec(text) ?? [];
  const wall = Date.parse(`${seconds}Z`);
  // Date.parse rolls 31 February over; Python and Go refuse it.
  if (zone === undefined || Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 19) !== seconds) {
    return undefined;
  }
  return Date.parse(`${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`);
}

const HOUR_MS = 3_600_000;
/** What a clock east or west of UTC is ahead or behind at most, and a minute for the save itself. */
const MOST_AHEAD_MS = 14 * HOUR_MS + 60_000;
const MOST_BEHIND_MS = 12 * HOUR_MS + 60_000;

/** Whether a clock in some zone may have shown this local time then; `true` for a text that isn't a time. */
export function mayBeAt(text: string, milliseconds: number): boolean {
  const wall = Date.parse(`${STAMP.exec(text)?.[1] ?? ''}Z`);
  if (Number.isNaN(wall)) return true;
  return wall <= milliseconds + MOST_AHEAD_MS && wall >= milliseconds - MOST_BEHIND_MS;
}

/** Go's form: whole seconds and Z. */
export function hasSecondsOnly(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text);
}
