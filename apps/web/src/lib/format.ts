/** Words for times, sizes, ids and values. Numbers of a state never pass through here: their text is shown. */
import type { Trigger } from '@checkpoint-inspector/core';
import { shownNow, type Shown } from './masking.ts';
import { settings } from './settings.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Age in one unit. @example formatAge('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:04:10Z')) // '4 min' */
export function formatAge(iso: string, now: number): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return '';
  const seconds = Math.round((now - time) / 1000);
  if (seconds < -MINUTE) return 'in the future';
  if (seconds < 2) return 'now';
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`;
  if (seconds < 365 * DAY) return `${Math.floor(seconds / DAY)} d`;
  return `${Math.floor(seconds / (365 * DAY))} y`;
}

/** An age in a sentence. @example formatAgo('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:04:10Z')) // '4 min ago' */
export function formatAgo(iso: string, now: number): string {
  const age = formatAge(iso, now);
  return /\d/.test(age) ? `${age} ago` : age;
}

/** @example formatPercent(0.174) // '17%' */
export function formatPercent(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 1 ? 'under 1%' : `${Math.round(percent)}%`;
}

/** Absolute time in UTC, or as the settings say. @example formatTime('2026-01-01T14:24:41.5Z') // '2026-01-01 14:24:41 UTC' */
export function formatTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  if (settings().times === 'local') return localTime(time);
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The day of a time as stored. @example formatDay('2026-01-01T14:24:41Z') // '2026-01-01' */
export const formatDay = (text: string): string => text.slice(0, 10);

/** A stored time of any spelling for a narrow column, and whole. Without a zone nobody knows whose clock it is. */
export function storedTime(text: string): { readonly clock: string; readonly title: string } {
  if (/(?:Z|[+-]\d\d:?\d\d)$/i.test(text)) return { clock: formatTimeOfDay(text), title: formatTime(text) };
  const plain = text.slice(0, 19).replace('T', ' ');
  return { clock: plain.slice(11), title: `${plain}, written without a time zone` };
}

/** The time of day of a time as stored, without its zone. @example formatMinute('2026-01-01T14:24:41') // '14:24' */
export const formatMinute = (text: string): string => text.slice(11, 16);

/** The day is said once where it is the same. @example clockRange(two) // '2026-01-01 14:17:02 to 14:31:44 UTC' */
export function clockRange(times: readonly string[]): string {
  const [from, to] = times;
  if (from === undefined || to === undefined) return from ?? '';
  const sameDay = formatDay(from) === formatDay(to) && from.slice(19) === to.slice(19);
  return sameDay ? `${from.slice(0, 19)} to ${to.slice(11)}` : `${from} to ${to}`;
}

/** Time of day, in UTC or as the settings say. @example formatTimeOfDay('2026-01-01T14:24:41Z') // '14:24:41 UTC' */
export const formatTimeOfDay = (iso: string): string => formatTime(iso).replace(/^\d{4}-\d\d-\d\d /, '');

/** For an axis: the day without its year, and the time of day without its zone. */
export function formatTick(ms: number, exact: boolean): { readonly day: string; readonly clock: string } {
  const text = formatTime(new Date(ms).toISOString());
  return { day: text.slice(5, 10), clock: text.slice(11, exact ? 19 : 16) };
}

/** The reader's clock, with its distance to UTC. @example '2026-01-01 15:24:41 UTC+01:00' */
function localTime(time: Date): string {
  const ahead = -time.getTimezoneOffset();
  const clock = new Date(time.getTime() + ahead * 60_000).toISOString().slice(0, 19).replace('T', ' ');
  const two = (count: number): string => String(count).padStart(2, '0');
  const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60];
  return `${clock} UTC${ahead < 0 ? '−' : '+'}${two(hours)}:${two(minutes)}`;
}

/** Clock time in the zone of the reader, for messages about this session. */
export function formatClock(time: Date): string {
  return time.toTimeString().slice(0, 8);
}

const SIZE_UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in decimal units with three figures. @example formatSize(18_432) // '18.4 kB' */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < SIZE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 99.95 ? value.toFixed(1) : Math.round(value)} ${SIZE_UNITS[unit] ?? ''}`;
}

/** @example formatDuration(1840) // '1.84 s' */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < HOUR
    ? `${Math.floor(seconds / 60)} min ${seconds % 60} s`
    : `${Math.floor(seconds / HOUR)} h ${Math.floor((seconds % HOUR) / 60)} min`;
}

/** A pause in its largest unit. @example formatPause(7_900_000) // '2 h' */
export function formatPause(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 90) return minutes < 60 ? `${minutes} min` : '1 h';
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

const counts = new Intl.NumberFormat('en');

/** A count with separators. @example formatCount(2000) // '2,000' */
export const formatCount = (count: number): string => counts.format(count);

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
const cents = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const tiny = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumSignificantDigits: 2 });

/** What a step cost; below a dollar four places, so that cents of a cent still count. @example formatMoney(0.045) // '$0.045' */
export function formatMoney(usd: number): string {
  const size = Math.abs(usd);
  if (size >= 1) return cents.format(usd);
  return size !== 0 && size < 0.001 ? tiny.format(usd) : dollars.format(usd);
}

/** Decimals for a column of amounts, so that they line up and the smallest still says something. */
export function centsFor(amounts: readonly number[]): number {
  const least = amounts.reduce((least, value) => (value > 0 ? Math.min(least, value) : least), 1);
  return least < 0.001 ? 4 : least < 0.1 ? 3 : 2;
}

/** An amount in such a column. @example formatCents(0.056, 3) // '$0.056' */
export function formatCents(usd: number, cents: number): string {
  const places = { minimumFractionDigits: cents, maximumFractionDigits: cents };
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', ...places }).format(usd);
}

/** What a step used, in one line; absent where nothing is stored. @example usedText({ tokenUsage: 1410, costUsd: 0.63 }) // '1,410 tokens · $0.63' */
export function usedText(used: { durationMs?: number; tokenUsage?: number; costUsd?: number }): string | undefined {
  const parts = [
    used.durationMs === undefined ? undefined : formatDuration(used.durationMs),
    used.tokenUsage === undefined ? undefined : plural(used.tokenUsage, 'token'),
    used.costUsd === undefined ? undefined : formatMoney(used.costUsd),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(' · ');
}

/** @example plural(1, 'task') // '1 task'; plural(2, 'entry', 'entries') // '2 entries' */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** How far a folder is read. @example filesRead({ n: 500, of: 50000 }) // '500 of 50,000 files read so far, the newest first' */
export const filesRead = ({ n, of }: { readonly n: number; readonly of: number }): string =>
  `${formatCount(n)} of ${plural(of, 'file')} read so far, the newest first`;

/** An id cut in the middle, by characters. @example cutMiddle('ckpt_07aa55a9c1', 11) // 'ckpt_…a9c1' */
export function cutMiddle(text: string, most = 16): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const tail = Math.min(4, Math.floor((most - 1) / 2));
  const head = most - 1 - tail;
  return `${characters.slice(0, head).join('')}…${characters.slice(-tail).join('')}`;
}

/** JSON text for one line: cut at the end, never written again. */
export function previewJson(text: string, most = 160): string {
  return text.length <= most ? text : `${text.slice(0, endOfCharacter(text, most - 1))}…`;
}

/** Beyond this much text after the cut no secret of a known shape can end that began before it. */
const REACH = 5000;

/** The beginning of a stored text for one line. It is masked before it is cut: half a secret has no shape. */
export function shownHead(shown: Shown, text: string, most: number, path?: string): string {
  if (text.length <= most + REACH) return previewJson(shown(text, path), most);
  return `${previewJson(shown(text.slice(0, most + REACH), path), most - 1).replace(/…$/, '')}…`;
}

/** Steps back from the middle of a surrogate pair. */
function endOfCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

/** An id that may be empty, for places where nothing would be shown. */
export const showId = (id: string): string => (id === '' ? '(empty id)' : shownNow(id));

/** `#07`: the step where the system counts steps, else the place in save order. */
export function stepNumber(row: { readonly stepIndex?: number | undefined; readonly seq: number }): string {
  return `#${String(row.stepIndex ?? row.seq).padStart(2, '0')}`;
}

/** How a checkpoint came to be saved, after the word Saved. */
export const SAVED_WORDS: Readonly<Record<Trigger, string>> = {
  auto: 'automatically',
  manual: 'by hand',
  error: 'on error',
  input: 'on input',
  update: 'by an update',
  fork: 'by a fork',
  restore: 'by a restore',
  edit: 'by an edit',
};
