import { InspectorError } from '@checkpoint-inspector/core';

/** SQLite's storage classes; integers also as numbers, where they are small. */
export type SqlValue = null | number | bigint | string | Uint8Array;
/** A row by column. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** The driver takes rows of up to 512 MiB less 24 bytes, the longest text of JavaScript; some is left for SQLite's own. */
export const MAX_ROW_BYTES = 512 * 1024 * 1024 - 1024;

/** Before a save: the driver's own refusal names no size and has no code. `stateBytes`: a state beside the row. @throws InspectorError too_large */
export function assertRowFits(row: SqlRow, maxBytes = MAX_ROW_BYTES, stateBytes = 0): void {
  let size = stateBytes;
  for (const value of Object.values(row)) size += sizeOf(value);
  if (size <= maxBytes) return;
  throw new InspectorError('too_large', `The checkpoint is ${size} bytes; the limit is ${maxBytes}.`, {
    data: { size, maxBytes },
  });
}

function sizeOf(value: SqlRow[string]): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.length : 8;
}
