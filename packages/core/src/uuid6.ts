/** Ids that sort by their time, as LangGraph makes them. */
import { InspectorError } from './errors.ts';

const UUID6 = /^([0-9a-f]{8})-([0-9a-f]{4})-6([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** 100 ns steps from 1582-10-15 to 1970-01-01. */
const EPOCH = 0x01b2_1dd2_1381_4000n;
const STEPS_PER_MS = 10_000n;

/** The id's time in 100 ns steps since 1582-10-15; `undefined` for any other id. Source: RFC 9562, section 5.6. */
export function ticksOf(id: string): bigint | undefined {
  const parts = UUID6.exec(id);
  return parts ? BigInt(`0x${parts[1]}${parts[2]}${parts[3]}`) : undefined;
}

/** ISO 8601 UTC, milliseconds. @example timeOf('1f1e5add-7601-6fe1-ffff-eb5c8d3739dd') // '2026-11-21T13:17:03.070Z' */
export function timeOf(id: string): string | undefined {
  const ticks = ticksOf(id);
  return ticks === undefined ? undefined : timeOfTicks(ticks);
}

export function timeOfTicks(ticks: bigint): string {
  return new Date(Number((ticks - EPOCH) / STEPS_PER_MS)).toISOString();
}

/** Later than now and than `newest`; the step is in the fourth group. @throws InspectorError unsupported */
export function newerId(newest: string | undefined, step: number, now: Date): { id: string; ticks: bigint } {
  const clock = BigInt(now.getTime()) * STEPS_PER_MS + EPOCH;
  const last = newest === undefined ? undefined : ticksOf(newest);
  const ticks = last !== undefined && last >= clock ? last + 1n : clock;
  const hex = ticks.toString(16).padStart(15, '0');
  const group4 = (0x8000 | (step & 0x3fff)).toString(16);
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-6${hex.slice(12)}-${group4}-${randomNode()}`;
  if (newest !== undefined && id <= newest) {
    throw new InspectorError(
      'unsupported',
      `This thread's ids aren't UUIDs ("${newest}"), so a newer one can't be created.`,
    );
  }
  return { id, ticks };
}

function randomNode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A time as JavaScript writes it, on a day that every month has: there is nothing to convert. */
const PLAIN = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}\.\d{3}Z`;
const PLAIN_TIME = new RegExp(`^${PLAIN}$`);
const PLAIN_TIMES = new RegExp(`^\\[(?:"${PLAIN}",?)+\\]$`);

/** True only where `new Date(text).toISOString()` is the text; of 29 to 31 of a month it says nothing. */
export const isPlainTime = (text: string): boolean => PLAIN_TIME.test(text);

/** The same of all in a JSON list without spaces, which costs much less than one by one. */
export const arePlainTimes = (list: string): boolean => PLAIN_TIMES.test(list);
