export { isPostgresAddress } from './address.ts';
export { postgresChangeable, postgresColumns, postgresSchemasWith, postgresTables } from './catalog.ts';
export {
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
  type PostgresReader,
  type PostgresSnapshot,
} from './open.ts';
export type { PgParameter, PgValue } from './values.ts';
export { watchPostgres, type PostgresWatchOptions } from './watch.ts';
