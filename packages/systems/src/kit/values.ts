/** What a description says of where a value is, and how values of other programs read. */
import {
  InspectorError,
  parseJson,
  parsePath,
  quoteJson,
  sourceOf,
  stringOf,
  valueAt,
  type CheckpointMeta,
  type CheckpointStatus,
  type JsonNode,
  type Path,
} from '@checkpoint-inspector/core';
import { isoOf, parseStamp, type Stamp } from '../folder/time.ts';

/** JSON that was read once for all values in it. */
export interface ReadJson {
  readonly text: string;
  readonly root: JsonNode;
}

export const readJson = (text: string): ReadJson => ({ text, root: parseJson(text) });

/** The value at a path, exactly as it stands; strings without their quotes. `undefined` where there is none, or null. */
export function valueIn({ text, root }: ReadJson, path: Path): string | undefined {
  const node = valueAt(text, root, path);
  if (node === undefined || node.kind === 'null') return undefined;
  return node.kind === 'string' ? stringOf(text, node) : sourceOf(text, node);
}

/** Where a value of a table is: a column, or a path in the JSON that the column holds. */
export interface ColumnPlace {
  readonly column: string;
  readonly path?: Path;
}

/** @example columnPlace('state_json:$.node') // { column: 'state_json', path: ['node'] } */
export function columnPlace(text: string): ColumnPlace {
  const at = text.indexOf(':$');
  return at === -1 ? { column: text } : { column: text.slice(0, at), path: parsePath(text.slice(at + 1)) };
}

const FAILED = /^(?:failed|failure|error|errored|crashed|aborted|timed?[ _-]?out)$/i;
const COMPLETED = /^(?:completed?|success|succeeded|done|finished|ok)$/i;
const WAITING = /^(?:interrupted|waiting|suspended|paused)$/i;
const RUNNING = /^(?:running|active|started|in[ _-]?progress)$/i;
const PENDING = /^(?:pending|queued|enqueued|scheduled|created)$/i;

/** The status that a word of another program means. @param words those that the description names itself */
export function statusOf(
  word: string | undefined,
  words: Readonly<Record<string, CheckpointStatus>> = {},
): CheckpointStatus | undefined {
  if (word === undefined) return undefined;
  const named = Object.hasOwn(words, word) ? words[word] : undefined;
  if (named !== undefined) return named;
  if (FAILED.test(word)) return 'failed';
  if (COMPLETED.test(word)) return 'completed';
  if (WAITING.test(word)) return 'interrupted';
  if (RUNNING.test(word)) return 'running';
  return PENDING.test(word) ? 'pending' : undefined;
}

type Times = Pick<CheckpointMeta, 'createdAt' | 'createdAtText' | 'timeBasis'>;

/** Units of a number since 1970, by its digits before the point: seconds to 2286, milliseconds, micro- and nanoseconds. */
const UNITS = [
  { digits: 10, micros: 1_000_000 },
  { digits: 13, micros: 1_000 },
  { digits: 16, micros: 1 },
  { digits: 19, micros: 0.001 },
] as const;

/** A time as stored. Without an offset it is shown as it stands, unless the description says that it is UTC. */
export function timesOf(stored: string | undefined, isUtc: boolean): Times {
  if (stored === undefined) return { timeBasis: 'none' };
  const unit = unitOf(stored);
  if (unit !== undefined)
    return { createdAt: isoOf(BigInt(Math.round(Number(stored) * unit))), createdAtText: stored, timeBasis: 'utc' };
  const stamp = stampOf(stored);
  if (stamp === undefined) return { createdAtText: stored, timeBasis: 'none' };
  if (stamp.naive && !isUtc) return { createdAtText: stored, timeBasis: 'local' };
  return { createdAt: isoOf(stamp.micros), createdAtText: stored, timeBasis: 'utc' };
}

/** PostgreSQL writes an offset of whole hours with two digits. */
const stampOf = (stored: string): Stamp | undefined =>
  parseStamp(stored.trim().replace(/(:\d\d(?:\.\d+)?[+-]\d\d)$/, '$1:00'));

const unitOf = (stored: string): number | undefined => {
  const whole = /^(\d{9,19})(?:\.\d+)?$/.exec(stored)?.[1];
  return whole === undefined ? undefined : UNITS.find(({ digits }) => whole.length <= digits)?.micros;
};

/** A time in the form of another, so that a program reads both alike. @throws InspectorError unsupported */
export function timeLike(stored: string, now: Date, isUtc: boolean): string {
  const micros = unitOf(stored);
  if (micros !== undefined) {
    const value = (now.getTime() * 1_000) / micros;
    return stored.includes('.') ? String(value) : String(Math.floor(value));
  }
  const stamp = stampOf(stored);
  if (stamp === undefined || (stamp.naive && !isUtc))
    throw new InspectorError(
      'unsupported',
      `The time ${JSON.stringify(stored)} has no offset, so a new one can't be written.`,
      {
        remedy: 'Say `utc: true` in the description if its times are UTC.',
      },
    );
  const iso = now.toISOString();
  const fraction = /[.,](\d+)/.exec(stored)?.[1] ?? '';
  const seconds = iso.slice(0, 19).replace('T', stored.includes('T') ? 'T' : ' ');
  const digits = fraction === '' ? '' : `.${iso.slice(20, 23).padEnd(fraction.length, '0').slice(0, fraction.length)}`;
  const zone = stamp.naive ? '' : stored.endsWith('Z') ? 'Z' : '+00:00';
  return seconds + digits + zone;
}

/** A whole number where it is one. @example stepOf('12') // 12 */
export const stepOf = (stored: string | undefined): number | undefined =>
  stored !== undefined && /^-?\d{1,15}$/.test(stored) ? Number(stored) : undefined;

/** Of a checkpoint that is only what was added, all of it. @example collected('messages', ['{"role":"user"}']) // '{"messages":[{"role":"user"}]}' */
export const collected = (name: string, texts: readonly string[]): string =>
  `{${quoteJson(name)}:[${texts.join(',')}]}`;

export const COLLECTED = 'All that was saved until then, each as its place has it, as one list.';

const NAME_LENGTH = 200;

/** In one line, as lists show it. */
export const inOneLine = (text: string | undefined): string | undefined =>
  text
    ?.replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, NAME_LENGTH)
    .replace(/[\ud800-\udbff]$/, '') || undefined;
