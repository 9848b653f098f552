/** SQLite's storage classes; integers also as numbers, where they are small. */
export type SqlValue = null | number | bigint | string | Uint8Array;
/** A row by column. */
export type SqlRow = Readonly<Record<string, SqlValue>>;
