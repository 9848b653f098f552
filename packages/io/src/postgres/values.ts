/** A column as it comes: bytes for bytea, everything longer than 32 bits and every other type as the server writes it. */
export type PgValue = null | boolean | number | string | Uint8Array;
/** A value of a statement. Lists go to `= ANY($1)`. */
export type PgParameter = null | boolean | number | bigint | string | Uint8Array | readonly (null | string)[];

const BOOL = 16;
const BYTEA = 17;
const INT2 = 21;
const INT4 = 23;
const FLOAT4 = 700;
const FLOAT8 = 701;

type Parser = (text: string) => PgValue;

const bytes: Parser = (text) => Buffer.from(text.slice(2), 'hex');

/** A number only where it holds every digit; int8, numeric, json, times and lists stay the text that they are. */
const READABLE: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [BOOL, (text) => text === 't'],
  [BYTEA, bytes],
  [INT2, Number],
  [INT4, Number],
  [FLOAT4, Number],
  [FLOAT8, Number],
]);

const asWritten: Parser = (text) => text;

/** How the driver reads columns. */
export const READABLE_TYPES = { getTypeParser: (oid: number): Parser => READABLE.get(oid) ?? asWritten };

/** Everything as the server writes it, so that it can be written back without loss. */
export const STORED_TYPES = { getTypeParser: (oid: number): Parser => (oid === BYTEA ? bytes : asWritten) };

/** What the driver is given: it knows no bigint of its own, and bytes only as a Buffer. */
export function parameter(value: PgParameter): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

/** An identifier that cannot be read as anything else. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as SQL. */
export function quotedText(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
