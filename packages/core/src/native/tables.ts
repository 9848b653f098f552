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
/** What steps wrote from a checkpoint, which need not be there yet. */
export const WRITES = 'writes';

/** Columns of the checkpoints. `seq` is the rowid: null in an insert means "the next one". */
export const COLUMNS = [
  'seq',
  'task',
  'namespace',
  'id',
  'text',
  'state_hash',
  'size_bytes',
  'parent_task',
  'parent_id',
  'parent_namespace',
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
  'beside',
] as const;

const SHAPES: Readonly<Record<string, { readonly columns: readonly string[]; readonly keys: readonly string[] }>> = {
  [TABLE]: { columns: COLUMNS, keys: ['namespace', 'id'] },
  [WRITES]: {
    columns: ['task', 'namespace', 'id', 'run', 'idx', 'path', 'node', 'channel', 'text'],
    keys: ['namespace', 'id', 'run', 'idx'],
  },
};

/** The columns that a row is unique by, in its task and over all. */
export const keyColumns = (table: string): readonly string[] => ['task', ...(SHAPES[table]?.keys ?? [])];

export interface TableRow {
  readonly rowid: bigint;
  readonly row: NativeRow;
}

/** Rows of one task: by key, and in save order. */
interface TaskRows {
  readonly byKey: Map<string, TableRow>;
  readonly order: TableRow[];
}

interface Table {
  readonly tasks: Map<string, TaskRows>;
  last: bigint;
}

const open = new Map<string, WeakRef<MemoryTables>>();
const forgotten = new FinalizationRegistry<string>((place) => open.delete(place));

/** The tables that a job names by their place; `undefined` once their store or their process is gone. */
export function memoryTables(place: string): MemoryTables | undefined {
  return open.get(place)?.deref();
}

/**
 * The tables of a store in memory, each ordered by rowid. Row ids are never
 * used twice, so a row put back by undo finds its old place free.
 */
export class MemoryTables {
  /** Tells these tables from all others, of other processes too. */
  readonly place = `memory-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
  readonly #tables = new Map<string, Table>(Object.keys(SHAPES).map((name) => [name, { tasks: new Map(), last: 0n }]));
  readonly #onCommit: (tasks: ReadonlySet<string>) => void;
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
    const last = [...this.#tables.values()].map((table) => [table, table.last] as const);
    try {
      return work(this.#access);
    } catch (error) {
      for (const step of undo.reverse()) step();
      for (const [table, before] of last) table.last = before;
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  /** Tasks that have rows in the table. */
  tasks(table = TABLE): readonly string[] {
    return [...this.#table(table).tasks.keys()];
  }

  /** Oldest first. */
  rows(task: string, table = TABLE): readonly TableRow[] {
    return this.#table(table).tasks.get(task)?.order ?? [];
  }

  row(task: string, id: string, namespace = ''): TableRow | undefined {
    return this.#table(TABLE)
      .tasks.get(task)
      ?.byKey.get(keyOf(TABLE, { namespace, id }) ?? '');
  }

  readonly #access: MemoryAccess = {
    select: (table, key) => this.#select(table, key),
    insert: (table, row, rowid) => {
      checkColumns(table, row);
      const given = rowid ?? asRowid(row['seq']) ?? this.#table(table).last + 1n;
      const seq = table === TABLE ? { seq: Number(given) } : {};
      const stored = { rowid: given, row: Object.freeze({ namespace: '', ...row, ...seq }) };
      this.#put(table, stored);
      this.#log(() => this.#take(table, stored));
      return given;
    },
    update: (table, key, set) => {
      checkColumns(table, set);
      const hits = this.#select(table, key);
      for (const hit of hits) {
        this.#replace(table, hit, { rowid: hit.rowid, row: Object.freeze({ ...hit.row, ...set }) });
      }
      return hits.length;
    },
    delete: (table, key) => {
      const hits = this.#select(table, key);
      for (const hit of hits) {
        this.#take(table, hit);
        this.#log(() => this.#put(table, hit));
      }
      return hits.length;
    },
  };

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (table) return table;
    throw new InspectorError('invalid_input', `A memory store has no table "${name}".`);
  }

  #log(step: () => void): void {
    this.#undo?.push(step);
  }

  #replace(table: string, before: TableRow, after: TableRow): void {
    this.#take(table, before);
    this.#log(() => this.#put(table, before));
    this.#put(table, after);
    this.#log(() => this.#take(table, after));
  }

  #select(table: string, key: NativeRow): readonly TableRow[] {
    checkColumns(table, key);
    const { task } = key;
    const tasks = typeof task === 'string' ? [task] : this.tasks(table);
    const text = keyOf(table, key);
    const rows = tasks.flatMap((name) => {
      if (text === undefined) return this.rows(name, table);
      return this.#table(table).tasks.get(name)?.byKey.get(text) ?? [];
    });
    return rows.filter(({ row }) => Object.entries(key).every(([name, value]) => same(row[name] ?? null, value)));
  }

  #put(table: string, stored: TableRow): void {
    const { task, id } = stored.row;
    const key = keyOf(table, stored.row);
    if (typeof task !== 'string' || typeof id !== 'string' || key === undefined) {
      throw new InspectorError('invalid_input', 'A checkpoint row needs a task and an id.');
    }
    const { tasks, last } = this.#table(table);
    const rows = tasks.get(task) ?? { byKey: new Map<string, TableRow>(), order: [] };
    const place = placeOf(rows.order, stored.rowid);
    if (rows.byKey.has(key) || rows.order[place]?.rowid === stored.rowid) {
      throw new InspectorError('changed', `Checkpoint "${id}" of task "${task}" is already stored.`, {
        data: { task, id },
      });
    }
    rows.byKey.set(key, stored);
    rows.order.splice(place, 0, stored);
    tasks.set(task, rows);
    this.#touched.add(task);
    if (stored.rowid > last) this.#table(table).last = stored.rowid;
  }

  #take(table: string, stored: TableRow): void {
    const task = String(stored.row['task']);
    const { tasks } = this.#table(table);
    const rows = tasks.get(task);
    if (!rows) return;
    rows.byKey.delete(keyOf(table, stored.row) ?? '');
    rows.order.splice(placeOf(rows.order, stored.rowid), 1);
    if (rows.order.length === 0) tasks.delete(task);
    this.#touched.add(task);
  }
}

/** What tells a row from the others of its task; `undefined` where a part of it is not given. */
function keyOf(table: string, row: NativeRow): string | undefined {
  const parts = (SHAPES[table]?.keys ?? []).map((name) => row[name]);
  if (parts.some((part) => part === undefined || part === null)) return undefined;
  return JSON.stringify(parts.map(String));
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
  const columns = SHAPES[table]?.columns;
  if (!columns) throw new InspectorError('invalid_input', `A memory store has no table "${table}".`);
  const unknown = Object.keys(row).find((name) => !columns.includes(name));
  if (unknown !== undefined) throw new InspectorError('invalid_input', `Table "${table}" has no column "${unknown}".`);
}
