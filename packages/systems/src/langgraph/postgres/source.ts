import {
  InspectorError,
  type CallOptions,
  type Capability,
  type Changeable,
  type CheckpointSource,
  type LineageRow,
  type StoreId,
} from '@checkpoint-inspector/core';
import { readingSource, watchPostgres, type PostgresDatabase, type PostgresReader } from '@checkpoint-inspector/io';
import { Describer, toLineage } from '../meta.ts';
import type { Key, ThreadRow } from '../queries.ts';
import { INTERNAL_CHANNELS, keyOf, readingRules, type Reading } from '../read.ts';
import { planChange } from '../plan.ts';
import { headOf, Threads } from '../threads.ts';
import { postgresOps } from './ops.ts';
import { PostgresQueries } from './queries.ts';
import { allThreads, versionNow } from './sql.ts';
import { TABLES, type Layout } from './tables.ts';

/** So many rows of a lineage are fetched together. */
const TOGETHER = 1000;

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
  const list = threadList(layout);
  const asking = (options: CallOptions): { readonly ask: Ask } => ({
    ask: (run) =>
      database.snapshot((reader) => {
        const queries = new PostgresQueries(layout, list);
        const threads: Reading['threads'] = {
          // What the threads keep of a round with placeholders must not be seen by the next one.
          page: (query) => new Threads(id, queries).page(query),
          head: (thread) => headOf(queries, thread),
        };
        return queries.answer(reader, () => run({ queries, threads }));
      }, options),
  });
  return readingSource<{ readonly ask: Ask }>(
    {
      tasks: ({ ask }, query) => ask((reading) => rules.tasks(reading, query)),
      checkpoints: ({ ask }, task, query) => ask((reading) => rules.checkpoints(reading, task, query)),
      lineage: ({ ask }, task) => lineageBy(ask, task),
      meta: ({ ask }, ref) => ask((reading) => rules.meta(reading, ref)),
      state: ({ ask }, ref) => ask((reading) => rules.state(reading, ref)),
      raw: ({ ask }, ref) => ask(({ queries }) => queries.stored(ref.task, keyOf(ref))),
      latest: ({ ask }, task) => ask((reading) => rules.latest(reading, task)),
      find: ({ ask }, wanted) => ask((reading) => rules.find(reading, wanted)),
      beside: ({ ask }, ref) => ask((reading) => rules.beside?.(reading, ref)),
      capability: ({ ask }, ref) => ask(async (reading) => (await rules.capability?.(reading, ref)) ?? {}),
      plan: ({ ask }, request) => {
        // The same in every round.
        const started = now();
        return ask(({ queries, threads }) => {
          if (changeable !== true) throw new InspectorError('unsupported', changeable);
          const ops = postgresOps(database.identity, queries);
          const context = { store: id, ops, queries, now: started, head: (thread: string) => threads.head(thread) };
          return planChange(context, request);
        });
      },
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
      }),
      watch: (onChange) => watchPostgres(database, onChange, { tables: TABLES }),
      close: () => database.close(),
    },
  );
}

/** The list of threads, read again when some transaction has ended. */
function threadList(layout: Layout): (reader: PostgresReader) => Promise<readonly ThreadRow[]> {
  let known: { readonly version: string; readonly threads: readonly ThreadRow[] } | undefined;
  return async (reader) => {
    const version = await versionNow(reader);
    if (known?.version !== version) known = { version, threads: await allThreads(reader, layout) };
    return known.threads;
  };
}

/** Every checkpoint of the thread, oldest first. No snapshot is held while the rows are used. */
async function* lineageBy(ask: Ask, thread: string): AsyncIterable<LineageRow> {
  const { keys, head } = await ask(({ queries, threads }) => {
    return { keys: queries.keys(thread), head: threads.head(thread).latest.ref };
  });
  const isHead = (row: Key): boolean => row.id === head?.id && row.ns === (head.namespace ?? '');
  const tips = new Map(keys.map(({ ns, id }) => [ns, id]));
  for (let from = 0; from < keys.length; from += TOGETHER) {
    const part = keys.slice(from, from + TOGETHER);
    const described = await ask(({ queries }) => {
      const describer = new Describer(queries, thread);
      return part.map((key) => {
        if (tips.get(key.ns) === key.id) return describer.describe(key);
        const row = queries.outline(thread, key);
        return row && describer.outline(row, row.isFailed);
      });
    });
    for (const [at, row] of described.entries()) if (row) yield toLineage(row, from + at + 1, isHead(row.row));
  }
}
