import type { SqliteDatabase, SqliteStatement } from '../sqlite/index.ts';

const kept = new WeakMap<SqliteDatabase, Map<string, SqliteStatement<never>>>();

/** A statement that this database has prepared before: preparing takes as long as running it. */
export function prepared<Row>(db: SqliteDatabase, sql: string, arrays = false): SqliteStatement<Row> {
  const statements = kept.get(db) ?? new Map<string, SqliteStatement<never>>();
  kept.set(db, statements);
  const key = arrays ? `${sql} ` : sql;
  const known: SqliteStatement<never> | undefined = statements.get(key);
  if (known) return known;
  const made = db.prepare<Row>(sql, { arrays });
  statements.set(key, made as SqliteStatement<never>);
  return made;
}
