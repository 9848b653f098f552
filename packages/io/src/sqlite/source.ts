import {
  type Beside,
  type CallOptions,
  type Capability,
  type Changeable,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type Latest,
  type LineageOptions,
  type LineageRowWithFacts,
  type Page,
  type PageQuery,
  type Plan,
  type RowCapabilities,
  type State,
  type StoreInfo,
  type SystemRequest,
  type TaskPage,
  type TaskQuery,
  type Unwatch,
} from '@checkpoint-inspector/core';
import { accessSync, constants } from 'node:fs';
import { sha256 } from '../files/text.ts';
import { followSqlite } from './follow.ts';
import type { SqliteDatabase } from './open.ts';
import { watchSqlite } from './watch.ts';

/** The file, and how its store is called. */
export interface SqliteSourceOptions extends Pick<StoreInfo, 'id' | 'label'> {
  readonly location: string;
  readonly path: string;
  /** The clock; for tests. */
  readonly now?: () => Date;
}

type May<T> = T | Promise<T>;

/** Between so many rows of a lineage, others get their turn. */
const BREATH = 200;

/** What a system says of its tables in a SQLite file. `R` is what one connection is read through. */
export interface SqliteRules<R extends object> {
  /** Asked once for each connection. @throws InspectorError no_store */
  readonly read: (database: SqliteDatabase) => R;
  /** As of the last reading. `changeable` says why nothing can be changed, for `reason` where there is one. */
  readonly info: (reading: R, changeable: (reason?: string) => Capability) => Omit<StoreInfo, 'snapshot'>;
  readonly tasks: (reading: R, query: TaskQuery) => May<TaskPage>;
  readonly checkpoints: (reading: R, task: string, query: PageQuery) => May<Page<CheckpointMeta>>;
  /** What is there at once is not waited for row by row: that would cost more than finding it. */
  readonly lineage: (
    reading: R,
    task: string,
    options?: LineageOptions,
  ) => May<Iterable<LineageRowWithFacts> | AsyncIterable<LineageRowWithFacts>>;
  readonly meta: (reading: R, ref: CheckpointRef) => May<CheckpointMeta | undefined>;
  readonly state: (reading: R, ref: CheckpointRef) => May<Omit<State, 'revision'> | undefined>;
  readonly raw: (reading: R, ref: CheckpointRef) => May<Uint8Array | undefined>;
  readonly latest: (reading: R, task: string) => May<Latest>;
  readonly find: (reading: R, id: string) => May<readonly CheckpointRef[]>;
  readonly beside?: (reading: R, ref: CheckpointRef) => May<Beside | undefined>;
  readonly capability?: (reading: R, ref: CheckpointRef) => May<RowCapabilities>;
  readonly evictedNext?: (reading: R, task: string) => readonly CheckpointRef[];
  readonly plan: (reading: R, request: SystemRequest, info: StoreInfo) => Promise<Plan>;
}

/** Where the readings of a store come from: a connection that is followed, or files that are read again. */
export interface Readings<R> {
  /** The reading of now. */
  readonly take: (options: CallOptions) => May<R>;
  /** Told when a call is over that has taken one. */
  readonly release?: (reading: R) => void;
  readonly info: () => StoreInfo;
  readonly watch: (onChange: () => void) => Unwatch;
  readonly close: () => May<void>;
}

/** A store in a SQLite file of another system, opened read-only; changes are planned here and done elsewhere. */
export function sqliteSource<R extends object>(path: string, rules: SqliteRules<R>): CheckpointSource & Changeable {
  const follow = followSqlite(path);
  const readings = new WeakMap<SqliteDatabase, R>();
  const look = (): { readonly reading: R; readonly database: SqliteDatabase } => {
    const database = follow.current();
    const known = readings.get(database);
    if (known) return last;
    const reading = rules.read(database);
    readings.set(database, reading);
    return { reading, database };
  };
  let last = look();
  return readingSource(rules, {
    take: ({ signal }) => {
      signal?.throwIfAborted();
      last = look();
      return last.reading;
    },
    info: () => {
      const { reading, database } = last;
      const { snapshot } = database;
      const info = rules.info(reading, (reason) => changeable(database, reason));
      return { ...info, ...(snapshot === undefined ? {} : { snapshot }) };
    },
    watch: (onChange) => watchSqlite(path, onChange),
    close: () => follow.close(),
  });
}

/** A store whose tables are read by these rules, wherever each reading comes from. */
export function readingSource<R extends object>(
  rules: Omit<SqliteRules<R>, 'read' | 'info'>,
  { take, release, info, watch, close }: Readings<R>,
): CheckpointSource & Changeable {
  const { beside, capability, evictedNext } = rules;
  const using = async <T>(options: CallOptions | undefined, work: (reading: R) => May<T>): Promise<T> => {
    const reading = await take(options ?? {});
    try {
      return await work(reading);
    } finally {
      release?.(reading);
    }
  };
  return {
    get info() {
      return info();
    },
    tasks: (query = {}) => using(query, (reading) => rules.tasks(reading, query)),
    checkpoints: (task, query = {}) => using(query, (reading) => rules.checkpoints(reading, task, query)),
    async *lineage(task, options = {}) {
      const reading = await take(options);
      let given = 0;
      try {
        const rows = await rules.lineage(reading, task, options);
        for (const row of Symbol.asyncIterator in rows ? [] : rows) {
          options.signal?.throwIfAborted();
          yield row;
          if (++given % BREATH === 0) await new Promise((resume) => setImmediate(resume));
        }
        for await (const row of Symbol.asyncIterator in rows ? rows : []) {
          options.signal?.throwIfAborted();
          yield row;
        }
      } finally {
        release?.(reading);
      }
    },
    meta: (ref, options) => using(options, (reading) => rules.meta(reading, ref)),
    state: async (ref, options) => {
      const state = await using(options, (reading) => rules.state(reading, ref));
      return state && { ...state, revision: sha256(state.text) };
    },
    raw: (ref, options) => using(options, (reading) => rules.raw(reading, ref)),
    latest: (task, options) => using(options, (reading) => rules.latest(reading, task)),
    find: (id, options) => using(options, (reading) => rules.find(reading, id)),
    ...(beside && {
      beside: (ref: CheckpointRef, options?: CallOptions) => using(options, (reading) => beside(reading, ref)),
    }),
    ...(capability && {
      capability: (ref: CheckpointRef, options?: CallOptions) => using(options, (reading) => capability(reading, ref)),
    }),
    ...(evictedNext && {
      evictedNext: (task: string, options?: CallOptions) => using(options, (reading) => evictedNext(reading, task)),
    }),
    plan: (request, options) => using(options, (reading) => rules.plan(reading, request, info())),
    watch: (onEvent) => watch(() => onEvent({})),
    close: async () => close(),
  };
}

function changeable({ path, snapshot, awaitsRollback }: SqliteDatabase, reason: string | undefined): Capability {
  if (snapshot !== undefined && !awaitsRollback) {
    return "Only a private copy is open, because SQLite's side files can't be created next to the original.";
  }
  return reason ?? (isWritable(path) || "This user doesn't have permission to write to the file.");
}

/** Whether this user may write to a file. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
