import type { Capability, CheckpointRef } from '@checkpoint-inspector/core';
import { realPath, sqliteSource, type SqliteSourceOptions } from '@checkpoint-inspector/io';
import { besideOf } from './beside.ts';
import { PayloadTypes, rowCapability } from './capability.ts';
import { lineageOf, metaOfKey, pageOfCheckpoints } from './listing.ts';
import { refOf } from './meta.ts';
import { planChange } from './plan.ts';
import { Queries, type Key } from './queries.ts';
import { readState } from './state.ts';
import { Threads } from './threads.ts';

interface Reading {
  readonly queries: Queries;
  readonly threads: Threads;
  readonly types: PayloadTypes;
}

/** Channels that only say which node runs next: hidden in a diff by default, counted and shown there. */
const INTERNAL_CHANNELS = [
  '$.__start__',
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
  const learn = ({ types }: Reading): void => {
    try {
      rewritable = types.rewritable();
    } catch {
      // The last answer holds until the file can be read again.
    }
  };
  const headOf = ({ threads }: Reading, task: string): Key | undefined => {
    const { ref } = threads.head(task).latest;
    return ref && keyOf(ref);
  };
  return sqliteSource<Reading>(path, {
    read: (database) => {
      const queries = new Queries(database);
      const reading = { queries, threads: new Threads(id, queries), types: new PayloadTypes(queries) };
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
        latestRule: 'greatest checkpoint id of the root graph (ids are times)',
        volatilePaths: INTERNAL_CHANNELS,
        indexed: { n: 1, of: 1 },
        capabilities: { restore: rewrite, fork: change, edit: rewrite, delete: change },
      };
    },
    tasks: (reading, query) => {
      const page = reading.threads.page(query);
      learn(reading);
      return page;
    },
    checkpoints: (reading, task, query) => pageOfCheckpoints(id, reading.queries, task, headOf(reading, task), query),
    lineage: (reading, task) => lineageOf(reading.queries, task, headOf(reading, task)),
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
      const full = summary.size <= LOOKED_INTO ? queries.row(ref.task, summary) : undefined;
      return besideOf(queries, ref.task, full ?? summary, summary.id === summary.newest);
    },
    capability: ({ queries }, ref) => {
      const row = queries.summary(ref.task, keyOf(ref));
      return row === undefined ? {} : rowCapability(row);
    },
    latest: ({ threads }, task) => threads.head(task).latest,
    find: ({ queries }, wanted) => queries.find(wanted).map(({ thread, ns }) => refOf(thread, { ns, id: wanted })),
    plan: (reading, request) => {
      learn(reading);
      const { queries, threads } = reading;
      return planChange({ store: id, path, queries, now: now(), head: (thread) => threads.head(thread) }, request);
    },
  });
}

function keyOf(ref: CheckpointRef): Key {
  return { ns: ref.namespace ?? '', id: ref.id };
}
