import type { Match, Target } from '@checkpoint-inspector/core';
import { openSqlite, sqliteHeader, type SqliteDatabase } from '@checkpoint-inspector/io';
import { checkpointTables, quoted, type CheckpointTable } from './tables.ts';

/** Opens the database read-only and looks at the columns of its tables. @throws InspectorError unreadable | busy | unsupported */
export async function detectCtxSys(target: Target): Promise<Match | undefined> {
  if (target.kind !== 'file' || (await sqliteHeader(target.path)) !== 'sqlite') return undefined;
  const database = openSqlite(target.path, { readOnly: true });
  try {
    const tables = checkpointTables(database);
    return tables.length === 0 ? undefined : matchOf(database, tables);
  } finally {
    database.close();
  }
}

function matchOf(database: SqliteDatabase, tables: readonly CheckpointTable[]): Match {
  const counts = tables.map(
    ({ name }) => database.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${quoted(name)}`).get()?.n ?? 0,
  );
  const count = counts.reduce((sum, n) => sum + n, 0);
  const projects = tables.filter((table) => table.layout === 'project').length;
  const places = projects === 0 ? 'the table checkpoints' : `${projects} ${projects === 1 ? 'project' : 'projects'}`;
  return { system: 'ctx-sys', because: `${count} checkpoints in ${places}`, confidence: 0.95 };
}
