import type { Match, Target } from '@checkpoint-inspector/core';
import { lookInto, type SqliteDatabase } from '@checkpoint-inspector/io';
import { checkpointTables, quoted, type CheckpointTable } from './tables.ts';

/** Opens the database read-only and looks at the columns of its tables. @throws InspectorError unreadable | busy | unsupported */
export async function detectCtxSys(target: Target): Promise<Match | undefined> {
  if (target.kind !== 'path' || target.is !== 'file') return undefined;
  return lookInto(target.path, (database) => {
    const tables = checkpointTables(database);
    return tables.length === 0 ? undefined : matchOf(database, tables);
  });
}

/** Counting stops early: what a file is must be told at once, however large it is. */
const COUNTED = 10_000;

function matchOf(database: SqliteDatabase, tables: readonly CheckpointTable[]): Match {
  const counts = tables.map(
    ({ name }) =>
      database
        .prepare<{ n: number }>(`SELECT count(*) AS n FROM (SELECT 1 FROM ${quoted(name)} LIMIT ${COUNTED})`)
        .get()?.n ?? 0,
  );
  const count = counts.reduce((sum, n) => sum + n, 0);
  const more = counts.includes(COUNTED) ? ' or more' : '';
  const projects = tables.filter((table) => table.layout === 'project').length;
  const places = projects === 0 ? 'the table checkpoints' : `${projects} ${projects === 1 ? 'project' : 'projects'}`;
  return { system: 'ctx-sys', because: `${count}${more} checkpoints in ${places}`, confidence: 0.95 };
}
