/** Ids as opencode makes them: a prefix, twelve digits of time, and fourteen letters or digits. */
import { randomInt } from 'node:crypto';

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PLACES = 4;

/** The digits of its time; '' for an id of another form. @example timeDigits('msg_2012bc5e4001jfAoRdRjmkQI9K') // '2012bc5e4001' */
export const timeDigits = (id: string): string => /^[a-z]+_([0-9a-f]{12})/.exec(id)?.[1] ?? '';

/** Sessions count down, so that the newest is the first by id. */
export function newSessionId(now: Date): string {
  const time = BigInt(now.getTime()) * 0x1000n + 1n;
  return `ses_${hex(~time)}${letters(14)}`;
}

export const isSessionId = (id: string): boolean => /^ses_[0-9a-f]{12}[0-9A-Za-z]{14}$/.test(id);

/**
 * A new id that sorts where the old one does: it keeps the digits of the time, and `place` is the place among all that
 * are made, for those of one time. `created` in ms is used where the old one has no such digits.
 */
export function copiedId(prefix: 'msg' | 'prt', old: string, place: number, created: number): string {
  const digits = timeDigits(old) || hex(BigInt(Math.max(0, Math.trunc(created))) * 0x1000n);
  const counted = Array.from({ length: PLACES }, (_, at) => LETTERS[Math.floor(place / 62 ** (PLACES - 1 - at)) % 62]);
  return `${prefix}_${digits}${counted.join('')}${letters(14 - PLACES)}`;
}

const hex = (value: bigint): string => (value & 0xffff_ffff_ffffn).toString(16).padStart(12, '0');

const letters = (count: number): string => Array.from({ length: count }, () => LETTERS[randomInt(62)]).join('');
