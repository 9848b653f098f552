export { SqliteStore, openSqliteStore } from './store.ts';
export type { SqliteStoreOptions } from './store.ts';
export { sqliteSystem } from './system.ts';
