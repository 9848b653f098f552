import {
  sha256Hex,
  type Beside,
  type CallOptions,
  type Capability,
  type Changeable,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type Latest,
  type LineageRow,
  type Page,
  type PageQuery,
  type Plan,
  type RowCapabilities,
  type State,
  type StoreInfo,
  type SystemRequest,
  type Task,
  type TaskQuery,
} from '@checkpoint-inspector/core';
import { accessSync, constants } from 'node:fs';
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

/** What a system says of its tables in a SQLite file. `R` is what one connection is read through. */
export interface SqliteRules<R extends object> {
  /** Asked once for each connection. @throws InspectorError no_store */
  readonly read: (database: SqliteDatabase) => R;
  /** As of the last reading. `changeable` says why nothing can be changed, for `reason` where there is one. */
  readonly info: (reading: R, changeable: (reason?: string) => Capability) => Omit<StoreInfo, 'snapshot'>;
  readonly tasks: (reading: R, query: TaskQuery) => May<Page<Task>>;
  readonly checkpoints: (reading: R, task: string, query: PageQuery) => May<Page<CheckpointMeta>>;
  readonly lineage: (reading: R, task: string) => May<Iterable<LineageRow> | AsyncIterable<LineageRow>>;
  readonly meta: (reading: R, ref: CheckpointRef) => May<CheckpointMeta | undefined>;
  readonly state: (reading: R, ref: CheckpointRef) => May<Omit<State, 'revision'> | undefined>;
  readonly raw: (reading: R, ref: CheckpointRef) => May<Uint8Array | undefined>;
  readonly latest: (reading: R, task: string) => May<Latest>;
  readonly find: (reading: R, id: string) => May<readonly CheckpointRef[]>;
  readonly beside?: (reading: R, ref: CheckpointRef) => May<Beside | undefined>;
  readonly capability?: (reading: R, ref: CheckpointRef) => May<RowCapabilities>;
  readonly plan: (reading: R, request: SystemRequest, info: StoreInfo) => Promise<Plan>;
}

/** A store in a SQLite file of another system, opened read-only; changes are planned here and done elsewhere. */
export function sqliteSource<R extends object>(path: string, rules: SqliteRules<R>): CheckpointSource & Changeable {
  const { beside, capability } = rules;
  const follow = followSqlite(path);
  const readings = new WeakMap<SqliteDatabase, R>();
  const look = (): { readonly reading: R; readonly snapshot: string | undefined } => {
    const database = follow.current();
    const known = readings.get(database);
    if (known) return last;
    const reading = rules.read(database);
    readings.set(database, reading);
    return { reading, snapshot: database.snapshot };
  };
  let last = look();
  const read = ({ signal }: CallOptions = {}): R => {
    signal?.throwIfAborted();
    last = look();
    return last.reading;
  };
  const infoNow = (): StoreInfo => {
    const { reading, snapshot } = last;
    const info = rules.info(reading, (reason) => changeable(path, snapshot, reason));
    return { ...info, ...(snapshot === undefined ? {} : { snapshot }) };
  };
  return {
    get info() {
      return infoNow();
    },
    tasks: async (query = {}) => rules.tasks(read(query), query),
    checkpoints: async (task, query = {}) => rules.checkpoints(read(query), task, query),
    async *lineage(task, options) {
      for await (const row of await rules.lineage(read(options), task)) {
        options?.signal?.throwIfAborted();
        yield row;
      }
    },
    meta: async (ref, options) => rules.meta(read(options), ref),
    state: async (ref, options) => {
      const state = await rules.state(read(options), ref);
      return state && { ...state, revision: await sha256Hex(state.text) };
    },
    raw: async (ref, options) => rules.raw(read(options), ref),
    latest: async (task, options) => rules.latest(read(options), task),
    find: async (id, options) => rules.find(read(options), id),
    ...(beside ? { beside: async (ref: CheckpointRef, options?: CallOptions) => beside(read(options), ref) } : {}),
    ...(capability
      ? { capability: async (ref: CheckpointRef, options?: CallOptions) => capability(read(options), ref) }
      : {}),
    plan: async (request, options) => rules.plan(read(options), request, infoNow()),
    watch: (onEvent) => watchSqlite(path, () => onEvent({})),
    close: async () => follow.close(),
  };
}

function changeable(path: string, snapshot: string | undefined, reason: string | undefined): Capability {
  if (snapshot !== undefined) {
    return 'Only a private copy is open, because side files cannot be made beside the original.';
  }
  return reason ?? (isWritable(path) || 'The file may not be written by this user.');
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
