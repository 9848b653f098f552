import type { Plan, SystemRequest } from './change/index.ts';
import type {
  CallOptions,
  StoreEvent,
  CheckpointStore,
  NewCheckpoint,
  NewValue,
  PageQuery,
  SaveOptions,
  StoreOptions,
  TaskQuery,
  Unwatch,
} from './contract.ts';
import { InspectorError } from './errors.ts';
import { sha256Hex } from './hash.ts';
import { noCheckpoint, sameRef, storeId } from './ids.ts';
import { decodeCursor, pageAt, pageLimit } from './page.ts';
import { planRows, type RuleView } from './native/plan.ts';
import { placed, refOf, text, toLineage, toMeta, toPlanRow, toRow } from './native/row.ts';
import { MemoryTables, TABLE, type MemoryAccess, type NativeRow, type TableRow } from './native/tables.ts';
import { taskOf, taskPage } from './native/tasks.ts';
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

export { copyId, type PlanRow } from './native/new-row.ts';
export { type NativeSteps, planRows, type RuleView } from './native/plan.ts';
export { type MemoryAccess, MemoryTables, memoryTables, type NativeRow, type NativeValue } from './native/tables.ts';

export interface MemoryStoreOptions extends StoreOptions {
  readonly id?: StoreId;
  readonly label?: string;
  /** The clock; for tests. */
  readonly now?: () => Date;
}

/**
 * A store in memory and the executable specification of our stores: the latest
 * is the one saved last; saving an existing id replaces it in place, where it
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

  /** @throws InspectorError invalid_input when `maxPerTask` is not a positive whole number */
  constructor(options: MemoryStoreOptions = {}) {
    const { maxPerTask } = options;
    if (maxPerTask !== undefined && !(Number.isInteger(maxPerTask) && maxPerTask >= 1)) {
      throw new InspectorError('invalid_input', `maxPerTask must be a positive whole number, not ${maxPerTask}.`);
    }
    this.#maxPerTask = maxPerTask;
    this.#now = options.now ?? (() => new Date());
    this.info = memoryInfo(options.id ?? storeId('memory'), options.label ?? 'memory');
  }

  async save(checkpoint: NewCheckpoint | NewValue, options: SaveOptions = {}): Promise<CheckpointMeta> {
    const row = toRow(checkpoint, this.#now);
    const done = this.#saves.then(async () => {
      const hash = await sha256Hex(text(row, 'text') ?? '');
      return this.#write({ ...row, state_hash: hash }, options);
    });
    this.#saves = done.catch(() => undefined);
    return done;
  }

  async remove(ref: CheckpointRef): Promise<boolean> {
    await this.#saves;
    if (!this.#row(ref)) return false;
    return this.#tables.transaction((access) => access.delete(TABLE, { task: ref.task, id: ref.id })) === 1;
  }

  async tasks(query: TaskQuery = {}): Promise<Page<Task>> {
    query.signal?.throwIfAborted();
    await this.#saves;
    const tasks = this.#tables.tasks().map((task) => taskOf(this.info, task, this.#tables.rows(task)));
    return taskPage(tasks, query);
  }

  async checkpoints(task: string, query: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    query.signal?.throwIfAborted();
    await this.#saves;
    const rows = this.#tables.rows(task);
    const limit = pageLimit(query.limit);
    const newestFirst = rows.toReversed();
    const start = query.around ? startAround(newestFirst, query.around, limit) : startAfter(newestFirst, query.cursor);
    const page = pageAt(newestFirst, start, limit, (stored) => [Number(stored.rowid)]);
    const items = page.items.map((_, at) => toMeta(this.info.id, placed(rows, rows.length - 1 - start - at)));
    return { ...page, items };
  }

  async *lineage(task: string, options?: CallOptions): AsyncIterable<LineageRow> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    const rows = this.#tables.rows(task).slice();
    for (let at = 0; at < rows.length; at++) {
      options?.signal?.throwIfAborted();
      yield toLineage(placed(rows, at));
    }
  }

  async meta(ref: CheckpointRef, options?: CallOptions): Promise<CheckpointMeta | undefined> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    const stored = this.#row(ref);
    const rows = this.#tables.rows(ref.task);
    return stored && toMeta(this.info.id, placed(rows, rows.indexOf(stored)));
  }

  async state(ref: CheckpointRef, options?: CallOptions): Promise<State | undefined> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    const row = this.#row(ref)?.row;
    const sha256 = (row && text(row, 'state_hash')) ?? '';
    return row && { text: text(row, 'text') ?? '', revision: sha256, sha256 };
  }

  async raw(ref: CheckpointRef, options?: CallOptions): Promise<Uint8Array | undefined> {
    options?.signal?.throwIfAborted();
    const state = await this.state(ref);
    return state && new TextEncoder().encode(state.text);
  }

  async latest(task: string, options?: CallOptions): Promise<Latest> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    const last = this.#tables.rows(task).at(-1);
    return last ? { ref: refOf(last), basis: 'rule' } : { basis: 'none' };
  }

  /** The one saved last comes first. */
  async find(id: string, options?: CallOptions): Promise<readonly CheckpointRef[]> {
    options?.signal?.throwIfAborted();
    await this.#saves;
    const found = this.#tables.tasks().flatMap((task) => this.#tables.row(task, id) ?? []);
    return found.sort((a, b) => Number(b.rowid - a.rowid)).map(refOf);
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
    return ref.namespace ? undefined : this.#tables.row(ref.task, ref.id);
  }

  #write(row: NativeRow, options: SaveOptions): CheckpointMeta {
    const task = text(row, 'task') ?? '';
    const id = text(row, 'id') ?? '';
    if (options.ifExists === 'refuse' && this.#tables.row(task, id)) {
      throw new InspectorError('changed', `Checkpoint "${id}" of task "${task}" already exists.`, {
        data: { task, id },
      });
    }
    this.#tables.transaction((access) => {
      const { parent_task: parentTask, parent_id: parentId, ...values } = row;
      // A save without a parent keeps the recorded one: agents save a restored checkpoint again without knowing it.
      const replaced = access.update(TABLE, { task, id }, parentId === null ? values : row);
      if (replaced === 0)
        access.insert(TABLE, { ...values, parent_task: parentTask ?? null, parent_id: parentId ?? null });
      this.#evict(access, task);
    });
    const rows = this.#tables.rows(task);
    return toMeta(
      this.info.id,
      placed(
        rows,
        rows.findLastIndex((stored) => stored.row['id'] === id),
      ),
    );
  }

  #evict(access: MemoryAccess, task: string): void {
    const rows = this.#tables.rows(task);
    for (const { row } of rows.slice(0, Math.max(0, rows.length - (this.#maxPerTask ?? rows.length)))) {
      access.delete(TABLE, { task, id: row['id'] ?? null });
    }
  }

  #ruleView(): RuleView {
    return {
      store: this.info.id,
      job: (steps) => ({ engine: 'memory', place: this.#tables.place, steps }),
      maxPerTask: this.#maxPerTask,
      now: this.#now,
      rows: (task) => this.#tables.rows(task).map(toPlanRow),
      head: (task) => this.#tables.rows(task).slice(-1).map(toPlanRow)[0],
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
      taken: (id) => this.#tables.tasks().some((task) => this.#tables.row(task, id)),
    };
  }

  #announce(tasks: ReadonlySet<string>): void {
    for (const task of tasks) {
      for (const listener of this.#listeners) queueMicrotask(() => listener({ task }));
    }
  }
}

function startAround(newestFirst: readonly TableRow[], ref: CheckpointRef, limit: number): number {
  const at = newestFirst.findIndex((stored) => sameRef(refOf(stored), ref));
  if (at >= 0) return Math.max(0, at - Math.floor(limit / 2));
  throw noCheckpoint(ref);
}

/** The place after the cursor's row, also when that row is gone. */
function startAfter(newestFirst: readonly TableRow[], cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [seq] = decodeCursor(cursor, ['number']);
  const at = newestFirst.findIndex((stored) => Number(stored.rowid) < Number(seq));
  return at < 0 ? newestFirst.length : at;
}

function memoryInfo(id: StoreId, label: string): StoreInfo {
  return {
    id,
    system: 'native',
    label,
    latestRule: 'saved last; saving an existing id again keeps its place',
    volatilePaths: ['$.id', '$.createdAt'],
    indexed: { n: 0, of: 0 },
    capabilities: {
      restore: true,
      fork: true,
      edit: true,
      delete: true,
    },
    notes: ['In memory only: lost when the process ends. Set storagePath to keep it.'],
  };
}
