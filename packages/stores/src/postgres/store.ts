import {
  checkDiffOptions,
  checkId,
  checkPageQuery,
  checkSaveOptions,
  checkTaskQuery,
  checkWriteOptions,
  InspectorError,
  rowToPlanRow,
  storeIdFrom,
  writesToRows,
  type Beside,
  type CallOptions,
  type Capability,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointStore,
  type Damage,
  type DiffOptions,
  type Latest,
  type LineagePart,
  type LineageRow,
  type NewCheckpoint,
  type NewValue,
  type NewWrite,
  type Page,
  type PageQuery,
  type PartRange,
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
  connect,
  damagedNodesIn,
  KnownNodes,
  listenLock,
  listenPostgres,
  openPostgres,
  postgresChangeable,
  postgresTarget,
  statesWithIn,
  storeChannel,
  storeLock,
  storeMetaIn,
  watchPostgres,
  type Connections,
  type PostgresDatabase,
  type PostgresPool,
  type PostgresReader,
  type PostgresTarget,
} from '@checkpoint-inspector/io';
import {
  findRefs,
  readBeside,
  readCheckpoints,
  readLatestRow,
  readMeta,
  readSaved,
  readState,
  readTasks,
} from './read.ts';
import { readLineage, readLineageParts } from './lineage.ts';
import { checkOptions, checkRange, VOLATILE_PATHS } from '../options.ts';
import { damageOf } from '../parts.ts';
import { readDiff, readPart } from './parts.ts';
import { evictedNextIn, planIn } from './plan.ts';
import { OF_NODES, stored } from './rows.ts';
import { Saving } from './save.ts';
import { checkFormat, isMade, prepareSchema, TABLES } from './schema.ts';

/** Which database and schema, under which name, and what is kept. */
export interface PostgresStoreOptions extends StoreOptions {
  /** `postgres://user:password@host:port/database`, or `env:NAME` of a variable that holds one. Either this or `pool`. */
  readonly url?: string;
  /** A pool of the package `pg`; closing the store leaves it open. */
  readonly pool?: PostgresPool;
  /** Made where it isn't there; `checkpoint_inspector` where neither this nor the address names one. */
  readonly schema?: string;
  readonly id?: StoreId;
  readonly label?: string;
  /** Only look: nothing is made, `save` and `remove` are refused. */
  readonly readOnly?: boolean;
  /** Keep everything: forgets a limit that the schema was given earlier. Not together with `maxPerTask`. */
  readonly keepAll?: boolean;
}

const DEFAULT_SCHEMA = 'checkpoint_inspector';
/** Longer names are cut by the server. */
const MAX_NAME_BYTES = 63;
const KNOWN = ['url', 'pool', 'schema', 'id', 'label', 'readOnly', 'keepAll', 'maxPerTask'];

/**
 * Opens a store in a schema of a PostgreSQL database; it is made unless `readOnly`.
 * @throws InspectorError invalid_input | no_store | wrong_key | busy | unsupported_version; none has the password
 * @example const store = await openPostgresStore({ url: 'env:DATABASE_URL', schema: 'agents', maxPerTask: 50 });
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { target, schema } = placeOf(options);
  if (options.readOnly) return openThere(options);
  const pool = await connect(target);
  try {
    const keep = options.keepAll ? 'all' : options.maxPerTask;
    await prepareSchema(pool, { schema, shown: target.address.shown, keep });
    return await openThere(options);
  } finally {
    await pool.close();
  }
}

/** A store that is there: nothing is made. @throws as `openPostgresStore` */
export async function openThere(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { given, target, schema } = placeOf(options);
  const database = await openPostgres(given, { schema });
  try {
    const meta = await storeMetaIn(database, schema);
    if (!meta) throw new InspectorError('no_store', `${database.address}: no store of this program is there.`);
    checkFormat(meta, database.address);
    const kept = meta.get('max_per_task');
    const limit = options.maxPerTask ?? (kept === undefined ? undefined : Number(kept));
    const changeable = await postgresChangeable(database, schema, TABLES);
    return new SchemaStore({ target, database, pool: await connect(target), limit, changeable, options });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opened read-only; `undefined` where nothing is in the way of a new one. @throws as `openPostgresStore` */
export async function findPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore | undefined> {
  const { given, target, schema } = placeOf(options);
  // This one is everywhere; the one that is asked for may not be.
  const database = await openPostgres(given, { schema: 'pg_catalog' });
  try {
    const isThere = await isMade(database, schema, target.address.shown);
    return isThere ? await openPostgresStore({ ...options, readOnly: true }) : undefined;
  } finally {
    await database.close();
  }
}

/** @throws InspectorError invalid_input */
function placeOf(options: PostgresStoreOptions) {
  checkOptions(options, KNOWN);
  if ((options.url === undefined) === (options.pool === undefined))
    throw new InspectorError('invalid_input', 'Use url or pool.');
  const given = options.pool ?? options.url ?? '';
  const target = postgresTarget(given);
  const schema = options.schema ?? target.address.schema ?? DEFAULT_SCHEMA;
  checkSchema(schema);
  return { given, target, schema };
}

interface Opened {
  readonly target: PostgresTarget;
  readonly database: PostgresDatabase;
  readonly pool: Connections;
  readonly limit: number | undefined;
  /** As of opening. */
  readonly changeable: Capability;
  readonly options: PostgresStoreOptions;
}

/**
 * Checkpoints in one schema of a PostgreSQL database, for any number of processes.
 * @example const store: PostgresStore = await openPostgresStore({ url: 'env:DATABASE_URL' });
 */
export interface PostgresStore extends CheckpointStore {
  readonly diff: NonNullable<CheckpointStore['diff']>;
  readonly part: NonNullable<CheckpointStore['part']>;
  readonly damage: NonNullable<CheckpointStore['damage']>;
  /** How many checkpoints it keeps of each task; absent: all. */
  readonly maxPerTask: number | undefined;
  /** A pool that was given stays open. */
  close(): Promise<void>;
}

class SchemaStore implements PostgresStore {
  readonly info: StoreInfo;
  readonly #target: PostgresTarget;
  readonly maxPerTask: number | undefined;
  readonly #database: PostgresDatabase;
  readonly #pool: Connections;
  readonly #changeable: Capability;
  readonly #readOnly: boolean;
  readonly #saving: Saving;
  readonly #known = new KnownNodes();
  readonly #watches = new Set<Unwatch>();
  #closed = false;

  constructor({ target, database, pool, limit, changeable, options }: Opened) {
    this.#target = target;
    this.#database = database;
    this.#pool = pool;
    this.maxPerTask = limit;
    this.#changeable = changeable;
    this.#readOnly = options.readOnly ?? false;
    this.#saving = new Saving(pool, database.schema);
    const label = options.label ?? database.schema;
    this.info = {
      id: options.id ?? storeIdFrom(label),
      label,
      location: database.address,
      identity: database.identity,
      system: 'native',
      latestRule: 'most recently saved',
      retention: limit === undefined ? 'Keeps everything.' : `Keeps the newest ${limit} per task.`,
      volatilePaths: VOLATILE_PATHS,
      indexed: { n: 1, of: 1 },
      capabilities: { restore: changeable, fork: changeable, edit: changeable, delete: changeable },
      ...(limit === undefined ? {} : { notes: [`Keeps ${limit} checkpoints per task, evicting the oldest first.`] }),
    };
  }

  async tasks(query: TaskQuery = {}): Promise<Page<Task>> {
    checkTaskQuery(query);
    return this.#read((reader) => readTasks(reader, this.info.id, query), query);
  }

  async checkpoints(task: string, query: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    checkId('task', task);
    checkPageQuery(query);
    return this.#read((reader) => readCheckpoints(reader, this.info.id, task, query), query);
  }

  lineage(task: string, options?: CallOptions): AsyncIterable<LineageRow> {
    return this.#each((reader) => readLineage(reader, task), options);
  }

  lineageParts(task: string, options?: CallOptions): AsyncIterable<LineagePart> {
    return this.#each((reader) => readLineageParts(reader, task), options);
  }

  async meta(ref: CheckpointRef, options?: CallOptions): Promise<CheckpointMeta | undefined> {
    return this.#read((reader) => readMeta(reader, this.info.id, ref), options);
  }

  async state(ref: CheckpointRef, options?: CallOptions): Promise<State | undefined> {
    return this.#read((reader) => readState(reader, ref, this.#known), options);
  }

  async diff(
    a: CheckpointRef,
    b: CheckpointRef,
    options: CallOptions & DiffOptions = {},
  ): Promise<StateDiff | undefined> {
    checkDiffOptions(options);
    return this.#read((reader) => readDiff(reader, a, b, options), options);
  }

  async part(
    ref: CheckpointRef,
    path: string,
    range?: PartRange,
    options?: CallOptions,
  ): Promise<StatePart | undefined> {
    checkId('path', path);
    checkRange(range);
    return this.#read((reader) => readPart(reader, ref, path, range), options);
  }

  async damage(options?: CallOptions): Promise<readonly Damage[]> {
    const database = this.#open();
    const bad: number[] = [];
    for await (const found of damagedNodesIn(database)) {
      bad.push(...found);
      options?.signal?.throwIfAborted();
    }
    return damageOf(await statesWithIn(database, bad, OF_NODES));
  }

  async raw(ref: CheckpointRef, options?: CallOptions): Promise<Uint8Array | undefined> {
    const state = await this.state(ref, options);
    return state && new TextEncoder().encode(state.text);
  }

  async beside(ref: CheckpointRef, options?: CallOptions): Promise<Beside | undefined> {
    return this.#read((reader) => readBeside(reader, ref), options);
  }

  async load(ref: CheckpointRef, options?: CallOptions): Promise<SavedCheckpoint | undefined> {
    return this.#read((reader) => readSaved(reader, ref, this.#known), options);
  }

  async latest(task: string, options?: CallOptions): Promise<Latest> {
    checkId('task', task);
    const row = await this.#read((reader) => readLatestRow(reader, task), options);
    return row ? { ref: rowToPlanRow(stored(row)).ref, basis: 'rule' } : { basis: 'none' };
  }

  async find(id: string, options?: CallOptions): Promise<readonly CheckpointRef[]> {
    checkId('id', id);
    return this.#read((reader) => findRefs(reader, id), options);
  }

  async plan(request: SystemRequest, options?: CallOptions): Promise<Plan> {
    if (this.#changeable !== true) throw new InspectorError('unsupported', this.#changeable);
    const planned = { store: this.info.id, place: this.#database.identity, maxPerTask: this.maxPerTask };
    return this.#read((reader) => planIn(reader, planned, request), options);
  }

  async save(checkpoint: NewCheckpoint | NewValue, options: SaveOptions = {}): Promise<CheckpointMeta> {
    checkSaveOptions(options);
    return this.#writable().save(checkpoint, options, { store: this.info.id, maxPerTask: this.maxPerTask });
  }

  async evictedNext(task: string, options?: CallOptions): Promise<readonly CheckpointRef[]> {
    const keep = this.maxPerTask;
    return keep === undefined ? [] : this.#read((reader) => evictedNextIn(reader, task, keep), options);
  }

  async saveWrites(ref: CheckpointRef, writes: readonly NewWrite[], options: WriteOptions = {}): Promise<void> {
    checkWriteOptions(options);
    const rows = writesToRows(ref, writes);
    await this.#writable().saveWrites(ref.task, rows, options);
  }

  async remove(ref: CheckpointRef): Promise<boolean> {
    return this.#writable().remove({ ...ref });
  }

  async removeTask(task: string): Promise<number> {
    checkId('task', task);
    return this.#writable().removeTask(task);
  }

  watch(onEvent: (event: StoreEvent) => void): Unwatch {
    const database = this.#open();
    const unwatch = listenPostgres(this.#target, (task) => onEvent(task === undefined ? {} : { task }), {
      channel: storeChannel(database.schema),
      lock: listenLock(database.schema),
      writers: storeLock(database.schema),
      otherwise: (onChange) => watchPostgres(database, onChange, { tables: TABLES }),
    });
    this.#watches.add(unwatch);
    return () => {
      this.#watches.delete(unwatch);
      unwatch();
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const unwatch of this.#watches) unwatch();
    await this.#database.close();
    await this.#pool.close();
  }

  /** Of one moment. */
  async *#each<T>(work: (reader: PostgresReader) => AsyncIterable<T>, options: CallOptions = {}): AsyncIterable<T> {
    options.signal?.throwIfAborted();
    const reader: PostgresReader = {
      query: (sql, values) => this.#open().query(sql, values, options),
    };
    for await (const one of work(reader)) {
      options.signal?.throwIfAborted();
      yield one;
    }
  }

  async #read<T>(work: (reader: PostgresReader) => Promise<T>, options: CallOptions = {}): Promise<T> {
    options.signal?.throwIfAborted();
    return this.#open().snapshot(work, options);
  }

  #open(): PostgresDatabase {
    if (!this.#closed) return this.#database;
    throw new InspectorError('invalid_input', 'This store is closed.', { remedy: 'Open it again.' });
  }

  #writable(): Saving {
    this.#open();
    if (!this.#readOnly) return this.#saving;
    throw new InspectorError('read_only', `${this.info.label} is open read-only.`);
  }
}

function checkSchema(schema: string): void {
  const bytes = Buffer.byteLength(schema);
  if (bytes > 0 && bytes <= MAX_NAME_BYTES && !schema.includes('\0') && !schema.startsWith('pg_')) return;
  throw new InspectorError('invalid_input', `"${schema}" can't be the name of a schema.`, {
    remedy: `Use up to ${MAX_NAME_BYTES} bytes, not beginning with pg_.`,
    data: { schema },
  });
}
