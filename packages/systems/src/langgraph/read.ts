import {
  InspectorError,
  type Capability,
  type CheckpointRef,
  type StoreId,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import {
  realPath,
  sqliteSource,
  type SqliteDatabase,
  type SqliteRules,
  type SqliteSourceOptions,
} from '@checkpoint-inspector/io';
import { besideOf } from './beside.ts';
import { PayloadTypes, rowCapability } from './capability.ts';
import { lineageOf, metaOfKey, pageOfCheckpoints } from './listing.ts';
import { refOf } from './meta.ts';
import { withOddRows } from './odd-task.ts';
import { planChange } from './plan.ts';
import { sqliteOps } from './plan-parts.ts';
import type { Key, Queries } from './queries.ts';
import { SqliteQueries } from './sqlite-queries.ts';
import { readState } from './state.ts';
import { Threads } from './threads.ts';

/** What LangGraph's rules read a store through. */
export interface Reading {
  readonly queries: Queries;
  readonly threads: Pick<Threads, 'page' | 'head'>;
}

/** The same of one connection to a file. */
interface SqliteReading extends Reading {
  readonly queries: SqliteQueries;
  readonly threads: Threads;
  readonly types: PayloadTypes;
}

/** The two tables of a database, as LangGraph reads them. */
export function readingOf(store: StoreId, database: SqliteDatabase): SqliteReading {
  const queries = new SqliteQueries(database);
  return { queries, threads: new Threads(store, queries), types: new PayloadTypes(queries) };
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
  let rewritable: Capability = true;
  /** A file that is gone or held says so where it is read, not in what is known of it. */
  const learn = ({ types }: SqliteReading): void => {
    try {
      rewritable = types.rewritable();
    } catch {
      // The last answer holds until the file can be read again.
    }
  };
  const rules: Omit<SqliteRules<SqliteReading>, 'read' | 'info'> = {
    ...readingRules(id),
    lineage: (reading, task, options) =>
      lineageOf(reading.queries, task, headOf(reading, task), options?.facts, reading.threads.damaged(task)),
    tasks: async (reading, query) => {
      await reading.threads.prepare(query);
      const page = reading.threads.page(query);
      learn(reading);
      return page;
    },
    taskChanges: async (reading, since) => {
      const changes = await reading.threads.changes(since);
      learn(reading);
      return changes;
    },
    plan: (reading, request) => {
      learn(reading);
      const { queries, threads } = reading;
      if (isInPlace(request) && rewritable !== true) throw new InspectorError('unsupported', rewritable);
      return planChange(
        { store: id, ops: sqliteOps(path), queries, now: now(), head: (thread) => threads.head(thread) },
        request,
      );
    },
  };
  return sqliteSource<SqliteReading>(path, {
    read: (database) => {
      const reading = readingOf(id, database);
      learn(reading);
      return reading;
    },
    /** Without a look into the database: as of opening, or of the last list of tasks or plan. */
    info: (_reading, changeable) => {
      const change = changeable();
      const rewrite = change === true ? rewritable : change;
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
export function readingRules(id: StoreId): Omit<SqliteRules<Reading>, 'read' | 'info' | 'plan' | 'lineage'> {
  return {
    tasks: ({ threads }, query) => threads.page(query),
    checkpoints: (reading, task, query) => pageOfCheckpoints(id, reading.queries, task, headOf(reading, task), query),
    meta: (reading, ref) => metaOfKey(id, reading.queries, ref.task, headOf(reading, ref.task), keyOf(ref)),
    state: ({ queries }, ref) => {
      const row = queries.row(ref.task, keyOf(ref));
      return row && readState(queries, ref.task, row);
    },
    /** The column `checkpoint`; empty for NULL. */
    raw: ({ queries }, ref) => {
      const row = queries.row(ref.task, keyOf(ref));
      return row && (row.checkpoint ?? new Uint8Array());
    },
    beside: ({ queries }, ref) => {
      const summary = queries.summary(ref.task, keyOf(ref));
      if (summary === undefined) return undefined;
      const full = summary.size <= LOOKED_INTO ? queries.shapeRow(ref.task, summary) : undefined;
      return besideOf(queries, ref.task, full ?? summary, summary.id === summary.newest);
    },
    capability: ({ queries }, ref) => {
      const row = queries.summary(ref.task, keyOf(ref));
      return row === undefined ? {} : rowCapability(row);
    },
    latest: ({ threads }, task) => threads.head(task).latest,
    find: ({ queries }, wanted) => queries.find(wanted).map(({ thread, ns }) => refOf(thread, { ns, id: wanted })),
  };
}

export function headOf({ threads }: Reading, task: string): Key | undefined {
  const { ref } = threads.head(task).latest;
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
