import type { Plan, SystemRequest } from './change/index.ts';
import type {
  CallOptions,
  StoreEvent,
  CheckpointStore,
  NewCheckpoint,
  NewValue,
  Beside,
  NewWrite,
  PageQuery,
  SavedCheckpoint,
  SaveOptions,
  StoreOptions,
  TaskQuery,
  Unwatch,
  WriteOptions,
} from './contract.ts';
import { InspectorError } from './errors.ts';
import { sha256Hex } from './hash.ts';
import { compact } from './compact.ts';
import { alreadyStored, refIn, sameRef, storeId } from './ids.ts';
import {
  asGiven,
  checkEvicted,
  checkKeys,
  checkPageQuery,
  checkRef,
  checkSaveOptions,
  checkWriteOptions,
} from './options.ts';
import { pageAt, pageLimit } from './page.ts';
import { planRows, type RuleView } from './native/plan.ts';
import {
  latestIn,
  parentIn,
  placed,
  refOf,
  startAfter,
  startAround,
  text,
  toLineage,
  toMeta,
  toPlanRow,
  toRow,
  type Placed,
} from './native/row.ts';
import { MemoryTables, TABLE, WRITES, type MemoryAccess, type NativeRow, type TableRow } from './native/tables.ts';
import { taskOf, taskPage } from './native/tasks.ts';
import { besideOf, compareWrites, ERROR_CHANNEL, QUESTION_CHANNEL, toWrite, toWriteRows } from './native/writes.ts';
import type {
  CheckpointMeta,
  CheckpointRef,
  Latest,
  LineageRow,
  Page,
  State,
  StoreId,
  StoreInfo,
  Task,
} from './model.ts';

export { parentColumns } from './native/framed.ts';
export { copyId, type PlanRow } from './native/new-row.ts';
export { type NativeSteps, planRows, type RuleView, type TakenRow } from './native/plan.ts';
export {
  keyColumns,
  type MemoryAccess,
  MemoryTables,
  memoryTables,
  type NativeRow,
  type NativeValue,
} from './native/tables.ts';

export interface MemoryStoreOptions extends StoreOptions {
  readonly id?: StoreId;
  readonly label?: string;
  /** The clock; for tests. */
  readonly now?: () => Date;
}

/**
 * A store in memory and the executable specification of our stores: the latest
 * is the one saved last of the root namespace; saving an existing id replaces it in place, where it
 * keeps its place; `maxPerTask` evicts the oldest in the same save.
 * @example const store = new MemoryStore({ maxPerTask: 10 });
 *          await store.save({ task: 'run-1', id: 'cp-1', text: '{"step":1}' });
 */
export class MemoryStore implements CheckpointStore {
  readonly info: StoreInfo;
  readonly #maxPerTask: number | undefined;
  readonly #now: () => Date;
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  readonly #tables = new MemoryTables((tasks) => this.#announce(tasks));
  /** Saves are done in the order of their calls, though hashing takes a moment. */
  #saves: Promise<unknown> = Promise.resolve();

  /** @throws InspectorError invalid_input for an unknown option, or a limit that is not a positive whole number */
  constructor(options: MemoryStoreOptions = {}) {
    checkKeys(options, ['id', 'label', 'now', 'maxPerTask']);
    const { maxPerTask } = options;
    if (maxPerTask !== undefined && !(Number.isInteger(maxPerTask) && maxPerTask >= 1)) {
      const given = asGiven(maxPerTask);
      throw new InspectorError('invalid_input', `maxPerTask must be a positive whole number, not ${given}.`);
    }
    this.#maxPerTask = maxPerTask;
    this.#now = options.now ?? (() => new Date());
    this.info = memoryInfo(options.id ?? storeId('memory'), options.label ?? 'memory');
  }

  async save(checkpoint: NewCheckpoint | NewValue, options: SaveOptions = {}): Promise<CheckpointMeta> {
    checkSaveOptions(options);
    const row = toRow(checkpoint, this.#now);
    const done = this.#saves.then(async () => {
      const hash = await sha256Hex(text(row, 'text') ?? '');
      return this.#write({ ...row, state_hash: hash }, options);
    });
    this.#saves = done.catch(() => undefined);
    return done;
  }

  async evictedNext(task: string): Promise<readonly CheckpointRef[]> {
    await this.#saves;
    const { maxPerTask, beyond } = this.#ruleView();
    return maxPerTask === undefined ? [] : (await beyond(task, maxPerTask - 1)).map(({ ref }) => ref);
  }

  async remove(ref: CheckpointRef): Promise<boolean> {
    await this.#saves;
    if (!this.#row(ref)) return false;
    return this.#tables.transaction((access) => {
      access.delete(WRITES, keyOf(ref));
      return access.delete(TABLE, keyOf(ref)) === 1;
    });
  }

  async removeTask(task: string): Promise<number> {
    await this.#saves;
    return this.#tables.transaction((access) => {
      access.delete(WRITES, { task });
      return access.delete(TABLE, { task });
    });
  }

  async saveWrites(ref: CheckpointRef, writes: readonly NewWrite[], options: WriteOptions = {}): Promise<void> {
    checkWriteOptions(options);
    const rows = toWriteRows(ref, writes);
    await this.#saves;
    this.#tables.transaction((access) => {
      for (const row of rows) {
        const { run = null, idx = null } = row;
        const isThere = access.select(WRITES, { ...keyOf(ref), run, idx }).length > 0;
        if (isThere && options.ifExists === 'keep') continue;
        if (isThere) access.update(WRITES, { ...keyOf(ref), run, idx }, row);
        else access.insert(WRITES, row);
      }
    });
  }

  async load(ref: CheckpointRef, options?: CallOptions): Promise<SavedCheckpoint | undefined> {
    const state = await this.state(ref, options);
    const stored = this.#row(ref);
    if (!state || !stored) return undefined;
    return compact({
      ...state,
      ref: refOf(stored),
      parent: parentIn(stored.row),
      createdAt: text(stored.row, 'created_at'),
      beside: text(stored.row, 'beside'),
      writes: this.#writes(ref),
    });
  }

  async beside(ref: CheckpointRef, options?: CallOptions): Promise<Beside | undefined> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    const stored = this.#row(ref);
    if (!stored) return undefined;
    const rows = this.#tables.rows(ref.task);
    const { isNewest = false } = placed(rows, rows.indexOf(stored));
    const { status } = stored.row;
    return besideOf(this.#writes(ref), { beside: text(stored.row, 'beside'), isNewest, status });
  }

  async tasks(query: TaskQuery = {}): Promise<Page<Task>> {
    query.signal?.throwIfAborted();
    await this.#saves;
    const tasks = this.#tables.tasks().map((task) =>
      taskOf(this.info, task, this.#tables.rows(task), {
        signed: (stored) => this.#signed(stored),
        errorOf: (stored) => besideOf(this.#writes(refOf(stored)), { beside: undefined, isNewest: true })?.error,
      }),
    );
    return taskPage(tasks, query);
  }

  async checkpoints(task: string, query: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    checkPageQuery(query);
    query.signal?.throwIfAborted();
    await this.#saves;
    const rows = this.#tables.rows(task);
    const limit = pageLimit(query.limit);
    const head = latestIn(rows);
    const others = rows.filter((stored) => stored !== head).toReversed();
    const listed = head ? [head, ...others] : others;
    const start = query.around ? startAround(listed, task, query.around, limit) : startAfter(listed, query.cursor);
    const page = pageAt(listed, start, limit, (stored) =>
      [stored === head ? Infinity : Number(stored.rowid)].map(String),
    );
    const items = page.items.map((stored) => toMeta(this.info.id, this.#placed(rows, rows.lastIndexOf(stored))));
    return { ...page, items };
  }

  async *lineage(task: string, options?: CallOptions): AsyncIterable<LineageRow> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    const rows = this.#tables.rows(task).slice();
    for (let at = 0; at < rows.length; at++) {
      options?.signal?.throwIfAborted();
      yield toLineage(this.#placed(rows, at));
    }
  }

  async meta(ref: CheckpointRef, options?: CallOptions): Promise<CheckpointMeta | undefined> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    const stored = this.#row(ref);
    const rows = this.#tables.rows(ref.task);
    return stored && toMeta(this.info.id, this.#placed(rows, rows.indexOf(stored)));
  }

  async state(ref: CheckpointRef, options?: CallOptions): Promise<State | undefined> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    const row = this.#row(ref)?.row;
    const sha256 = (row && text(row, 'state_hash')) ?? '';
    return row && { text: text(row, 'text') ?? '', revision: sha256, sha256 };
  }

  async raw(ref: CheckpointRef, options?: CallOptions): Promise<Uint8Array | undefined> {
    const state = await this.state(ref, options);
    return state && new TextEncoder().encode(state.text);
  }

  async latest(task: string, options?: CallOptions): Promise<Latest> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    const last = latestIn(this.#tables.rows(task));
    return last ? { ref: refOf(last), basis: 'rule' } : { basis: 'none' };
  }

  /** The one saved last comes first. */
  async find(id: string, options?: CallOptions): Promise<readonly CheckpointRef[]> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    const found = this.#tables.transaction((access) => access.select(TABLE, { id }));
    return found.toSorted((a, b) => Number(b.rowid - a.rowid)).map(refOf);
  }

  async plan(request: SystemRequest, options?: CallOptions): Promise<Plan> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    return planRows(this.#ruleView(), request);
  }

  watch(onEvent: (event: StoreEvent) => void): Unwatch {
    const listener = (event: StoreEvent) => onEvent(event);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await this.#saves;
    this.#listeners.clear();
  }

  #row(ref: CheckpointRef): TableRow | undefined {
    checkRef(ref);
    return this.#tables.row(ref.task, ref.id, ref.namespace);
  }

  #writes(ref: CheckpointRef): NewWrite[] {
    const { task, namespace = '', id } = ref;
    const own = this.#tables.rows(task, WRITES).filter(({ row }) => row['id'] === id && row['namespace'] === namespace);
    return own.map(({ row }) => toWrite(row)).sort(compareWrites);
  }

  /** With what its writes tell. */
  #signed(stored: TableRow): TableRow {
    const channels = new Set(this.#writes(refOf(stored)).map(({ channel }) => channel));
    const failed = channels.has(ERROR_CHANNEL) ? 1 : 0;
    const asked = channels.has(QUESTION_CHANNEL) ? 1 : 0;
    return { ...stored, row: { ...stored.row, failed, asked } };
  }

  #placed(rows: readonly TableRow[], at: number): Placed {
    const found = placed(rows, at);
    return { ...found, stored: this.#signed(found.stored) };
  }

  #write(row: NativeRow, options: SaveOptions): CheckpointMeta {
    const task = text(row, 'task') ?? '';
    const id = text(row, 'id') ?? '';
    const namespace = text(row, 'namespace') ?? '';
    const ref = { task, namespace, id };
    if (options.ifExists === 'refuse' && this.#row(ref)) throw alreadyStored(refIn(task, ref));
    this.#tables.transaction((access) => {
      const { parent_task: parentTask, parent_id: parentId, parent_namespace: parentNamespace, ...values } = row;
      // A save without a parent keeps the recorded one: agents save a restored checkpoint again without knowing it.
      const replaced = access.update(TABLE, keyOf(ref), parentId === null ? values : row);
      if (replaced === 0)
        access.insert(TABLE, {
          ...values,
          parent_task: parentTask ?? null,
          parent_id: parentId ?? null,
          parent_namespace: parentNamespace ?? null,
        });
      checkEvicted(options, this.#evict(access, ref));
    });
    const rows = this.#tables.rows(task);
    const stored = this.#row(ref);
    return toMeta(this.info.id, this.#placed(rows, stored ? rows.indexOf(stored) : -1));
  }

  /** The oldest go, but neither the latest nor the row that was just saved beside it. */
  #evict(access: MemoryAccess, saved: CheckpointRef): CheckpointRef[] {
    if (this.#maxPerTask === undefined) return [];
    const rows = this.#tables.rows(saved.task);
    const head = latestIn(rows);
    const others = rows.filter((stored) => stored !== head);
    const kept = Math.max(this.#maxPerTask - (head ? 1 : 0), saved.namespace ? 1 : 0);
    const oldest = others.slice(0, Math.max(0, others.length - kept)).map(refOf);
    for (const ref of oldest) {
      access.delete(WRITES, keyOf(ref));
      access.delete(TABLE, keyOf(ref));
    }
    return oldest;
  }

  #ruleView(): RuleView {
    return {
      store: this.info.id,
      job: (steps) => ({ engine: 'memory', place: this.#tables.place, steps }),
      maxPerTask: this.#maxPerTask,
      now: this.#now,
      rows: (task) => this.#tables.rows(task).map(toPlanRow),
      head: (task, before) => {
        const rows = this.#tables.rows(task);
        const found = latestIn(before === undefined ? rows : rows.filter(({ rowid }) => rowid < before));
        return found && toPlanRow(found);
      },
      children: (ref) =>
        this.#tables
          .rows(ref.task)
          .map(toPlanRow)
          .filter(({ parent }) => parent && sameRef(parent, ref)),
      newest: (task) => this.#tables.rows(task).slice(-1).map(toPlanRow)[0],
      writes: (ref) => this.#writes(ref).length,
      loose: (task) => this.#tables.rows(task, WRITES).length > 0,
      beyond: (task, newest) => {
        const rows = this.#tables.rows(task);
        return rows.slice(0, Math.max(0, rows.length - newest)).map(toPlanRow);
      },
      row: (ref) => {
        const stored = this.#row(ref);
        return stored && toPlanRow(stored);
      },
      text: (ref) => {
        const stored = this.#row(ref);
        return (stored && text(stored.row, 'text')) ?? '';
      },
      beside: (ref) => text(this.#row(ref)?.row ?? {}, 'beside'),
      taken: (id) => this.#tables.tasks().some((task) => this.#tables.rows(task).some(({ row }) => row['id'] === id)),
    };
  }

  #announce(tasks: ReadonlySet<string>): void {
    for (const task of tasks) {
      for (const listener of this.#listeners) queueMicrotask(() => listener({ task }));
    }
  }
}

const keyOf = ({ task, namespace = '', id }: CheckpointRef) => ({ task, namespace, id });

function memoryInfo(id: StoreId, label: string): StoreInfo {
  return {
    id,
    system: 'native',
    label,
    latestRule: 'saved last; saving an existing id again keeps its place',
    volatilePaths: ['$.id', '$.createdAt'],
    indexed: { n: 0, of: 0 },
    capabilities: { restore: true, fork: true, edit: true, delete: true },
    notes: ['In memory only: lost when the process ends. Set storagePath to keep it.'],
  };
}
