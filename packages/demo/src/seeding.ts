import { openSqlite, type SqlRow, type SqliteDatabase } from '@checkpoint-inspector/io';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';

/** ISO time so many seconds before `now`. */
export const ago = (now: Date, seconds: number): string => new Date(now.getTime() - seconds * 1000).toISOString();

/** The same numbers at every start. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function insertRow(db: SqliteDatabase, table: string, row: SqlRow): void {
  const columns = Object.keys(row);
  const values = columns.map((column) => `:${column}`).join(', ');
  db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`).run(row);
}

/** Into a store that makes its file: one transaction writes in a moment what durable saves take seconds for. */
export async function writeRows(path: string, rows: Iterable<SqlRow>): Promise<void> {
  await (await openSqliteStore({ path })).close();
  const db = openSqlite(path, { readOnly: false });
  try {
    db.transaction(() => {
      for (const row of rows) insertRow(db, 'checkpoints', given(row));
    });
  } finally {
    db.close();
  }
}

/** A new file has columns for less than a row can say: what says nothing is left out. */
const given = (row: SqlRow): SqlRow =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== ''));
