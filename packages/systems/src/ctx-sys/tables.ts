import { tableColumns, tableNames, type SqliteDatabase } from '@checkpoint-inspector/io';

/** `application_id` of files that this program made: "CkCS". Only in those a state may be stored compressed. */
export const OWN_APPLICATION_ID = 0x43_6b_43_53;

const COLUMNS = [
  'id',
  'session_id',
  'step_number',
  'created_at',
  'state_json',
  'description',
  'trigger_type',
  'duration_ms',
  'token_usage',
];

/** A table of checkpoints: one of a project in a database of ctx-sys, or the single one of the document. */
export interface CheckpointTable {
  readonly name: string;
  readonly layout: 'project' | 'document';
  /** Project ids as `projects` spells them; empty for the document's table, which names the project in each row. */
  readonly projects: readonly string[];
  /** The file was made by this program. */
  readonly isOwn: boolean;
  readonly hasProjectColumn: boolean;
  /** `session_id` must name a row of another table, so no row can come under a new name. */
  readonly boundSession: boolean;
  /** A table that a foreign key names is missing: with foreign keys on, SQLite refuses every change. */
  readonly brokenKey?: string;
}

/** The table of a project: every character but letters and digits becomes `_`. @example projectTable('demo-app') // 'p_demo_app_checkpoints' */
export function projectTable(projectId: string): string {
  return `p_${projectId.replaceAll(/[^a-zA-Z0-9]/g, '_')}_checkpoints`;
}

/** Checkpoint tables in order of their names. Told by columns: other systems have tables of these names too. */
export function checkpointTables(database: SqliteDatabase): readonly CheckpointTable[] {
  const names = tableNames(database);
  const projects = names.includes('projects') ? projectIds(database) : [];
  const isOwn = database.pragma('application_id') === OWN_APPLICATION_ID;
  return names.flatMap((name) => {
    const isProject = /^p_.*_checkpoints$/s.test(name);
    if (!isProject && name !== 'checkpoints') return [];
    const columns = tableColumns(database, name);
    if (!COLUMNS.every((column) => columns.includes(column))) return [];
    const known = projects.filter((id) => projectTable(id) === name);
    const own = known.length > 0 ? known : [name.slice('p_'.length, -'_checkpoints'.length)];
    const layout = isProject ? 'project' : 'document';
    return {
      name,
      layout,
      projects: isProject ? own : [],
      isOwn: isOwn && !isProject,
      hasProjectColumn: columns.includes('project_id'),
      ...foreignKeys(database, name, names),
    };
  });
}

function projectIds(database: SqliteDatabase): readonly string[] {
  if (!tableColumns(database, 'projects').includes('id')) return [];
  const rows = database.prepare<{ id: unknown }>('SELECT id FROM projects ORDER BY id').all();
  return rows.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}

function foreignKeys(database: SqliteDatabase, table: string, names: readonly string[]) {
  const sql = 'SELECT "table" AS parent, "from" AS child FROM pragma_foreign_key_list(?)';
  const keys = database.prepare<{ parent: string; child: string }>(sql).all(table);
  const missing = keys.find(({ parent }) => !names.includes(parent))?.parent;
  return {
    boundSession: keys.some(({ child }) => child === 'session_id'),
    ...(missing === undefined ? {} : { brokenKey: missing }),
  };
}

/** An identifier for SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
