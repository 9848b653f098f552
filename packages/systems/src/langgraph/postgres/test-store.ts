/** For tests: LangGraph's tables in a database of a real server. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { storeId, type Changeable, type CheckpointSource } from '@checkpoint-inspector/core';
import { postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { langgraphSystem } from '../index.ts';

export interface PostgresStore {
  readonly database: TestPostgres;
  readonly source: CheckpointSource & Changeable;
  readonly close: () => Promise<void>;
}

/** What PostgresSaver of JavaScript wrote. */
export const JS_DUMP = gunzipSync(readFileSync(new URL('../fixtures/js-postgres.sql.gz', import.meta.url))).toString();

/** The same with the rows of one thread. */
export function dumpOfThread(thread: string): string {
  let isRows = false;
  const lines = JS_DUMP.split('\n').filter((line) => {
    const isKept = !isRows || line.startsWith(`${thread}\t`) || line === '\\.';
    if (line.startsWith('COPY public.checkpoint') && !line.includes('migrations')) isRows = true;
    else if (line === '\\.') isRows = false;
    return isKept;
  });
  return lines.join('\n');
}

/** The tables as the savers of both languages make them; the Python saver has `task_path`. */
export const POSTGRES_DDL = `
CREATE TABLE checkpoint_migrations (v INTEGER PRIMARY KEY);
CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
  parent_checkpoint_id TEXT, type TEXT, checkpoint JSONB NOT NULL, metadata JSONB NOT NULL DEFAULT '{}',
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
CREATE TABLE checkpoint_blobs (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', channel TEXT NOT NULL,
  version TEXT NOT NULL, type TEXT NOT NULL, blob BYTEA, PRIMARY KEY (thread_id, checkpoint_ns, channel, version));
CREATE TABLE checkpoint_writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, blob BYTEA NOT NULL,
  task_path TEXT NOT NULL DEFAULT '', PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));`;

/** A database of its own, filled, opened by its address. */
export async function openPostgresStore(fill: (database: TestPostgres) => Promise<unknown>): Promise<PostgresStore> {
  const database = await postgresForTests();
  try {
    await fill(database);
    const [source] = await openSources(database.url);
    if (!source) throw new Error('The database opens as one store.');
    return {
      database,
      source,
      close: async () => {
        await source.close?.();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

export async function openSources(url: string): Promise<(CheckpointSource & Changeable)[]> {
  const taken = new Set<string>();
  const nameStore = (name: string) => {
    taken.add(name);
    return storeId(`s${taken.size}`);
  };
  const sources = await langgraphSystem.open({ kind: 'address', url }, { label: 'test', location: 'test', nameStore });
  return sources.filter((source): source is CheckpointSource & Changeable => 'plan' in source);
}
