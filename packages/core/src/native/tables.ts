import { InspectorError } from '../errors.ts';

export type NativeValue = null | number | bigint | string;
/** A row of one of our own stores, by column. */
export type NativeRow = Readonly<Record<string, NativeValue>>;

/** Row access inside one transaction. Rows are returned with their `rowid`. */
export interface MemoryAccess {
  select(table: string, key: NativeRow): readonly TableRow[];
  insert(table: string, row: NativeRow, rowid?: bigint): bigint;
  update(table: string, key: NativeRow, set: NativeRow): number;
  delete(table: string, key: NativeRow): number;
}

export const TABLE = 'checkpoints';

/** Columns of the one table. `seq` is the rowid: null in an insert means "the next one". */
export const COLUMNS = [
  'seq',
  'task',
  'id',
  'text',
  'state_hash',
  'size_bytes',
  'parent_task',
  'parent_id',
  'step_index',
  'total_steps',
  'trigger',
  'status',
  'description',
  'agent_id',
  'duration_ms',
  'token_usage',
  'cost_usd',
  'created_at',
] as const;

export interface TableRow {
  readonly rowid: bigint;
  readonly row: NativeRow;
}

/** Rows of one task: by id, and in save order. */
interface TaskRows {
  readonly byId: Map<string, TableRow>;
  readonly order: TableRow[];
}

const open = new Map<string, WeakRef<MemoryTables>>();
const forgotten = new FinalizationRegistry<string>((place) => open.delete(place));

/** The tables that a job names by their place; `undefined` once their store or their process is gone. */
export function memoryTables(place: string): MemoryTables | undefined {
  return open.get(place)?.deref();
}

/**
 * One table in memory, unique by (task, id), ordered by rowid. Row ids are
 * never used twice, so a row put back by undo finds its old place free.
 */
export class MemoryTables {
  /** Tells these tables from all others, of other processes too. */
  readonly place = `memory-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
  readonly #tasks = new Map<string, TaskRows>();
  readonly #onCommit: (tasks: ReadonlySet<string>) => void;
  #last = 0n;
  #undo: (() => void)[] | undefined;
  #touched = new Set<string>();

  constructor(onCommit: (tasks: ReadonlySet<string>) => void = () => undefined) {
    this.#onCommit = onCommit;
    open.set(this.place, new WeakRef(this));
    forgotten.register(this, this.place);
  }

  /** Runs `work` as one transaction: a throw puts everything back. */
  transaction<T>(work: (access: MemoryAccess) => T): T {
    if (this.#undo) throw new InspectorError('busy', 'A transaction is already running in this memory store.');
    const undo: (() => void)[] = [];
    this.#undo = undo;
    this.#touched = new Set();
    const result = this.#run(work, undo);
    if (this.#touched.size > 0) this.#onCommit(this.#touched);
    return result;
  }

  #run<T>(work: (access: MemoryAccess) => T, undo: (() => void)[]): T {
    const last = this.#last;
    try {
      return work(this.#access);
    } catch (error) {
      for (const step of undo.reverse()) step();
      this.#last = last;
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  tasks(): readonly string[] {
    return [...this.#tasks.keys()];
  }

  /** Oldest first. */
  rows(task: string): readonly TableRow[] {
    return this.#tasks.get(task)?.order ?? [];
  }

  row(task: string, id: string): TableRow | undefined {
    return this.#tasks.get(task)?.byId.get(id);
  }

  readonly #access: MemoryAccess = {
    select: (table, key) => this.#select(table, key),
    insert: (table, row, rowid) => {
      checkColumns(table, row);
      const given = rowid ?? asRowid(row['seq']) ?? this.#last + 1n;
      const stored = { rowid: given, row: Object.freeze({ ...row, seq: Number(given) }) };
      this.#put(stored);
      this.#log(() => this.#take(stored));
      return given;
    },
    update: (table, key, set) => {
      checkColumns(table, set);
      const hits = this.#select(table, key);
      for (const hit of hits) this.#replace(hit, { rowid: hit.rowid, row: Object.freeze({ ...hit.row, ...set }) });
      return hits.length;
    },
    delete: (table, key) => {
      const hits = this.#select(table, key);
      for (const hit of hits) {
        this.#take(hit);
        this.#log(() => this.#put(hit));
      }
      return hits.length;
    },
  };

  #log(step: () => void): void {
    this.#undo?.push(step);
  }

  #replace(before: TableRow, after: TableRow): void {
    this.#take(before);
    this.#log(() => this.#put(before));
    this.#put(after);
    this.#log(() => this.#take(after));
  }

  #select(table: string, key: NativeRow): readonly TableRow[] {
    checkColumns(table, key);
    const { task, id } = key;
    const tasks = typeof task === 'string' ? [task] : this.tasks();
    const rows = tasks.flatMap((name) => {
      if (typeof id !== 'string') return this.rows(name);
      return this.row(name, id) ?? [];
    });
    return rows.filter(({ row }) => Object.entries(key).every(([name, value]) => same(row[name] ?? null, value)));
  }

  #put(stored: TableRow): void {
    const { task, id } = stored.row;
    if (typeof task !== 'string' || typeof id !== 'string') {
      throw new InspectorError('invalid_input', 'A checkpoint row needs a task and an id.');
    }
    const rows = this.#tasks.get(task) ?? { byId: new Map<string, TableRow>(), order: [] };
    const place = placeOf(rows.order, stored.rowid);
    if (rows.byId.has(id) || rows.order[place]?.rowid === stored.rowid) {
      throw new InspectorError('changed', `Checkpoint "${id}" of task "${task}" is already stored.`, {
        data: { task, id },
      });
    }
    rows.byId.set(id, stored);
    rows.order.splice(place, 0, stored);
    this.#tasks.set(task, rows);
    this.#touched.add(task);
    if (stored.rowid > this.#last) this.#last = stored.rowid;
  }

  #take(stored: TableRow): void {
    const task = String(stored.row['task']);
    const rows = this.#tasks.get(task);
    if (!rows) return;
    rows.byId.delete(String(stored.row['id']));
    rows.order.splice(placeOf(rows.order, stored.rowid), 1);
    if (rows.order.length === 0) this.#tasks.delete(task);
    this.#touched.add(task);
  }
}

/** Index of the first row whose rowid is not smaller. */
function placeOf(order: readonly TableRow[], rowid: bigint): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((order[middle]?.rowid ?? rowid) < rowid) low = middle + 1;
    else high = middle;
  }
  return low;
}

function asRowid(value: NativeValue | undefined): bigint | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : undefined;
}

/** Numbers compare by value, whether they come as number or bigint. */
function same(a: NativeValue, b: NativeValue): boolean {
  if (typeof a === 'number' && typeof b === 'bigint') return BigInt(a) === b;
  if (typeof a === 'bigint' && typeof b === 'number') return a === BigInt(b);
  return a === b;
}

function checkColumns(table: string, row: NativeRow): void {
  if (table !== TABLE)
    throw new InspectorError('invalid_input', `A memory store has no table "${table}", only "${TABLE}".`);
  const unknown = Object.keys(row).find((name) => !(COLUMNS as readonly string[]).includes(name));
  if (unknown !== undefined) throw new InspectorError('invalid_input', `Table "${TABLE}" has no column "${unknown}".`);
}
