import { accessSync, constants } from 'node:fs';
import {
  InspectorError,
  sha256Hex,
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
  type State,
  type StoreEvent,
  type StoreId,
  type StoreInfo,
  type Task,
  type TaskQuery,
  type Unwatch,
  sortedPage,
} from '@checkpoint-inspector/core';
import {
  followSqlite,
  realPath,
  watchSqlite,
  type FollowedSqlite,
  type SqliteDatabase,
} from '@checkpoint-inspector/io';
import { toLineage, toMetas, toTask } from './meta.ts';
import { planChange } from './plan.ts';
import { Project } from './project.ts';
import { bySave, type Session } from './rows.ts';
import { KEPT } from './rules.ts';

export interface SourceOptions {
  readonly id: StoreId;
  readonly label: string;
  readonly location: string;
  readonly path: string;
  readonly table: string;
  readonly now?: () => Date;
}

/** The checkpoints of one project. The database is opened read-only; changes are planned here and done elsewhere. */
export class CtxSysSource implements CheckpointSource, Changeable {
  readonly #options: SourceOptions;
  readonly #follow: FollowedSqlite;
  readonly #projects = new WeakMap<SqliteDatabase, Project>();
  #snapshot: string | undefined;
  #last: Project;

  /** @throws InspectorError no_store | unreadable | busy */
  constructor(options: SourceOptions) {
    this.#options = options;
    this.#follow = followSqlite(options.path);
    this.#last = this.#read();
  }

  get info(): StoreInfo {
    const { id, label, location, path } = this.#options;
    const { table } = this.#last;
    const snapshot = this.#snapshot;
    const change = changeable(path, snapshot, table.brokenKey);
    const newSession = change === true ? newSessions(table) : change;
    return {
      id,
      system: 'ctx-sys',
      label,
      location,
      identity: realPath(path),
      retention: `Keeps ${KEPT} of a session; after each save those of the lowest steps go.`,
      latestRule: 'The greatest step; among equal steps the newest time, then the row saved last.',
      volatilePaths: ['$.results.*.completedAt', '$.results.*.durationMs', '$.lastError.timestamp'],
      indexed: { n: 1, of: 1 },
      capabilities: {
        restore: change,
        fork: newSession,
        edit: change,
        delete: change,
      },
      ...(snapshot === undefined ? {} : { snapshot }),
    };
  }

  async tasks(query: TaskQuery = {}): Promise<Page<Task>> {
    query.signal?.throwIfAborted();
    const project = this.#read();
    const wanted = query.text?.toLowerCase() ?? '';
    const sessions = project.sessions().filter(({ id }) => wanted === '' || id.toLowerCase().includes(wanted));
    const { items, cursor } = sortedPage<Session>(sessions, {
      limit: query.limit,
      cursor: query.cursor,
      placeOf: ({ id, updatedAt = '' }) => ['task', id, updatedAt],
      isAfter: (session, [, id = '', updatedAt = '']) => bySave(session, { id, updatedAt }) > 0,
    });
    const tasks: Task[] = [];
    for (const { id } of items) {
      const look = await project.look(id);
      if (look) tasks.push(toTask(this.#options.id, look, this.#now().getTime()));
    }
    return { items: tasks, ...(cursor === undefined ? {} : { cursor }) };
  }

  async checkpoints(task: string, query: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    query.signal?.throwIfAborted();
    const metas = await this.#metas(task);
    return sortedPage(metas, {
      limit: query.limit,
      cursor: query.cursor,
      around: query.around && placeAround(metas, query.around),
      placeOf: ({ id, stepIndex, createdAtText = '' }) => [id, String(stepIndex ?? ''), createdAtText],
      isAfter: ({ stepIndex = 0, createdAtText = '' }, [, step, time = '']) =>
        stepIndex < Number(step) || (stepIndex === Number(step) && createdAtText <= time),
    });
  }

  async *lineage(task: string, options?: CallOptions): AsyncIterable<LineageRow> {
    options?.signal?.throwIfAborted();
    for (const row of toLineage(await this.#metas(task))) {
      options?.signal?.throwIfAborted();
      yield row;
    }
  }

  async meta(ref: CheckpointRef, options?: CallOptions): Promise<CheckpointMeta | undefined> {
    options?.signal?.throwIfAborted();
    if (ref.namespace) return undefined;
    return (await this.#metas(ref.task)).find(({ id }) => id === ref.id);
  }

  async state(ref: CheckpointRef, options?: CallOptions): Promise<State | undefined> {
    options?.signal?.throwIfAborted();
    const project = this.#read();
    const row = project.row(ref);
    const text = row && (await project.text(row));
    return text === undefined ? undefined : { text, revision: await sha256Hex(text) };
  }

  /** The column `state_json`. */
  async raw(ref: CheckpointRef, options?: CallOptions): Promise<Uint8Array | undefined> {
    options?.signal?.throwIfAborted();
    const project = this.#read();
    const row = project.row(ref);
    return row && project.bytes(row);
  }

  async latest(task: string, options?: CallOptions): Promise<Latest> {
    options?.signal?.throwIfAborted();
    return (await this.#read().look(task))?.latest ?? { basis: 'none' };
  }

  async find(id: string, options?: CallOptions): Promise<readonly CheckpointRef[]> {
    options?.signal?.throwIfAborted();
    const rows = this.#read()
      .sessions()
      .flatMap((session) => session.rows.filter((row) => row.id === id));
    return rows.map((row) => ({ task: row.session, id: row.id }));
  }

  async plan(request: SystemRequest): Promise<Plan> {
    const { path, id } = this.#options;
    const reason = this.info.capabilities[request.kind];
    if (reason !== true) throw new InspectorError('unsupported', reason);
    return planChange({ store: id, path, project: this.#read(), now: this.#now() }, request);
  }

  watch(onEvent: (event: StoreEvent) => void): Unwatch {
    return watchSqlite(this.#options.path, () => onEvent({}));
  }

  async close(): Promise<void> {
    this.#follow.close();
  }

  async #metas(task: string): Promise<CheckpointMeta[]> {
    const look = await this.#read().look(task);
    return look ? toMetas(this.#options.id, look, this.#now().getTime()) : [];
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date();
  }

  #read(): Project {
    const database = this.#follow.current();
    const known = this.#projects.get(database);
    if (known) return known;
    const project = new Project(database, this.#options.table);
    this.#projects.set(database, project);
    this.#snapshot = database.snapshot;
    this.#last = project;
    return project;
  }
}

function placeAround(metas: readonly CheckpointMeta[], ref: CheckpointRef): number {
  const at = metas.findIndex((meta) => meta.id === ref.id && meta.taskId === ref.task && (ref.namespace ?? '') === '');
  if (at !== -1) return at;
  throw new InspectorError('not_found', `No checkpoint "${ref.id}" in session "${ref.task}".`, { data: { ...ref } });
}

function newSessions(table: { readonly boundSession: boolean }): Capability {
  return table.boundSession ? 'Sessions are rows of another table here, and a copy would need a new one.' : true;
}

function changeable(path: string, snapshot: string | undefined, brokenKey: string | undefined): Capability {
  if (snapshot !== undefined)
    return 'Only a private copy is open, because side files cannot be made beside the original.';
  if (brokenKey !== undefined) {
    return `The table refers to "${brokenKey}", which this database does not have: SQLite takes no change of it.`;
  }
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return 'The file may not be written by this user.';
  }
}
