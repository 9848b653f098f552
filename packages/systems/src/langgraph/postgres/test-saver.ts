/** For tests: the tables of the real PostgresSaver, opened by it and by us. */
import { EventEmitter } from 'node:events';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import type { TestPostgres } from '@checkpoint-inspector/io/testing';
import { openPostgresStore, type PostgresStore } from './test-store.ts';

export interface SaverStore {
  readonly store: PostgresStore;
  readonly saver: PostgresSaver;
  close(): Promise<void>;
}

export async function openSaverStore(): Promise<SaverStore> {
  const savers: PostgresSaver[] = [];
  const store = await openPostgresStore(async ({ url }) => {
    const saver = PostgresSaver.fromConnString(url);
    // A connection that is still closing when its database is dropped.
    const pool: unknown = Reflect.get(saver, 'pool');
    if (pool instanceof EventEmitter) pool.on('error', () => undefined);
    await saver.setup();
    savers.push(saver);
  });
  const [saver] = savers;
  if (!saver) throw new Error('The database was filled by a saver.');
  return {
    store,
    saver,
    close: async () => {
      await saver.end();
      await store.close();
    },
  };
}

/** Every row of LangGraph's tables, as text. */
export async function dumpOf({ run }: TestPostgres): Promise<string | null | undefined> {
  const sql = `SELECT string_agg(row, ';' ORDER BY row) AS rows FROM (SELECT c::text AS row FROM checkpoints c
    UNION ALL SELECT b::text FROM checkpoint_blobs b UNION ALL SELECT w::text FROM checkpoint_writes w) t`;
  return (await run<{ rows: string | null }>(sql))[0]?.rows;
}
