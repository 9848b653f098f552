import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  checkDiffOptions,
  checkId,
  checkPageQuery,
  checkSaveOptions,
  checkTaskQuery,
  checkWriteOptions,
  InspectorError,
  planRows,
  rowToPlanRow,
  storeIdFrom,
  writesToRows,
  type Beside,
  type CallOptions,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointStore,
  type Damage,
  type DiffOptions,
  type Latest,
  type LineagePart,
  type LineageRow,
  type NativeRow,
  type NewCheckpoint,
  type NewValue,
  type NewWrite,
  type Page,
  type PageQuery,
  type Plan,
  type SavedCheckpoint,
  type SaveOptions,
  type State,
  type StateDiff,
  type StatePart,
  type StoreEvent,
  type StoreId,
  type StoreInfo,
  type StoreOptions,
  type SystemRequest,
  type Task,
  type TaskQuery,
  type Unwatch,
  type WriteOptions,
} from '@checkpoint-inspector/core';
import {
  addNative,
  damagedNodes,
  hasNodes,
  realPath,
  sqliteJob,
  statesWith,
  watchSqlite,
  type SqliteDatabase,
} from '@checkpoint-inspector/io';
import {
  countWrites,
  findRefs,
  hasWrites,
  OF_NODES,
  readBeside,
  readBesideText,
  readBeyond,
  readChildren,
  readCheckpoints,
  readHead,
  readLatest,
  readMeta,
  readRow,
  readRows,
  readSaved,
  readState,
  readTasks,
} from './read.ts';
import { checkOptions, checkPath, checkRange, VOLATILE_PATHS } from '../options.ts';
import { damageOf } from '../parts.ts';
import { bringToNodes } from './convert.ts';
import { readDiff, readPart, readValues } from './parts.ts';
import { stored } from './rows.ts';
import { readLineage, readLineageParts } from './lineage.ts';
import { Saving } from './save.ts';
import { connectForReading, connectForSaving, type Connection } from './schema.ts';

/** Which file, under which name, and what is kept. */
export interface SqliteStoreOptions extends StoreOptions {
  readonly path: string;
  readonly id?: StoreId;
  readonly label?: string;
  readonly location?: string;
  /** Only look: nothing is created, `save` and `remove` are refused. */
  readonly readOnly?: boolean;
  /** Keep everything: forgets a limit that the file was given earlier. Not together with `maxPerTask`. */
  readonly keepAll?: boolean;
}

const KNOWN = ['path', 'id', 'label', 'location', 'readOnly', 'keepAll', 'maxPerTask'];

/**
 * Opens our SQLite store; makes the file, and the folders above it, unless `readOnly`.
 * @throws InspectorError no_store | invalid_input | unsupported_version | unreadable | busy
 * @example const store = await openSqliteStore({ path: 'agent.db', maxPerTask: 10 });
 */
export function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  return Promise.resolve().then(() => new SqliteStore(options));
}

/**
 * Checkpoints in one SQLite file: WAL, synchronous FULL, one transaction per save.
 * @example const store = new SqliteStore({ path: 'agent.db', readOnly: true })
 */
export class SqliteStore implements CheckpointStore {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #readOnly: boolean;
  readonly #givenLimit: number | undefined;
  readonly #maxRowBytes: number | undefined;
  readonly #name: Pick<StoreInfo, 'id' | 'label'> & { readonly location?: string };
  #saving: Saving | undefined;
  #closed = false;

  /** `maxRowBytes` is given in tests only, `create: false` where the file must be there. */
  constructor(
    options: SqliteStoreOptions,
    { maxRowBytes, create }: { readonly maxRowBytes?: number; readonly create?: boolean } = {},
  ) {
    checkOptions(options, KNOWN);
    checkPath(options.path);
    this.#maxRowBytes = maxRowBytes;
    this.#path = options.path;
    this.#readOnly = options.readOnly ?? false;
    this.#givenLimit = options.maxPerTask;
    this.#connection = this.#readOnly
      ? connectForReading(options.path)
      : connectForSaving(options.path, options.keepAll ? 'all' : options.maxPerTask, create);
    const label = options.label ?? basename(options.path);
    this.#name = {
      id: options.id ?? storeIdFrom(label),
      label,
      ...(options.location === undefined ? {} : { location: options.location }),
    };
  }

  get info(): StoreInfo {
    return {
      ...this.#name,
      identity: realPath(this.#path),
      system: 'native',
      latestRule: 'most recently saved',
      retention:
        this.#maxPerTask === undefined ? 'Keeps everything.' : `Keeps the newest ${this.#maxPerTask} per task.`,
      volatilePaths: VOLATILE_PATHS,
      indexed: { n: 1, of: 1 },
      capabilities: { restore: true, fork: true, edit: true, delete: true },
      ...(this.#connection.snapshot === undefined ? {} : { snapshot: this.#connection.snapshot }),
      ...(this.#maxPerTask === undefined
        ? {}
        : { notes: [`Keeps ${this.#maxPerTask} checkpoints per task, evicting the oldest first.`] }),
    };
  }

  /** How many checkpoints it keeps of each task; absent: all. */
  get maxPerTask(): number | undefined {
    return this.#maxPerTask;
  }

  async tasks(query: TaskQuery = {}): Promise<Page<Task>> {
    checkTaskQuery(query);
    query.signal?.throwIfAborted();
    return readTasks(this.#open(), this.#name.id, query);
  }

  async checkpoints(task: string, query: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    checkId('task', task);
    checkPageQuery(query);
    query.signal?.throwIfAborted();
    return readCheckpoints(this.#open(), this.#name.id, task, query);
  }

  async *lineage(task: string, options?: CallOptions & { readonly facts?: boolean }): AsyncIterable<LineageRow> {
    checkId('task', task);
    options?.signal?.throwIfAborted();
    for (const row of readLineage(this.#open(), task, options?.facts)) {
      options?.signal?.throwIfAborted();
      yield row;
    }
  }

  async *lineageParts(task: string, options?: CallOptions): AsyncIterable<LineagePart> {
    options?.signal?.throwIfAborted();
    for (const part of readLineageParts(this.#open(), task)) {
      options?.signal?.throwIfAborted();
      yield part;
    }
  }

  async meta(ref: CheckpointRef, options?: CallOptions): Promise<CheckpointMeta | undefined> {
    options?.signal?.throwIfAborted();
    return readMeta(this.#open(), this.#name.id, ref);
  }

  async state(ref: CheckpointRef, options?: CallOptions): Promise<State | undefined> {
    options?.signal?.throwIfAborted();
    return readState(this.#open(), ref);
  }

  async diff(
    a: CheckpointRef,
    b: CheckpointRef,
    options: CallOptions & DiffOptions = {},
  ): Promise<StateDiff | undefined> {
    checkDiffOptions(options);
    options.signal?.throwIfAborted();
    return readDiff(this.#open(), a, b, options);
  }

  async part(
    ref: CheckpointRef,
    path: string,
    range?: { readonly offset: number; readonly limit: number },
    options?: CallOptions,
  ): Promise<StatePart | undefined> {
    options?.signal?.throwIfAborted();
    checkId('path', path);
    checkRange(range);
    return readPart(this.#open(), ref, path, range);
  }

  async values(
    refs: readonly CheckpointRef[],
    path: string,
    options?: CallOptions,
  ): Promise<readonly ({ readonly value?: string; readonly revision: string } | undefined)[]> {
    checkId('path', path);
    options?.signal?.throwIfAborted();
    return readValues(this.#open(), refs, path);
  }

  async raw(ref: CheckpointRef, options?: CallOptions): Promise<Uint8Array | undefined> {
    options?.signal?.throwIfAborted();
    const state = readState(this.#open(), ref);
    return state && new TextEncoder().encode(state.text);
  }

  async latest(task: string, options?: CallOptions): Promise<Latest> {
    checkId('task', task);
    options?.signal?.throwIfAborted();
    return readLatest(this.#open(), task);
  }

  async find(id: string, options?: CallOptions): Promise<readonly CheckpointRef[]> {
    checkId('id', id);
    options?.signal?.throwIfAborted();
    return findRefs(this.#open(), id);
  }

  async plan(request: SystemRequest, options?: CallOptions): Promise<Plan> {
    options?.signal?.throwIfAborted();
    const db = this.#open();
    return planRows(
      {
        store: this.#name.id,
        job: (steps) => addNative(sqliteJob(this.#path), steps, !hasNodes(db)),
        maxPerTask: this.#maxPerTask,
        now: () => new Date(),
        rows: (task) => readRows(db, task).map(toPlanRow),
        head: (task, before) => planRowOf(readHead(db, task, before === undefined ? 'latest' : { before })),
        newest: (task) => planRowOf(readHead(db, task, 'newest')),
        beyond: (task, newest) => readBeyond(db, task, newest).map(toPlanRow),
        beside: (ref) => readBesideText(db, ref),
        writes: (ref) => countWrites(db, ref),
        loose: (task) => hasWrites(db, task),
        row: (ref) => planRowOf(readRow(db, ref)),
        children: (ref) => readChildren(db, ref).map(toPlanRow),
        text: (ref) => readState(db, ref)?.text ?? '',
        taken: (id) => findRefs(db, id).length > 0,
      },
      request,
    );
  }

  async save(checkpoint: NewCheckpoint | NewValue, options: SaveOptions = {}): Promise<CheckpointMeta> {
    checkSaveOptions(options);
    const db = this.#writable();
    const limits = { maxPerTask: this.#maxPerTask, maxBytes: this.#maxRowBytes };
    return this.#savingTo(db).save(checkpoint, options, limits);
  }

  async evictedNext(task: string): Promise<readonly CheckpointRef[]> {
    const db = this.#open();
    const keep = this.#maxPerTask;
    return keep === undefined ? [] : readBeyond(db, task, keep - 1).map((row) => toPlanRow(row).ref);
  }

  async remove(ref: CheckpointRef): Promise<boolean> {
    const db = this.#writable();
    return this.#savingTo(db).remove(ref);
  }

  async removeTask(task: string): Promise<number> {
    checkId('task', task);
    return this.#savingTo(this.#writable()).removeTask(task);
  }

  async saveWrites(ref: CheckpointRef, writes: readonly NewWrite[], options: WriteOptions = {}): Promise<void> {
    checkWriteOptions(options);
    const rows = writesToRows(ref, writes);
    this.#savingTo(this.#writable()).saveWrites(rows, options);
  }

  async load(ref: CheckpointRef, options?: CallOptions): Promise<SavedCheckpoint | undefined> {
    options?.signal?.throwIfAborted();
    return readSaved(this.#open(), ref);
  }

  async beside(ref: CheckpointRef, options?: CallOptions): Promise<Beside | undefined> {
    options?.signal?.throwIfAborted();
    return readBeside(this.#open(), ref);
  }

  async damage(options?: CallOptions): Promise<readonly Damage[]> {
    const db = this.#open();
    if (!hasNodes(db)) return [];
    const bad: number[] = [];
    for (const found of damagedNodes(db)) {
      bad.push(...found);
      // A large store takes seconds: others have their turn between two batches.
      await nextTurn();
      options?.signal?.throwIfAborted();
    }
    return damageOf(statesWith(db, bad, OF_NODES));
  }

  watch(onEvent: (event: StoreEvent) => void): Unwatch {
    return watchSqlite(this.#path, () => onEvent({}));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.close();
  }

  /** The first save brings an older file to the format of today. */
  #savingTo(db: SqliteDatabase): Saving {
    if (this.#saving) return this.#saving;
    bringToNodes(db);
    this.#saving = new Saving(db, this.#name.id);
    return this.#saving;
  }

  get #maxPerTask(): number | undefined {
    return this.#givenLimit ?? this.#connection.maxPerTask;
  }

  #open(): SqliteDatabase {
    if (!this.#closed) return this.#connection.current();
    throw new InspectorError('invalid_input', 'This store is closed.', { remedy: 'Open it again.' });
  }

  #writable(): SqliteDatabase {
    if (!this.#readOnly) return this.#open();
    throw new InspectorError('read_only', `${this.#name.label} is open read-only.`);
  }
}

const toPlanRow = (row: NativeRow) => rowToPlanRow(stored(row));
const planRowOf = (row: NativeRow | undefined) => row && toPlanRow(row);
