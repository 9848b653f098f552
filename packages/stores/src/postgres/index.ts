export { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from './store.ts';
