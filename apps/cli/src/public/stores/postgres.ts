/** `checkpoint-inspector/stores/postgres`: our own store in a schema of a PostgreSQL database. */
export { openPostgresStore } from '@checkpoint-inspector/stores/postgres';
export type { PostgresStore, PostgresStoreOptions } from '@checkpoint-inspector/stores/postgres';
export type { PostgresPool } from '@checkpoint-inspector/io';
