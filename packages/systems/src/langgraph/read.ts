import {
  sha256Hex,
  type Beside,
  type CallOptions,
  type Capability,
  type SystemRequest,
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
  type StoreEvent,
  type StoreId,
  type StoreInfo,
  type Task,
  type TaskQuery,
  type Unwatch,
} from '@checkpoint-inspector/core';
import {
  followSqlite,
  realPath,
  watchSqlite,
  type FollowedSqlite,
  type SqliteDatabase,
} from '@checkpoint-inspector/io';
import { besideOf } from './beside.ts';
import { changeable, PayloadTypes, rowCapability } from './capability.ts';
import { lineageOf, metaOfKey, pageOfCheckpoints } from './listing.ts';
import { refOf } from './meta.ts';
import { planChange } from './plan.ts';
import { Queries, type Key } from './queries.ts';
import { readState } from './state.ts';
import { Threads } from './threads.ts';

export interface SourceOptions {
  readonly id: StoreId;
  readonly label: string;
  readonly location: string;
  readonly path: string;
  readonly now?: () => Date;
}

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

/** A LangGraph SQLite file. The database is opened read-only; changes are planned here and done elsewhere. */
export class LangGraphSource implements CheckpointSource, Changeable {
  readonly #options: SourceOptions;
  readonly #follow: FollowedSqlite;
  readonly #readings = new WeakMap<SqliteDatabase, Reading>();
  #snapshot: string | undefined;
  /** As of the last look: `info` is asked for often, and while an agent holds the database. */
  #rewritable: Capability = true;

  /** @throws InspectorError no_store | unreadable | busy */
  constructor(options: SourceOptions) {
    this.#options = options;
    this.#follow = followSqlite(options.path);
    this.#read();
  }

  /** Without a look into the database: as of opening, or of the last list of tasks or plan. */
  get info(): StoreInfo {
    const { id, label, location, path } = this.#options;
    const snapshot = this.#snapshot;
    const change = changeable(path, snapshot);
    const rewrite = change === true ? this.#rewritable : change;
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
      capabilities: {
        restore: rewrite,
        fork: change,
        edit: rewrite,
        delete: change,
      },
      ...(snapshot === undefined ? {} : { snapshot }),
    };
  }

  async tasks(query: TaskQuery = {}): Promise<Page<Task>> {
    query.signal?.throwIfAborted();
    const reading = this.#read();
    const page = reading.threads.page(query);
    this.#learn(reading);
    return page;
  }

  async checkpoints(task: string, query: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    query.signal?.throwIfAborted();
    const { queries } = this.#read();
    return pageOfCheckpoints(this.#options.id, queries, task, this.#head(task), query);
  }

  async *lineage(task: string, options?: CallOptions): AsyncIterable<LineageRow> {
    options?.signal?.throwIfAborted();
    for await (const row of lineageOf(this.#read().queries, task, this.#head(task))) {
      options?.signal?.throwIfAborted();
      yield row;
    }
  }

  async meta(ref: CheckpointRef, options?: CallOptions): Promise<CheckpointMeta | undefined> {
    options?.signal?.throwIfAborted();
    return metaOfKey(this.#options.id, this.#read().queries, ref.task, this.#head(ref.task), keyOf(ref));
  }

  async state(ref: CheckpointRef, options?: CallOptions): Promise<State | undefined> {
    options?.signal?.throwIfAborted();
    const { queries } = this.#read();
    const row = queries.row(ref.task, keyOf(ref));
    if (row === undefined) return undefined;
    const state = readState(queries, ref.task, row);
    return { ...state, revision: await sha256Hex(state.text) };
  }

  /** The column `checkpoint`; empty for NULL. */
  async raw(ref: CheckpointRef, options?: CallOptions): Promise<Uint8Array | undefined> {
    options?.signal?.throwIfAborted();
    const row = this.#read().queries.row(ref.task, keyOf(ref));
    return row && (row.checkpoint ?? new Uint8Array());
  }

  async beside(ref: CheckpointRef, options?: CallOptions): Promise<Beside | undefined> {
    options?.signal?.throwIfAborted();
    const { queries } = this.#read();
    const summary = queries.summary(ref.task, keyOf(ref));
    if (summary === undefined) return undefined;
    const full = summary.size <= LOOKED_INTO ? queries.row(ref.task, summary) : undefined;
    return besideOf(queries, ref.task, full ?? summary, summary.id === summary.newest);
  }

  async capability(ref: CheckpointRef, options?: CallOptions): Promise<RowCapabilities> {
    options?.signal?.throwIfAborted();
    const row = this.#read().queries.summary(ref.task, keyOf(ref));
    return row === undefined ? {} : rowCapability(row);
  }

  async latest(task: string, options?: CallOptions): Promise<Latest> {
    options?.signal?.throwIfAborted();
    return this.#read().threads.head(task).latest;
  }

  async find(id: string, options?: CallOptions): Promise<readonly CheckpointRef[]> {
    options?.signal?.throwIfAborted();
    return this.#read()
      .queries.find(id)
      .map(({ thread, ns }) => refOf(thread, { ns, id }));
  }

  async plan(request: SystemRequest): Promise<Plan> {
    const { path, id, now = () => new Date() } = this.#options;
    const reading = this.#read();
    this.#learn(reading);
    const { queries, threads } = reading;
    return planChange({ store: id, path, queries, now: now(), head: (thread) => threads.head(thread) }, request);
  }

  watch(onEvent: (event: StoreEvent) => void): Unwatch {
    return watchSqlite(this.#options.path, () => onEvent({}));
  }

  async close(): Promise<void> {
    this.#follow.close();
  }

  /** A file that is gone or held says so where it is read, not in what is known of it. */
  #learn({ types }: Reading): void {
    try {
      this.#rewritable = types.rewritable();
    } catch {
      // The last answer holds until the file can be read again.
    }
  }

  #head(task: string): Key | undefined {
    const ref = this.#read().threads.head(task).latest.ref;
    return ref && keyOf(ref);
  }

  #read(): Reading {
    const database = this.#follow.current();
    const known = this.#readings.get(database);
    if (known) return known;
    const queries = new Queries(database);
    const threads = new Threads(this.#options.id, queries);
    const reading = { queries, threads, types: new PayloadTypes(queries) };
    this.#readings.set(database, reading);
    this.#snapshot = database.snapshot;
    this.#learn(reading);
    return reading;
  }
}

export function keyOf(ref: CheckpointRef): Key {
  return { ns: ref.namespace ?? '', id: ref.id };
}
