import { tableNames } from '@checkpoint-inspector/io';
import type { SqliteDatabase } from '@checkpoint-inspector/io';

/** What the journal knows of itself stays. */
const KEPT = new Set(['journal_meta']);

/** Forgets every change, label and note; only the demo asks for this. */
export function clearJournal(db: SqliteDatabase): void {
  // Rows point at each other; all of them go, so the order does not matter.
  db.pragma('foreign_keys = OFF');
  db.transaction(() => {
    for (const table of tableNames(db)) {
      if (KEPT.has(table) || table.startsWith('sqlite_')) continue;
      db.exec(`DELETE FROM "${table.replaceAll('"', '""')}"`);
    }
  });
  db.pragma('foreign_keys = ON');
}
