import {
  alreadyStored,
  checkEvicted,
  checkpointToFields,
  InspectorError,
  notJson,
  refIn,
  rowToMeta,
  share,
  valuesOf,
  type CheckpointMeta,
  type CheckpointRef,
  type NativeRow,
  type NewCheckpoint,
  type NewValue,
  type SaveOptions,
  type SharedState,
  type StoreId,
  type WriteOptions,
} from '@checkpoint-inspector/core';
import {
  assertRowFits,
  collectAfterRemoval,
  collectAfterSave,
  metaNumber,
  prepared,
  readShared,
  sha256,
  shareValues,
  writeNodes,
  type SharedText,
  type SqliteDatabase,
} from '@checkpoint-inspector/io';
import { KnownStates } from '../known-states.ts';
import { keyOf } from '../options.ts';
import { hasWrites, OF_NODES, readMeta, readNewest } from './read.ts';
import { latestOf } from './rows.ts';
import { META_COLUMNS, TABLE } from './schema.ts';

const COLUMNS = [...META_COLUMNS.split(', ').filter((column) => column !== 'seq'), 'beside', 'root', 'whole'];
/** A recorded parent stays recorded when a later save of the id names none. */
const KEPT = new Set(['parent_task', 'parent_id', 'parent_namespace']);
const UPDATES = COLUMNS.map(
  (column) =>
    `${column} = ${KEPT.has(column) ? `CASE WHEN excluded.parent_id IS NULL THEN ${column} ELSE excluded.${column} END` : `excluded.${column}`}`,
);
const UPSERT = `INSERT INTO ${TABLE} (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((column) => `:${column}`).join(', ')})
  ON CONFLICT (task, namespace, id) DO UPDATE SET ${UPDATES.join(', ')}`;
/** The oldest so many, but for the latest. */
const OLDEST = `DELETE FROM ${TABLE} WHERE seq IN
  (SELECT seq FROM ${TABLE} WHERE task = :task AND seq <> :head ORDER BY seq LIMIT +:excess) RETURNING namespace, id`;
const OF_ROW = 'task = ? AND namespace = ? AND id = ?';
/** What there is before a save: the row that it replaces, its writes, the root of its parent, and how many its task has. */
const LOOK = `SELECT (SELECT v FROM store_meta WHERE k = 'gc_epoch') AS epoch, own.root, own.whole, parent.root AS parent,
    (SELECT count FROM tasks WHERE task = :task) AS count,
    EXISTS (SELECT 1 FROM writes WHERE task = :task AND namespace = :namespace AND id = :id) AS written
  FROM (SELECT 1) LEFT JOIN ${TABLE} AS own ON own.task = :task AND own.namespace = :namespace AND own.id = :id
  LEFT JOIN ${TABLE} AS parent
    ON parent.task = :parent_task AND parent.namespace = coalesce(:parent_namespace, '') AND parent.id = :parent_id`;
const LATEST = `SELECT root FROM ${TABLE} WHERE task = ? ORDER BY seq DESC LIMIT 1`;
const NO_WRITES = `DELETE FROM writes WHERE ${OF_ROW}`;
const WRITE_COLUMNS = ['task', 'namespace', 'id', 'run', 'idx', 'path', 'node', 'channel', 'text'];
const insertWrite = (or: 'REPLACE' | 'IGNORE'): string =>
  `INSERT OR ${or} INTO writes (${WRITE_COLUMNS.join(', ')}) VALUES (${WRITE_COLUMNS.map((name) => `:${name}`).join(', ')})`;

/** A checkpoint that was checked and copied, so that a save doesn't see what its caller changes meanwhile. */
interface Prepared {
  readonly fields: NativeRow;
  /** Writes the state's nodes, inside the transaction. */
  readonly write: (
    before: SharedState | undefined,
  ) => SharedText & { readonly revision: string; readonly bytes: number };
}

interface Limits {
  readonly maxPerTask: number | undefined;
  readonly maxBytes: number | undefined;
}

/** What saves to one database; it knows the states that it has saved. */
export class Saving {
  readonly #db: SqliteDatabase;
  readonly #store: StoreId;
  readonly #known = new KnownStates();
  /** Nodes that this connection knows may have gone when another one has collected. */
  #epoch = -1;

  constructor(db: SqliteDatabase, store: StoreId) {
    this.#db = db;
    this.#store = store;
  }

  /**
   * One transaction: the state's new nodes, the row, and what it evicts. The checkpoint is that of its end: reading it
   * afterwards would take locks once more for every statement.
   * @throws InspectorError invalid_input | changed | too_large
   */
  save(checkpoint: NewCheckpoint | NewValue, options: SaveOptions, limits: Limits): CheckpointMeta {
    const { fields, write } = this.#prepared(checkpoint, options);
    const ref = refIn(checkpoint.task, checkpoint);
    const saved = this.#db.transaction(() => {
      const looked = this.#look(fields);
      const isNew = looked.root === null;
      if (!isNew && options.ifExists === 'refuse') throw alreadyStored(ref);
      const { state, root, whole, revision, bytes } = write(this.#before(checkpoint.task, looked));
      const row = { ...fields, state_hash: revision, size_bytes: bytes, root, whole };
      assertRowFits(row, limits.maxBytes, bytes);
      const { lastInsertRowid } = prepared(this.#db, UPSERT).run(row);
      const replaced = isNew || (looked.root === root && looked.whole === whole) ? 0 : 1;
      const count = (looked.count ?? 0) + Number(isNew);
      const evicted = this.#evict(ref, count, limits.maxPerTask, options);
      const isCollected = collectAfterSave(this.#db, replaced + evicted, state);
      const epoch = isCollected ? metaNumber(this.#db, 'gc_epoch') : this.#epoch;
      // What steps wrote may have come before it, and tells how it went.
      const isKnown = isNew && looked.written === 0;
      const meta = isKnown
        ? this.#newest(checkpoint, { row, seq: Number(lastInsertRowid), place: count - evicted })
        : readMeta(this.#db, this.#store, ref);
      return { state, root, epoch, meta };
    });
    // What was just saved is there, whatever was collected meanwhile; the rest is void then.
    if (saved.epoch !== this.#epoch) this.#known.clear();
    this.#epoch = saved.epoch;
    this.#known.set(saved.root, saved.state);
    if (saved.meta) return saved.meta;
    throw new InspectorError('changed', `Checkpoint "${ref.id}" was evicted at once.`, { data: { ...ref } });
  }

  /** Of one that names its parent, and that no framework frames, all is known without reading it. */
  #newest(checkpoint: NewCheckpoint | NewValue, { row, seq, place }: Inserted): CheckpointMeta | undefined {
    const { parent, beside, namespace = '' } = checkpoint;
    if (parent === undefined || beside !== undefined) return readNewest(this.#db, this.#store, checkpoint, seq);
    const isLatest = namespace === '';
    return rowToMeta(this.#store, { stored: { rowid: BigInt(seq), row }, place, before: undefined, isLatest });
  }

  /** True where it was there. */
  remove(ref: CheckpointRef): boolean {
    return this.#db.transaction(() => {
      const gone = prepared(this.#db, `DELETE FROM ${TABLE} WHERE ${OF_ROW}`).run(...keyOf(ref)).changes;
      if (gone > 0) prepared(this.#db, NO_WRITES).run(...keyOf(ref));
      collectAfterRemoval(this.#db, gone);
      return gone > 0;
    });
  }

  /** How many checkpoints there were. */
  removeTask(task: string): number {
    return this.#db.transaction(() => {
      const gone = prepared(this.#db, `DELETE FROM ${TABLE} WHERE task = ?`).run(task).changes;
      prepared(this.#db, 'DELETE FROM writes WHERE task = ?').run(task);
      collectAfterRemoval(this.#db, gone);
      return gone;
    });
  }

  saveWrites(rows: readonly NativeRow[], { ifExists }: WriteOptions): void {
    const insert = prepared(this.#db, insertWrite(ifExists === 'keep' ? 'IGNORE' : 'REPLACE'));
    this.#db.transaction(() => {
      for (const row of rows) insert.run(row);
    });
  }

  #prepared(checkpoint: NewCheckpoint | NewValue, { immutable }: SaveOptions): Prepared {
    const fields = checkpointToFields(checkpoint, () => new Date());
    if (!('value' in checkpoint)) return preparedText(this.#db, fields, checkpoint.text);
    const { value } = checkpoint;
    return {
      fields,
      write: (before) => {
        const { state, fresh } = share(value, { hash: sha256, before, immutable });
        writeNodes(this.#db, fresh);
        const revision = OF_NODES + state.node.hash;
        return { state, root: state.node.id, whole: null, revision, bytes: state.bytes };
      },
    };
  }

  /** Forgets what another connection may have collected. */
  #look(fields: NativeRow): Looked {
    const looked = prepared<Looked>(this.#db, LOOK).get(fields);
    if (!looked) throw new InspectorError('internal', 'The store says nothing of itself.');
    const epoch = Number(looked.epoch ?? 0);
    if (epoch !== this.#epoch) this.#known.clear();
    this.#epoch = epoch;
    return looked;
  }

  /** What the state is likely to have most in common with. */
  #before(task: string, { parent, root }: Looked): SharedState | undefined {
    const before = parent ?? root ?? prepared<{ root: number }>(this.#db, LATEST).get(task)?.root;
    return before === undefined ? undefined : this.#stateAt(before);
  }

  #stateAt(root: number): SharedState | undefined {
    try {
      return this.#known.get(root) ?? readShared(this.#db, root);
    } catch (error) {
      // A damaged state is nothing to compare with, and no reason not to save the next one.
      if (InspectorError.is(error) && error.code === 'unreadable') return undefined;
      throw error;
    }
  }

  /** First saved, first out; neither the latest nor the row that was just saved. */
  #evict({ task, namespace }: CheckpointRef, count: number, keep: number | undefined, options: SaveOptions): number {
    if (keep === undefined || count <= keep) return 0;
    const head = latestOf(this.#db, task);
    const own = head === undefined ? 0 : 1;
    const others = Math.max(keep - own, namespace ? 1 : 0);
    const oldest = { task, head: head ?? 0, excess: Math.max(0, count - own - others) };
    const gone = prepared<{ namespace: string; id: string }>(this.#db, OLDEST).all(oldest);
    checkEvicted(
      options,
      gone.map((row) => refIn(task, row)),
    );
    if (hasWrites(this.#db, task))
      for (const { namespace: of, id } of gone) prepared(this.#db, NO_WRITES).run(task, of, id);
    return gone.length;
  }
}

interface Inserted {
  readonly row: NativeRow;
  readonly seq: number;
  /** How many its task has with it. */
  readonly place: number;
}

interface Looked {
  readonly epoch: string | null;
  /** Null where the id is new. */
  readonly root: number | null;
  readonly whole: number | null;
  readonly parent: number | null;
  /** Null where the task is new. */
  readonly count: number | null;
  readonly written: number;
}

function preparedText(db: SqliteDatabase, fields: NativeRow, text: string): Prepared {
  const values = valuesIn(text);
  const bytes = Buffer.byteLength(text);
  const revision = sha256(text);
  return {
    fields,
    write: (before) => ({ ...shareValues(db, { text, bytes, values, isJson: true }, before), revision, bytes }),
  };
}

function valuesIn(text: string): unknown {
  try {
    return valuesOf(text);
  } catch (cause) {
    throw notJson(cause);
  }
}
