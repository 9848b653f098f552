import {
  InspectorError,
  type CallOptions,
  type Capability,
  type Changeable,
  type CheckpointSource,
  type StoreId,
} from '@checkpoint-inspector/core';
import { readingSource, watchPostgres, type PostgresDatabase, type PostgresReader } from '@checkpoint-inspector/io';
import { INTERNAL_CHANNELS, keyOf, readingRules, type Reading } from '../read.ts';
import { planChange } from '../plan.ts';
import { headOf, Threads } from '../threads.ts';
import { postgresOps } from './ops.ts';
import { postgresQueries, type PostgresQueries } from './queries.ts';
import { TABLES, type Layout } from './tables.ts';

interface PostgresReading extends Reading {
  readonly queries: PostgresQueries;
}

/** Runs rules over answers of one moment. No lock is held that an agent waits for. */
type Ask = <T>(run: (reading: PostgresReading) => T | Promise<T>) => Promise<T>;

export interface PostgresStore {
  readonly id: StoreId;
  readonly label: string;
  readonly layout: Layout;
  /** Whether the tables can be written, as of opening. */
  readonly changeable: Capability;
  /** The clock; for tests. */
  readonly now?: () => Date;
}

/** LangGraph's tables in one schema of a database. */
export function postgresSource(
  database: PostgresDatabase,
  { id, label, layout, changeable, now = () => new Date() }: PostgresStore,
): CheckpointSource & Changeable {
  const rules = readingRules(id);
  const list = new Threads(id);
  const readingOf = (reader: PostgresReader): PostgresReading => {
    const queries = postgresQueries(reader, layout);
    return {
      queries,
      threads: {
        page: (query) => list.page(queries, query),
        head: (thread) => headOf(queries, thread),
        damaged: (thread) => queries.suspects(thread),
      },
    };
  };
  const asking = (options: CallOptions): { readonly ask: Ask } => ({
    ask: (run) => database.snapshot(async (reader) => run(readingOf(reader)), options),
  });
  return readingSource<{ readonly ask: Ask }>(
    {
      tasks: ({ ask }, query) => ask((reading) => rules.tasks(reading, query)),
      checkpoints: ({ ask }, task, query) => ask((reading) => rules.checkpoints(reading, task, query)),
      // No snapshot is held while the rows are used.
      lineage: (_asking, task, options) => rules.lineage(readingOf(database), task, options),
      meta: ({ ask }, ref) => ask((reading) => rules.meta(reading, ref)),
      state: ({ ask }, ref) => ask((reading) => rules.state(reading, ref)),
      raw: ({ ask }, ref) => ask(({ queries }) => queries.stored(ref.task, keyOf(ref))),
      latest: ({ ask }, task) => ask((reading) => rules.latest(reading, task)),
      find: ({ ask }, wanted) => ask((reading) => rules.find(reading, wanted)),
      beside: ({ ask }, ref) => ask((reading) => rules.beside?.(reading, ref)),
      capability: ({ ask }, ref) => ask(async (reading) => (await rules.capability?.(reading, ref)) ?? {}),
      plan: ({ ask }, request) =>
        ask(({ queries, threads }) => {
          if (changeable !== true) throw new InspectorError('unsupported', changeable);
          const ops = postgresOps(database.identity, queries);
          const context = { store: id, ops, queries, now: now(), head: (thread: string) => threads.head(thread) };
          return planChange(context, request);
        }),
    },
    {
      take: (options) => {
        options.signal?.throwIfAborted();
        return asking(options);
      },
      info: () => ({
        id,
        system: 'langgraph',
        label,
        location: database.address,
        identity: database.identity,
        retention: layout.isShallow ? 'Keeps only the newest checkpoint of each thread.' : 'Keeps everything.',
        sharing: 'Checkpoints of a thread share the values that did not change.',
        latestRule: 'newest checkpoint id in the root graph',
        volatilePaths: INTERNAL_CHANNELS,
        indexed: { n: 1, of: 1 },
        capabilities: {
          restore: changeable,
          fork: changeable,
          edit: changeable,
          delete: changeable,
        },
        ...(layout.isShallow ? {} : { forkHistory: true }),
      }),
      watch: (onChange) => watchPostgres(database, onChange, { tables: TABLES }),
      close: () => database.close(),
    },
  );
}
