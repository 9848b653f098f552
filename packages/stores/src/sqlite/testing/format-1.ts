/** Files as the first version wrote them, and a look at the tables of today. */
import { createHash } from 'node:crypto';
import { openSqlite, type SqlRow } from '@checkpoint-inspector/io';
import type { FidelityTables } from '../../testing/fidelity.ts';
import { openSqliteStore } from '../store.ts';

export interface FirstRow {
  readonly task: string;
  readonly id: string;
  readonly text: string | Uint8Array;
  readonly hash?: string;
  readonly size?: number;
}

/** A store whose states are texts in its rows. */
export async function writeFormat1(path: string, rows: readonly FirstRow[]): Promise<void> {
  await (await openSqliteStore({ path })).close();
  const db = openSqlite(path, { readOnly: false });
  const insert = db.prepare(
    `INSERT INTO checkpoints (task, id, text, state_hash, size_bytes, duration_ms, created_at)
     VALUES (?, ?, ?, ?, ?, 1.5, '2026-01-01T00:00:00.000Z')`,
  );
  db.transaction(() => {
    for (const { task, id, text, hash, size } of rows)
      insert.run(
        task,
        id,
        text,
        hash ?? createHash('sha256').update(text).digest('hex'),
        size ?? Buffer.byteLength(text),
      );
  });
  db.close();
}

/** The rows of a query. */
export function rowsOf(path: string, sql: string): SqlRow[] {
  const db = openSqlite(path, { readOnly: true });
  try {
    return db.prepare<SqlRow>(sql).all();
  } finally {
    db.close();
  }
}

export const numberIn = (path: string, sql: string): number => Number(Object.values(rowsOf(path, sql)[0] ?? {})[0]);

export const formatOf = (path: string): number => numberIn(path, "SELECT v FROM store_meta WHERE k = 'format'");

export function change(path: string, sql: string): void {
  const db = openSqlite(path, { readOnly: false });
  db.exec(sql);
  db.close();
}

const COUNTED = 'SELECT task, count, bytes, updated FROM tasks';
const REAL = 'SELECT task, count(*), sum(size_bytes), max(created_at) FROM checkpoints GROUP BY task';

/** Tasks whose counts aren't those of their rows. */
export const miscounted = (path: string): SqlRow[] => [
  ...rowsOf(path, `${COUNTED} EXCEPT ${REAL}`),
  ...rowsOf(path, `${REAL} EXCEPT ${COUNTED}`),
];

export const tablesOf = (path: string): FidelityTables => ({
  collections: async () => numberIn(path, "SELECT v FROM store_meta WHERE k = 'gc_epoch'"),
  miscounted: async () => miscounted(path),
});
