/** For tests: copies of the fixture, opened; and plans carried out. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeIdFrom, type Changeable, type CheckpointSource, type Plan } from '@checkpoint-inspector/core';
import { openSqlite, type SqliteDatabase, type SqlRow } from '@checkpoint-inspector/io';
import { ctxSysSystem } from './index.ts';
import { quoted } from './tables.ts';
import { applyPlan, undoPlan } from '../test-executor.ts';

export const DEMO = 'p_demo_app_checkpoints';
export const OTHER = 'p_other_2_checkpoints';

/** One table of a project, as ctx-sys makes it. */
export const projectDdl = (table: string): string => `
CREATE TABLE IF NOT EXISTS projects (id TEXT PRIMARY KEY, name TEXT UNIQUE NOT NULL, path TEXT NOT NULL);
CREATE TABLE ${table} (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL, step_number INTEGER NOT NULL,
  created_at DATETIME DEFAULT CURRENT_TIMESTAMP, state_json TEXT NOT NULL,
  description TEXT, trigger_type TEXT NOT NULL, duration_ms INTEGER, token_usage INTEGER
);
CREATE INDEX idx_${table}_session ON ${table}(session_id, step_number DESC);
CREATE INDEX idx_${table}_created ON ${table}(created_at DESC);
`;

/** The document's own table, with its foreign keys. */
export const documentDdl = `
CREATE TABLE checkpoints (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL, project_id TEXT NOT NULL, step_number INTEGER NOT NULL,
  created_at TEXT NOT NULL, state_json TEXT NOT NULL, description TEXT, trigger_type TEXT NOT NULL,
  duration_ms INTEGER, token_usage INTEGER,
  FOREIGN KEY (session_id) REFERENCES sessions(id), FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX idx_checkpoints_session ON checkpoints(session_id, step_number DESC);
CREATE INDEX idx_checkpoints_project ON checkpoints(project_id, created_at DESC);
`;

export interface TestStore {
  readonly folder: string;
  readonly path: string;
  readonly sources: readonly (CheckpointSource & Changeable)[];
  /** The first one. */
  readonly source: CheckpointSource & Changeable;
  /** A second connection that may write, as an agent has. */
  readonly database: SqliteDatabase;
  /** Carries out a plan and returns how to undo it. */
  readonly apply: (plan: Plan) => Promise<() => Promise<void>>;
  /** Every row with its rowid, as text. */
  readonly dump: () => string;
  /** The database and its log, without the lock file that every reader writes. */
  readonly bytes: () => string[];
  readonly close: () => Promise<void>;
}

export const fixture = new URL('./fixtures/demo-app.db', import.meta.url).pathname;

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'ctx-sys-test-'));
}

export function openFixture(): Promise<TestStore> {
  return openTest((path) => copyFileSync(fixture, path));
}

/** A database of these statements and rows. */
export function openRows(sql: string, table: string, rows: readonly SqlRow[]): Promise<TestStore> {
  return openTest((path) => {
    const database = openSqlite(path, { readOnly: false, create: true });
    database.pragma('synchronous = OFF');
    database.pragma('journal_mode = WAL');
    database.exec(sql);
    for (const row of rows) insert(database, table, row);
    database.close();
  });
}

export async function openTest(make: (path: string) => void): Promise<TestStore> {
  const folder = temporaryFolder();
  const path = join(folder, 'ctx-sys.db');
  make(path);
  const database = openSqlite(path, { readOnly: false });
  // The agent's connection: what it saves need not outlive a power failure.
  database.pragma('synchronous = OFF');
  const sources = await openSources(path);
  const [source] = sources;
  if (!source) throw new Error('The database has no source.');
  return {
    folder,
    path,
    sources,
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
      for (const one of sources) await one.close?.();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function openSources(path: string, label = 'test'): Promise<readonly (CheckpointSource & Changeable)[]> {
  const taken = new Set<string>();
  const nameStore = (name: string) => {
    const id = storeIdFrom(name, (other) => taken.has(other));
    taken.add(id);
    return id;
  };
  const sources = await ctxSysSystem.open({ kind: 'path', path, is: 'file' }, { label, location: path, nameStore });
  return sources.filter((source): source is CheckpointSource & Changeable => 'plan' in source);
}

export function insert(database: SqliteDatabase, table: string, row: SqlRow): void {
  const names = Object.keys(row);
  const marks = names.map(() => '?').join(', ');
  database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row));
}

/** A row as ctx-sys writes it, with a plan of `steps` unless told otherwise. */
export function rowOf(id: string, step: number, more: Partial<Record<string, string | number | null>> = {}): SqlRow {
  return {
    id,
    session_id: 's',
    step_number: step,
    created_at: `2026-01-01T00:00:${String(step).padStart(2, '0')}.000Z`,
    state_json: planState(step),
    description: null,
    trigger_type: 'auto',
    duration_ms: 1,
    token_usage: null,
    ...more,
  };
}

/** A state of a run with 12 steps that is before `step`. */
export function planState(step: number): string {
  const plan = Array.from({ length: 12 }, (_, i) => ({
    id: `s${i}`,
    description: `Do ${i}`,
    action: 'noop',
    parameters: {},
    status: i < step ? 'completed' : 'pending',
  }));
  const results = plan
    .slice(0, step)
    .map(({ id }) => ({ stepId: id, output: 'ok', completedAt: '2026-01-01T00:00:00.000Z', durationMs: 1 }));
  return JSON.stringify({ query: 'q', plan, currentStepIndex: step, results, context: {} });
}

/** A state as the MCP tool saves it. */
export function toolState(step: number, context = '{"n": 1.0}'): string {
  return `{"query":"","plan":[],"currentStepIndex":${step},"results":[],"context":${context}}`;
}

function dumpOf(database: SqliteDatabase): string {
  const tables = database
    .prepare<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%checkpoints' ORDER BY 1",
    )
    .all();
  const rows = tables.flatMap(({ name }) =>
    database.prepare(`SELECT rowid AS r, * FROM ${quoted(name)} ORDER BY 1`).all(),
  );
  return JSON.stringify(rows, (_, value: unknown) => (Buffer.isBuffer(value) ? value.toString('latin1') : value));
}
