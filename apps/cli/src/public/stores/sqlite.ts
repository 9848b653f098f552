/** `checkpoint-inspector/stores/sqlite`: our own store in one SQLite file. */
export { openSqliteStore, SqliteStore } from '@checkpoint-inspector/stores/sqlite';
export type { SqliteStoreOptions } from '@checkpoint-inspector/stores/sqlite';
