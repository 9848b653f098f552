import { InspectorError } from '@checkpoint-inspector/core';
import { tableNames, type SqliteDatabase } from '@checkpoint-inspector/io';
import {
  checkpointTables,
  openToSave,
  OWN_APPLICATION_ID,
  type CheckpointDatabase,
  type CheckpointTable,
} from '@checkpoint-inspector/systems/ctx-sys';

/** Which file, and which project in it, a manager saves to. */
export interface CheckpointDatabaseOptions {
  /** A new file is made; one of ctx-sys, or with the document's table, is used as it is. */
  readonly path: string;
  /** Which project of a database of ctx-sys; may be left out where there is one. */
  readonly projectId?: string | undefined;
  /** Whether a file that is missing is made; default true. */
  readonly create?: boolean | undefined;
  /** How long to wait for another writer; default 5,000. */
  readonly busyTimeoutMs?: number | undefined;
}

/** The document's table. Its foreign keys lead to tables of ctx-sys that this file does not have. */
const SCHEMA = `
CREATE TABLE checkpoints (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  step_number INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  state_json TEXT NOT NULL,
  description TEXT,
  trigger_type TEXT NOT NULL,
  duration_ms INTEGER,
  token_usage INTEGER
);
CREATE INDEX idx_checkpoints_session ON checkpoints(session_id, step_number DESC);
CREATE INDEX idx_checkpoints_project ON checkpoints(project_id, created_at DESC);
`;

/**
 * Opens a file to save checkpoints in.
 * @throws InspectorError invalid_input (no such project, another program's file) | busy | disk_full | unreadable
 * @example const manager = new CheckpointManager(openCheckpointDatabase({ path: 'agent.db' }))
 */
export function openCheckpointDatabase(options: CheckpointDatabaseOptions): CheckpointDatabase {
  const { path, create = true, busyTimeoutMs } = options;
  return openToSave(path, { create, ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }) }, (sqlite) => {
    if (create && tableNames(sqlite).length === 0) createTable(sqlite);
    return tableFor(sqlite, options);
  });
}

function createTable(sqlite: SqliteDatabase): void {
  sqlite.pragma('journal_mode = WAL');
  sqlite.transaction(() => {
    // Another process may have been first.
    if (tableNames(sqlite).length > 0) return;
    sqlite.exec(SCHEMA);
    sqlite.pragma(`application_id = ${OWN_APPLICATION_ID}`);
  });
}

function tableFor(sqlite: SqliteDatabase, { path, projectId }: CheckpointDatabaseOptions): CheckpointTable {
  const tables = checkpointTables(sqlite);
  // A project's own table goes before the document's, which takes rows of any project.
  const named = projectId === undefined ? undefined : tables.find(({ projects }) => projects.includes(projectId));
  const chosen = named ?? tables.find(({ layout }) => layout === 'document');
  if (chosen) return chosen;
  const known = tables.flatMap(({ projects }) => projects);
  if (known.length === 0) {
    const names = tableNames(sqlite).slice(0, 12).join(', ');
    throw new InspectorError(
      'invalid_input',
      `${path} has no checkpoint table with the columns of ctx-sys, but: ${names}.`,
      { remedy: 'Choose a new file, or a ctx-sys database that contains a project.' },
    );
  }
  const [only] = tables;
  if (projectId === undefined && tables.length === 1 && only) return only;
  const asked = projectId === undefined ? 'Name a project' : `There is no project "${projectId}"`;
  throw new InspectorError('invalid_input', `${asked}; this database has ${known.join(', ')}.`, {
    data: { projects: known },
  });
}
