import {
  InspectorError,
  pathOf,
  type CheckpointMeta,
  type CheckpointSource,
  type Match,
  type NewCheckpoint,
  type OpenOptions,
  type SaveOptions,
  type System,
  type Target,
} from '@checkpoint-inspector/core';
import { isWritable, lookInto, type SqliteDatabase } from '@checkpoint-inspector/io';
import { openCtxSys } from './read.ts';
import { saveAsTool } from './save.ts';
import { checkpointTables, quoted, type CheckpointTable } from './tables.ts';

/**
 * Databases of ctx-sys (a table per project), and those with the single table of its document.
 * @example const [source] = await ctxSysSystem.open(target, options);
 */
export const ctxSysSystem: System = {
  id: 'ctx-sys',
  label: 'ctx-sys',
  detect: detectCtxSys,
  open: async (target: Target, options: OpenOptions): Promise<CheckpointSource[]> => {
    const { path } = pathOf(target);
    const tables = lookInto(path, checkpointTables) ?? [];
    if (tables.length === 0) {
      throw new InspectorError('no_store', `${path} has no checkpoint table with the columns of ctx-sys.`, {
        data: { path },
      });
    }
    return tables.map((table) => {
      const label = tables.length === 1 ? options.label : labelOf(options.label, table);
      const source = openCtxSys({
        id: options.nameStore(label),
        label,
        location: options.location,
        path,
        table: table.name,
      });
      return isWritable(path) ? Object.assign(source, { save: saverOf(source, path, table) }) : source;
    });
  },
};

/** As the checkpoint tool of ctx-sys saves. */
function saverOf(source: CheckpointSource, path: string, table: CheckpointTable) {
  return async (checkpoint: NewCheckpoint, options: SaveOptions = {}): Promise<CheckpointMeta> => {
    const ref = { task: checkpoint.task, id: saveAsTool(path, table, checkpoint, options) };
    const saved = await source.meta(ref);
    if (saved) return saved;
    throw new InspectorError('changed', `${ref.id} was saved, but another program has deleted it since.`);
  };
}

/** Of several projects each is called by its own name. */
function labelOf(label: string, table: CheckpointTable): string {
  const name = table.projects.join(', ') || table.name;
  return name === label ? label : `${label}/${name}`;
}

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
