import { InspectorError } from '@checkpoint-inspector/core';
import { isoformat, parseStamp } from '@checkpoint-inspector/systems/folder';

/**
 * A Date that keeps what a Date cannot hold: the microseconds, and the text that was read.
 * @example Timestamp.fromisoformat('2026-03-14T09:31:53.589793+00:00').getTime() // 1773480713589
 */
export class Timestamp extends Date {
  readonly #micros: bigint;
  readonly #text: string;

  private constructor(micros: bigint, text: string) {
    super(Number(micros / 1000n));
    this.#micros = micros;
    this.#text = text;
  }

  /** The time of the call, in UTC and to the microsecond; each call gives a later one. */
  static utcnow(): Timestamp {
    const clock = BigInt(Date.now()) * 1000n;
    newest = clock > newest ? clock : newest + 1n;
    return new Timestamp(newest, isoformat(newest, false));
  }

  /** Reads what Python's `datetime.fromisoformat` reads; a time without an offset is UTC. @throws InspectorError invalid_input */
  static fromisoformat(text: string): Timestamp {
    const stamp = parseStamp(text);
    if (stamp) return new Timestamp(stamp.micros, text);
    throw new InspectorError('invalid_input', `"${text.slice(0, 60)}" isn't an ISO 8601 time.`);
  }

  /** Microseconds since 1970 of any Date. @throws InspectorError invalid_input for an invalid one */
  static micros(date: Date): bigint {
    if (isUnchanged(date)) return date.#micros;
    const millis = date.getTime();
    if (Number.isNaN(millis)) throw new InspectorError('invalid_input', 'The date is invalid.');
    return BigInt(millis) * 1000n;
  }

  /** Any Date as Python's `isoformat()` writes it; one that was read and not set since as it stood there. */
  static isoformat(date: Date): string {
    return isUnchanged(date) ? date.#text : isoformat(Timestamp.micros(date), false);
  }

  static isUnchanged(date: Timestamp): boolean {
    return date.getTime() === Number(date.#micros / 1000n);
  }
}

let newest = 0n;

function isUnchanged(date: Date): date is Timestamp {
  return date instanceof Timestamp && Timestamp.isUnchanged(date);
}
