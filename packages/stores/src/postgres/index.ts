export { findPostgresStore, openPostgresStore, type PostgresStore, type PostgresStoreOptions } from './store.ts';
export { postgresSystem } from './system.ts';
