import {
  InspectorError,
  type Capability,
  type CheckpointRef,
  type StoreId,
  type SystemRequest,
  type TaskPage,
  type TaskQuery,
} from '@checkpoint-inspector/core';
import { realPath, sqliteSource, type SqliteRules, type SqliteSourceOptions } from '@checkpoint-inspector/io';
import { besideOf } from './beside.ts';
import { rewritable, rowCapability } from './capability.ts';
import { lineageOf, metaOfKey, pageOfCheckpoints } from './listing.ts';
import { refOf } from './meta.ts';
import { withOddRows } from './odd-task.ts';
import { planChange } from './plan.ts';
import { sqliteOps } from './plan-parts.ts';
import type { Key, May, Queries } from './queries.ts';
import { SqliteQueries } from './sqlite-queries.ts';
import { readState } from './state.ts';
import { Threads, type Head } from './threads.ts';

/** What LangGraph's rules read a store through. */
export interface Reading {
  readonly queries: Queries;
  readonly threads: {
    page(query: TaskQuery): Promise<TaskPage>;
    head(thread: string): Promise<Head>;
    /** As far as that is known. */
    damaged(thread: string): May<readonly Key[]>;
  };
}

/** The same of one connection to a file. */
interface SqliteReading extends Reading {
  readonly queries: SqliteQueries;
}

/** The two tables of a database, as LangGraph reads them. */
export function readingOf<Q extends Queries>(store: StoreId, queries: Q) {
  const threads = new Threads(store);
  return {
    queries,
    threads: {
      page: (query: TaskQuery) => threads.page(queries, query),
      head: (thread: string) => threads.head(queries, thread),
      damaged: (thread: string) => threads.damaged(queries, thread),
    },
  };
}

/** Channels that only say which node runs next: hidden in a diff by default, counted and shown there. */
export const INTERNAL_CHANNELS = [
  '$.__start__',
  '$["__start__:*"]',
  '$["start:*"]',
  '$["branch:*"]',
  '$["join:*"]',
  '$.__pregel_tasks',
  '$.__input__',
  '$.__previous__',
];

/** In larger checkpoints nobody looks for the nodes of tasks: that would hold up everything else. */
const LOOKED_INTO = 8 * 1024 * 1024;

/** A LangGraph SQLite file. @throws InspectorError no_store | unreadable | busy */
export function openLangGraph({ id, label, location, path, now = () => new Date() }: SqliteSourceOptions) {
  // As of the last look: `info` is asked for often, and while an agent holds the database.
  let rewrites: Capability = true;
  /** A file that is gone or held says so where it is read, not in what is known of it. */
  const learn = ({ queries }: SqliteReading): void => {
    try {
      rewrites = rewritable(queries);
    } catch {
      // The last answer holds until the file can be read again.
    }
  };
  const reading = readingRules(id);
  const rules: Omit<SqliteRules<SqliteReading>, 'read' | 'info'> = {
    ...reading,
    tasks: async (own, query) => {
      const page = await reading.tasks(own, query);
      learn(own);
      return page;
    },
    plan: async (own, request) => {
      learn(own);
      const { queries, threads } = own;
      if (isInPlace(request) && rewrites !== true) throw new InspectorError('unsupported', rewrites);
      return planChange(
        { store: id, ops: sqliteOps(path), queries, now: now(), head: (thread) => threads.head(thread) },
        request,
      );
    },
  };
  return sqliteSource<SqliteReading>(path, {
    read: (database) => {
      const own = readingOf(id, new SqliteQueries(database));
      learn(own);
      return own;
    },
    /** Without a look into the database: as of opening, or of the last list of tasks or plan. */
    info: (_reading, changeable) => {
      const change = changeable();
      const rewrite = change === true ? rewrites : change;
      return {
        id,
        system: 'langgraph',
        label,
        location,
        identity: realPath(path),
        retention: 'Keeps everything.',
        latestRule: 'newest checkpoint id in the root graph',
        volatilePaths: INTERNAL_CHANNELS,
        indexed: { n: 1, of: 1 },
        capabilities: { restore: rewrite, fork: change, edit: rewrite, delete: change },
        forkHistory: true,
      };
    },
    ...withOddRows(id, rules),
  });
}

/** What is told of checkpoints and threads, wherever their rows come from. */
export function readingRules(id: StoreId): Omit<SqliteRules<Reading>, 'read' | 'info' | 'plan'> {
  return {
    tasks: ({ threads }, query) => threads.page(query),
    checkpoints: async (reading, task, query) =>
      pageOfCheckpoints(id, reading.queries, task, await headOf(reading, task), query),
    lineage: async (reading, task, options) => {
      const damaged = await reading.threads.damaged(task);
      return lineageOf(reading.queries, task, await headOf(reading, task), damaged, options?.facts);
    },
    meta: async (reading, ref) => metaOfKey(id, reading.queries, ref.task, await headOf(reading, ref.task), keyOf(ref)),
    state: async ({ queries }, ref) => {
      const row = await queries.row(ref.task, keyOf(ref));
      return row && readState(queries, ref.task, row);
    },
    /** The column `checkpoint`; empty for NULL. */
    raw: async ({ queries }, ref) => {
      const row = await queries.row(ref.task, keyOf(ref));
      return row && (row.checkpoint ?? new Uint8Array());
    },
    beside: async ({ queries }, ref) => {
      const [summary] = await queries.summaries(ref.task, [keyOf(ref)]);
      if (summary === undefined) return undefined;
      const full = summary.size <= LOOKED_INTO ? await queries.shapeRow(ref.task, summary) : undefined;
      return besideOf(queries, ref.task, full ?? summary, summary.id === summary.newest);
    },
    capability: async ({ queries }, ref) => {
      const [row] = await queries.summaries(ref.task, [keyOf(ref)]);
      return row === undefined ? {} : rowCapability(row);
    },
    latest: async ({ threads }, task) => (await threads.head(task)).latest,
    find: async ({ queries }, wanted) =>
      (await queries.find(wanted)).map(({ thread, ns }) => refOf(thread, { ns, id: wanted })),
  };
}

async function headOf({ threads }: Reading, task: string): Promise<Key | undefined> {
  const { ref } = (await threads.head(task)).latest;
  return ref && keyOf(ref);
}

/** Rows are copied to another thread as they are, whatever they hold. */
function isInPlace(request: SystemRequest): boolean {
  return (
    request.kind === 'edit' ||
    (request.kind === 'restore' && (request.targetTask ?? request.ref.task) === request.ref.task)
  );
}

export function keyOf(ref: CheckpointRef): Key {
  return { ns: ref.namespace ?? '', id: ref.id };
}
