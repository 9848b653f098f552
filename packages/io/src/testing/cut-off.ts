import { readFileSync, writeFileSync } from 'node:fs';
import { openSqlite } from '../sqlite/index.ts';

/**
 * Leaves a database without a log as a writer does that is killed while it empties a table: part of the change is in
 * the file, and what undoes it is in the journal beside it.
 * @example copyFileSync(fixture, path); cutOffChange(path, 'checkpoints')
 */
export function cutOffChange(path: string, table: string): void {
  const database = openSqlite(path, { readOnly: false });
  const parts = [path, `${path}-journal`];
  let left: Buffer[];
  try {
    database.pragma('journal_mode = DELETE');
    database.pragma('foreign_keys = OFF');
    // What doesn't fit into the cache goes into the file before the commit.
    database.pragma('cache_size = 1');
    database.exec('BEGIN IMMEDIATE');
    database.exec(`DELETE FROM "${table}"`);
    database.exec('CREATE TABLE unfinished AS SELECT zeroblob(100000) AS bytes');
    left = parts.map((part) => readFileSync(part));
    database.exec('ROLLBACK');
  } finally {
    database.close();
  }
  for (const [at, bytes] of left.entries()) writeFileSync(parts[at] ?? path, bytes);
}
