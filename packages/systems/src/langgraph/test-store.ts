/** For tests: copies of the fixture, opened; and plans carried out. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeId, type Changeable, type CheckpointSource, type Plan } from '@checkpoint-inspector/core';
import { openSqlite, type SqliteDatabase, type SqlRow } from '@checkpoint-inspector/io';
import { langgraphSystem, LANGGRAPH_DDL } from './index.ts';
import { applyPlan, undoPlan } from '../test-executor.ts';

export interface TestStore {
  readonly path: string;
  readonly source: CheckpointSource & Changeable;
  /** A second connection that may write, as an agent has. */
  readonly database: SqliteDatabase;
  /** Carries out a plan and returns how to undo it. */
  readonly apply: (plan: Plan) => Promise<() => Promise<void>>;
  /** Every row of both tables with its rowid, as text. */
  readonly dump: () => string;
  /** The database and its log, without the lock file that every reader writes. */
  readonly bytes: () => string[];
  readonly close: () => Promise<void>;
}

const FIXTURE = new URL('./fixtures/js.sqlite', import.meta.url).pathname;
const PYTHON = new URL('./fixtures/py.sqlite', import.meta.url).pathname;
const bytesOfThread = new Map<string, Uint8Array>();

/** The whole fixture, or one thread of it. */
export function openFixture(only?: string): Promise<TestStore> {
  return openCopy((path) =>
    only === undefined ? copyFileSync(FIXTURE, path) : writeFileSync(path, threadAlone(only)),
  );
}

/** The store that LangGraph for Python wrote. */
export function openPython(): Promise<TestStore> {
  return openCopy((path) => copyFileSync(PYTHON, path));
}

/** The fixture with one thread, made once for all tests that copy it. */
function threadAlone(thread: string): Uint8Array {
  const known = bytesOfThread.get(thread);
  if (known) return known;
  const folder = mkdtempSync(join(tmpdir(), 'langgraph-thread-'));
  const path = join(folder, 'checkpoints.sqlite');
  copyFileSync(FIXTURE, path);
  const database = openSqlite(path, { readOnly: false });
  for (const table of ['checkpoints', 'writes']) {
    database.prepare(`DELETE FROM ${table} WHERE thread_id <> ?`).run(thread);
  }
  database.close();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  bytesOfThread.set(thread, bytes);
  return bytes;
}

/** A store of these rows alone. */
export async function openRows(rows: readonly SqlRow[], writes: readonly SqlRow[] = []): Promise<TestStore> {
  const store = await openCopy();
  store.database.transaction(() => {
    for (const row of rows) insert(store.database, 'checkpoints', row);
    for (const row of writes) insert(store.database, 'writes', row);
  });
  return store;
}

async function openCopy(make?: (path: string) => void): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'langgraph-test-'));
  const path = join(folder, 'checkpoints.sqlite');
  make?.(path);
  const database = openSqlite(path, { readOnly: false, create: true });
  // The agent's connection: what it saves need not outlive a power failure.
  database.pragma('synchronous = OFF');
  if (!make) {
    database.pragma('journal_mode = WAL');
    database.exec(LANGGRAPH_DDL);
  }
  const source = await openSource(path);
  return {
    path,
    source,
    database,
    apply: async (plan) => {
      const { images } = await applyPlan(plan);
      return async () => void (await undoPlan(plan, images));
    },
    dump: () => dumpOf(database),
    bytes: () =>
      ['', '-wal'].map((part) => (existsSync(path + part) ? readFileSync(path + part).toString('base64') : '')),
    close: async () => {
      await source.close?.();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function openSource(path: string): Promise<CheckpointSource & Changeable> {
  const options = { label: 'test', location: path, nameStore: () => storeId('test') };
  const [source] = await langgraphSystem.open({ kind: 'path', path, is: 'file' }, options);
  if (!source || !('plan' in source)) throw new Error('The fixture opens as one source that can be changed.');
  return source as CheckpointSource & Changeable;
}

export function insert(database: SqliteDatabase, table: 'checkpoints' | 'writes', row: SqlRow): void {
  const names = Object.keys(row);
  const marks = names.map(() => '?').join(', ');
  database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row));
}

function dumpOf(database: SqliteDatabase): string {
  const rows = ['checkpoints', 'writes'].flatMap((table) =>
    database.prepare(`SELECT rowid AS r, * FROM ${table} ORDER BY 1`).all(),
  );
  return JSON.stringify(rows, (_, value: unknown) => (Buffer.isBuffer(value) ? value.toString('latin1') : value));
}

/** An id of LangGraph's kind, in order of `n`. */
export function idAt(n: number): string {
  return `1f1e5add-${n.toString(16).padStart(4, '0')}-6000-8001-000000000000`;
}
