/** For tests: copies of the store that VoltAgent wrote. */
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { openCopy, type TestStore } from '../run-row/test-store.ts';
import { voltagentSystem } from './index.ts';

export type { TestStore } from '../run-row/test-store.ts';
export const STATES = 'voltagent_memory_workflow_states';

const FIXTURE = {
  system: voltagentSystem,
  path: new URL('./fixtures/voltagent.db', import.meta.url).pathname,
  tables: [STATES, 'voltagent_memory_conversations', 'voltagent_memory_messages'],
};

export const openFixture = (change?: (database: SqliteDatabase) => void): Promise<TestStore> =>
  openCopy(FIXTURE, change);
