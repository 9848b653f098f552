/** A time of a checkpoint in microseconds since 1970 UTC: Python writes six digits, a Date keeps three. */
export interface Stamp {
  readonly text: string;
  readonly micros: bigint;
  /** Without an offset; Kaizen's older documents mean UTC by that. */
  readonly naive: boolean;
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d(?::?\d\d)?)?)?$/;

/** A time as Python's `datetime.fromisoformat` takes it. @example parseStamp('2026-03-14T09:31:53.5+00:00')?.micros */
export function parseStamp(text: string): Stamp | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, day, hour = '00', minute = '00', second = '00', fraction = '', zone] = match;
  const wanted = `${day}T${hour}:${minute}:${second}`;
  const ms = Date.parse(`${wanted}Z`);
  // Date.parse rolls 31 February and hour 24 over; Python refuses them.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== wanted) return undefined;
  const micros = BigInt(ms) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
  return { text, micros: micros - offsetMicros(zone), naive: zone === undefined };
}

function offsetMicros(zone: string | undefined): bigint {
  if (zone === undefined || zone === 'Z') return 0n;
  const [hours = 0, minutes = 0, seconds = 0] = (zone.slice(1).match(/\d\d/g) ?? []).map(Number);
  const micros = BigInt(hours * 3600 + minutes * 60 + seconds) * 1_000_000n;
  return zone.startsWith('-') ? -micros : micros;
}

/** A time in the form of `datetime.isoformat()`, always with six digits. */
export function formatStamp(micros: bigint, naive: boolean): string {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const date = new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, 19);
  return `${date}.${rest.toString().padStart(6, '0')}${naive ? '' : '+00:00'}`;
}

/** A time as `datetime.isoformat()` writes it: a whole second has no fraction. */
export function isoformat(micros: bigint, naive: boolean): string {
  return formatStamp(micros, naive).replace('.000000', '');
}

/** ISO 8601 UTC with milliseconds, as everywhere on the wire. */
export function isoOf(micros: bigint): string {
  return new Date(Number(micros / 1000n)).toISOString();
}
