/** For tests: copies of the store that Mastra wrote. */
import type { SqliteDatabase, SqlRow } from '@checkpoint-inspector/io';
import { insertRow, openCopy, type TestStore } from '../run-row/test-store.ts';
import { mastraSystem } from './index.ts';

export type { TestStore } from '../run-row/test-store.ts';

const FIXTURE = {
  system: mastraSystem,
  path: new URL('./fixtures/mastra.db', import.meta.url).pathname,
  tables: ['mastra_workflow_snapshot', 'mastra_threads', 'mastra_messages'],
};

export const openFixture = (change?: (database: SqliteDatabase) => void): Promise<TestStore> =>
  openCopy(FIXTURE, change);

export function insertRun(database: SqliteDatabase, row: SqlRow): void {
  const times = { createdAt: '2026-11-22T01:00:00.000Z', updatedAt: '2026-11-22T01:00:01.000Z' };
  insertRow(database, 'mastra_workflow_snapshot', { ...times, ...row });
}
