import { InspectorError, pathOf, type Match, type System, type Target } from '@checkpoint-inspector/core';
import { lookInto, tableColumns, type SqliteDatabase } from '@checkpoint-inspector/io';
import { openThreads } from '../message-rows/source.ts';
import { openRuns, type RunSourceRules } from '../run-row/source.ts';
import { capabilityOf, planChange } from './plan.ts';
import { parseSnapshot, runOf } from './snapshot.ts';
import { stateAfter } from './state-after.ts';
import { asStored, readHeads, snapshotBytes, SNAPSHOTS, snapshotText, storedSnapshot } from './tables.ts';
import { MESSAGES, threadRules, THREADS } from './threads.ts';

const COLUMNS = ['workflow_name', 'run_id', 'snapshot', 'createdAt', 'updatedAt'];
/** Counting stops early: what a file is must be told at once, however large it is. */
const COUNTED = 10_000;

const runRules: RunSourceRules = {
  system: 'mastra',
  heads: readHeads,
  text: snapshotText,
  stored: (database, head, text) => {
    if (text === undefined) return snapshotBytes(database, head);
    const stored = storedSnapshot(database, head, text);
    return typeof stored === 'string' ? Buffer.from(stored) : stored;
  },
  asStored,
  read: (text) => {
    const snapshot = parseSnapshot(text);
    return { run: runOf(snapshot), stateAfter: (index) => stateAfter(snapshot, index) };
  },
  derived:
    "Built from the run's one row: the input and the results of the steps until then. Earlier iterations of a loop and earlier values of the shared state aren't kept.",
  info: {
    volatilePaths: ['$.timestamp', '$.runId', '$.context.*.startedAt', '$.context.*.endedAt'],
    notes: [
      'Mastra keeps one row for a run and overwrites it at every step. Older checkpoints are read from that row; of a loop it keeps the last iteration only.',
    ],
  },
  capability: capabilityOf,
  plan: planChange,
};

/**
 * SQLite databases of Mastra (LibSQL).
 * @example const [source] = await mastraSystem.open(target, options);
 */
export const mastraSystem: System = {
  id: 'mastra',
  label: 'Mastra',
  detect: async (target) => detectMastra(target),
  open: async (target, { label, location, nameStore }) => {
    const { path } = pathOf(target);
    const found = lookInto(path, storesIn) ?? [];
    if (found.length === 0)
      throw new InspectorError(
        'no_store',
        `${path} has no table ${SNAPSHOTS} or ${THREADS} with the columns of Mastra.`,
        {
          data: { path },
        },
      );
    return found.map((kind) => {
      const name = found.length === 1 ? label : `${label}/${kind}`;
      const options = { id: nameStore(name), label: name, location, path };
      return kind === 'runs' ? openRuns(options, runRules) : openThreads(options, threadRules);
    });
  },
};

const hasColumns = (database: SqliteDatabase, table: string, wanted: readonly string[]): boolean => {
  const columns = tableColumns(database, table);
  return wanted.every((name) => columns.includes(name));
};

/** Conversations are a store of their own, where there are some. */
function storesIn(database: SqliteDatabase): readonly ('runs' | 'threads')[] {
  const hasRuns = hasColumns(database, SNAPSHOTS, COLUMNS);
  const hasThreads =
    hasColumns(database, THREADS, ['id', 'title', 'metadata', 'createdAt', 'updatedAt']) &&
    hasColumns(database, MESSAGES, ['id', 'thread_id', 'content', 'role', 'type', 'createdAt']);
  const threads = hasThreads ? countIn(database, THREADS) + countIn(database, MESSAGES) : 0;
  return [...(hasRuns ? (['runs'] as const) : []), ...(threads > 0 ? (['threads'] as const) : [])];
}

const countIn = (database: SqliteDatabase, table: string): number =>
  database.prepare<{ n: number }>(`SELECT count(*) AS n FROM (SELECT 1 FROM ${table} LIMIT ${COUNTED})`).get()?.n ?? 0;

const words = (count: number, what: string): string => `${count}${count === COUNTED ? ' or more' : ''} ${what}`;

/** Opens the database read-only. @throws InspectorError unreadable | busy | unsupported */
function detectMastra(target: Target): Match | undefined {
  if (target.kind !== 'path' || target.is !== 'file') return undefined;
  return lookInto(target.path, (database) => {
    const found = storesIn(database);
    if (found.length === 0) return undefined;
    const parts = found.map((kind) =>
      kind === 'runs'
        ? words(countIn(database, SNAPSHOTS), 'workflow runs')
        : words(countIn(database, THREADS), 'threads'),
    );
    return { system: 'mastra', because: `${parts.join(' and ')} in the tables of Mastra`, confidence: 0.95 };
  });
}
