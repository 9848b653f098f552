import type { SqliteDatabase, SqliteStatement } from '../sqlite/index.ts';

type Statements = Map<string, SqliteStatement<never>>;

const kept = new WeakMap<SqliteDatabase, { readonly objects: Statements; readonly arrays: Statements }>();

/**
 * A statement that this database has prepared before: preparing takes as long as running it. Put SQL together once and
 * not for each call: a text that was just made has to be read to be found.
 */
export function prepared<Row>(db: SqliteDatabase, sql: string, arrays = false): SqliteStatement<Row> {
  let known = kept.get(db);
  if (known === undefined) kept.set(db, (known = { objects: new Map(), arrays: new Map() }));
  const statements = arrays ? known.arrays : known.objects;
  const found: SqliteStatement<never> | undefined = statements.get(sql);
  if (found) return found;
  const made = db.prepare<Row>(sql, { arrays });
  statements.set(sql, made as SqliteStatement<never>);
  return made;
}
