export { isPostgresAddress } from './address.ts';
export { postgresChangeable, postgresColumns, postgresSchemasOf, postgresTables } from './catalog.ts';
export {
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
  type PostgresReader,
  type PostgresSnapshot,
} from './open.ts';
export { listenPostgres, type PostgresListenOptions } from './listen.ts';
export { listenLock, storeChannel, storeLock, taskLock } from './locks.ts';
export type { Begun, Connections } from './pool.ts';
export { settings } from './settings.ts';
export { connect, postgresTarget, type PostgresPool, type PostgresTarget } from './target.ts';
export { quotedName, quotedText } from './values.ts';
export type { PgParameter, PgValue } from './values.ts';
export { watchPostgres, type PostgresWatchOptions } from './watch.ts';
export { type PostgresLock, type PostgresWrite, type PostgresWriter, writePostgres } from './write.ts';
