import {
  InspectorError,
  pathOf,
  type CheckpointSource,
  type Match,
  type OpenOptions,
  type System,
  type Target,
} from '@checkpoint-inspector/core';
import { lookInto, type SqliteDatabase } from '@checkpoint-inspector/io';
import { detectPostgres, openPostgresStores } from './postgres/index.ts';
import { openLangGraph } from './read.ts';
import { hasLangGraphTables } from './tables.ts';

export { langgraphRow, langgraphWrite, LANGGRAPH_DDL } from './tables.ts';
export { newerId } from '@checkpoint-inspector/core';

/**
 * LangGraph's stores in SQLite files and PostgreSQL databases (the savers of JavaScript and Python).
 * @example const [source] = await langgraphSystem.open(target, options);
 */
export const langgraphSystem: System = {
  id: 'langgraph',
  label: 'LangGraph',
  detect: detectLangGraph,
  open: async (target: Target, options: OpenOptions): Promise<CheckpointSource[]> => {
    if (target.kind === 'address') return openPostgresStores(target, options);
    const { path } = pathOf(target);
    if ((await detectLangGraph(target)) === undefined) {
      throw new InspectorError(
        'no_store',
        `${path} has no tables "checkpoints" and "writes" with LangGraph's columns.`,
        { data: { path } },
      );
    }
    const { label, location } = options;
    return [openLangGraph({ id: options.nameStore(label), label, location, path })];
  },
};

/** Opens the database read-only and looks at the columns of its tables. @throws InspectorError unreadable | busy | unsupported */
export async function detectLangGraph(target: Target): Promise<Match | undefined> {
  if (target.kind === 'address') return detectPostgres(target);
  if (target.kind !== 'path' || target.is !== 'file') return undefined;
  return lookInto(target.path, (database) => (hasLangGraphTables(database) ? matchOf(database) : undefined));
}

/** Counting stops early: what a file is must be told at once, however large it is. */
const COUNTED = 10_000;

function matchOf(database: SqliteDatabase): Match {
  const sql = `SELECT count(DISTINCT id) AS n, count(*) AS rows FROM (SELECT thread_id AS id FROM checkpoints LIMIT ${COUNTED})`;
  const { n = 0, rows = 0 } = database.prepare<{ n: number; rows: number }>(sql).get() ?? {};
  const threads = `${n} ${n === 1 ? 'thread' : 'threads'}${rows === COUNTED ? ' or more' : ''}`;
  return { system: 'langgraph', because: `${threads} in the tables checkpoints and writes`, confidence: 0.95 };
}
