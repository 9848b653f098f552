import {
  checkpointToRow,
  InspectorError,
  refIn,
  share,
  valuesOf,
  type CheckpointRef,
  type NativeRow,
  type NewCheckpoint,
  type NewValue,
  type SaveOptions,
  type SharedState,
  type WriteOptions,
} from '@checkpoint-inspector/core';
import {
  assertRowFits,
  collectIn,
  isAlone,
  isDueAfterRemoval,
  isDueAfterSave,
  readSharedFrom,
  sha256Text,
  writeNodesTo,
  writePostgres,
  writeWholeTo,
  type Connections,
  type PgParameter,
  type PostgresReader,
} from '@checkpoint-inspector/io';
import { KnownStates } from '../known-states.ts';
import { keyOf, OF_NODES, OF_ROW } from './rows.ts';

const COLUMNS =
  'task namespace id parent_task parent_namespace parent_id beside step_index total_steps trigger status description agent_id duration_ms token_usage cost_usd created_at state_hash size_bytes root whole'.split(
    ' ',
  );
/** A recorded parent stays recorded when a later save of the id names none. */
const KEPT = new Set(['parent_task', 'parent_id', 'parent_namespace']);
const UPDATES = COLUMNS.map(
  (name) => `${name} = ${KEPT.has(name) ? `coalesce(excluded.${name}, checkpoints.${name})` : `excluded.${name}`}`,
);
const UPSERT = `INSERT INTO checkpoints (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((_, at) => `$${at + 1}`).join(', ')})
  ON CONFLICT (task, namespace, id) DO UPDATE SET ${UPDATES.join(', ')}`;
/** What the state is likely to have most in common with, the best first; the row itself is marked. */
const LOOK = `SELECT (SELECT v FROM store_meta WHERE k = 'gc_epoch') AS epoch,
  (SELECT root FROM checkpoints WHERE task = $4 AND namespace = $5 AND id = $6) AS parent,
  (SELECT root FROM checkpoints WHERE ${OF_ROW}) AS present,
  (SELECT coalesce(whole, 0) FROM checkpoints WHERE ${OF_ROW}) AS whole,
  (SELECT root FROM checkpoints WHERE task = $1 ORDER BY seq DESC LIMIT 1) AS latest`;
/** Neither the latest nor, beside it, the row that was just saved. */
const HEAD = "SELECT seq FROM checkpoints WHERE task = $1 AND namespace = '' ORDER BY seq DESC LIMIT 1";
const OLDEST = `DELETE FROM checkpoints WHERE task = $1 AND seq <> $2 AND seq <=
  (SELECT seq FROM checkpoints WHERE task = $1 AND seq <> $2 ORDER BY seq DESC LIMIT 1 OFFSET $3)
  RETURNING namespace, id`;
const WRITE_COLUMNS = ['task', 'namespace', 'id', 'run', 'idx', 'path', 'node', 'channel', 'text'];
const KEY_COLUMNS = ['task', 'namespace', 'id', 'run', 'idx'];
const WRITE = `INSERT INTO writes (${WRITE_COLUMNS.join(', ')}) VALUES (${WRITE_COLUMNS.map((_, at) => `$${at + 1}`).join(', ')})
  ON CONFLICT (${KEY_COLUMNS.join(', ')}) DO`;
const REPLACE = `UPDATE SET ${WRITE_COLUMNS.filter((name) => !KEY_COLUMNS.includes(name))
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')}`;

/** Bytes of task, namespace and id together: an index has no place for more. */
const MAX_KEY_BYTES = 2_400;

interface Looked {
  readonly epoch: string;
  readonly parent: string | null;
  readonly present: string | null;
  readonly whole: string | null;
  readonly latest: string | null;
}

/** What saves to one schema; it knows the states that it has saved. Saves of a task are done in the order of their calls. */
export class Saving {
  readonly #pool: Connections;
  readonly #schema: string;
  readonly #known = new KnownStates();
  readonly #queues = new Map<string, Promise<unknown>>();
  /** Nodes that this process knows may have gone when another one has collected. */
  #epoch = '';

  constructor(pool: Connections, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
  }

  /**
   * One transaction: the state's new nodes, the row, and what it evicts.
   * @throws InspectorError invalid_input | changed | too_large | busy
   */
  async save(
    checkpoint: NewCheckpoint | NewValue,
    options: SaveOptions,
    maxPerTask: number | undefined,
  ): Promise<CheckpointRef> {
    // All that is asked of what was given, at once: its caller may change it meanwhile.
    const row = checkpointToRow(checkpoint, () => new Date());
    const isValue = 'value' in checkpoint;
    const ref = refIn(checkpoint.task, checkpoint);
    const parent = checkpoint.parent && { ...checkpoint.parent };
    checkTexts(row);
    assertRowFits(row);
    return this.#inOrder(ref.task, async () => {
      const done = await this.#write(ref.task, async (writer) => {
        const looked = await this.#look(writer, ref, parent);
        if (looked.present !== null && options.ifExists === 'refuse') throw alreadyStored(ref);
        const saved = await this.#state(writer, String(row['text']), isValue, looked);
        await writer.query(UPSERT, valuesIn({ ...row, ...saved.row }, COLUMNS));
        const replaced = looked.present !== null && Number(looked.present) !== saved.row.root ? 1 : 0;
        const gone = replaced + (await evict(writer, ref, maxPerTask));
        return { ...saved, epoch: looked.epoch, isDue: await isDueAfterSave(writer, gone) };
      });
      if (done.epoch === this.#epoch) this.#known.set(done.row.root, done.state);
      return ref;
    });
  }

  /** True where it was there. */
  remove(ref: CheckpointRef): Promise<boolean> {
    return this.#inOrder(ref.task, async () => {
      const { gone } = await this.#write(ref.task, async (writer) => {
        const rows = await writer.query(`DELETE FROM checkpoints WHERE ${OF_ROW} RETURNING 1 AS one`, keyOf(ref));
        if (rows.length > 0) await writer.query(`DELETE FROM writes WHERE ${OF_ROW}`, keyOf(ref));
        return { gone: rows.length, isDue: await isDueAfterRemoval(writer, rows.length) };
      });
      return gone > 0;
    });
  }

  /** How many checkpoints there were. */
  removeTask(task: string): Promise<number> {
    return this.#inOrder(task, async () => {
      const { gone } = await this.#write(task, async (writer) => {
        const rows = await writer.query('DELETE FROM checkpoints WHERE task = $1 RETURNING 1 AS one', [task]);
        await writer.query('DELETE FROM writes WHERE task = $1', [task]);
        return { gone: rows.length, isDue: await isDueAfterRemoval(writer, rows.length) };
      });
      return gone;
    });
  }

  async saveWrites(task: string, rows: readonly NativeRow[], { ifExists }: WriteOptions): Promise<void> {
    for (const row of rows) checkTexts(row);
    await this.#inOrder(task, () =>
      this.#write(task, async (writer) => {
        const sql = `${WRITE} ${ifExists === 'keep' ? 'NOTHING' : REPLACE}`;
        for (const row of rows) await writer.query(sql, valuesIn(row, WRITE_COLUMNS));
        return { isDue: false };
      }),
    );
  }

  /** What a collection is due after is collected in the same transaction, unless others are saving: then right after it. */
  async #write<T extends { readonly isDue: boolean }>(
    task: string,
    work: (writer: PostgresReader) => Promise<T>,
  ): Promise<T> {
    const done = await writePostgres(this.#pool, this.#schema, { task }, async (writer) => {
      const result = await work(writer);
      const isNow = result.isDue && (await isAlone(writer, this.#schema));
      if (isNow) await collectIn(writer);
      return { result, isLeft: result.isDue && !isNow };
    });
    if (done.isLeft) await writePostgres(this.#pool, this.#schema, 'store', collectIn);
    return done.result;
  }

  async #look(writer: PostgresReader, ref: CheckpointRef, parent: CheckpointRef | undefined): Promise<Looked> {
    const of = parent === undefined ? [null, null, null] : keyOf(parent);
    const [looked] = await writer.query<Looked & { [column: string]: unknown }>(LOOK, [...keyOf(ref), ...of]);
    if (!looked) throw new InspectorError('unreadable', 'The store says nothing of itself.');
    // Nobody collects while a writer is under way: what is known of this epoch is there until the end.
    if (looked.epoch !== this.#epoch) this.#known.clear();
    this.#epoch = looked.epoch;
    return looked;
  }

  async #state(writer: PostgresReader, text: string, isValue: boolean, looked: Looked) {
    const before = await this.#before(writer, looked);
    const { state, fresh } = share(valuesOf(text), { hash: sha256Text, before });
    await writeNodesTo(writer, fresh);
    const size = Buffer.byteLength(text);
    // Tokens keep their source, so only the white space between them can be lost.
    const whole = state.bytes === size ? null : await writeWholeTo(writer, text);
    const revision = isValue ? OF_NODES + state.node.hash : sha256Text(text);
    return { state, row: { state_hash: revision, size_bytes: size, root: state.node.id, whole } };
  }

  async #before(writer: PostgresReader, { parent, present, latest }: Looked): Promise<SharedState | undefined> {
    const root = parent ?? present ?? latest;
    if (root === null) return undefined;
    try {
      return this.#known.get(Number(root)) ?? (await readSharedFrom(writer, Number(root)));
    } catch (error) {
      // A damaged state is nothing to compare with, and no reason not to save the next one.
      if (InspectorError.is(error) && error.code === 'unreadable') return undefined;
      throw error;
    }
  }

  async #inOrder<T>(task: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#queues.get(task) ?? Promise.resolve()).then(work);
    const ended = done.then(
      () => undefined,
      () => undefined,
    );
    this.#queues.set(task, ended);
    try {
      return await done;
    } finally {
      if (this.#queues.get(task) === ended) this.#queues.delete(task);
    }
  }
}

const valuesIn = (row: NativeRow, columns: readonly string[]): PgParameter[] =>
  columns.map((name) => row[name] ?? null);

/** First saved, first out. */
async function evict(
  writer: PostgresReader,
  { task, namespace }: CheckpointRef,
  keep: number | undefined,
): Promise<number> {
  if (keep === undefined) return 0;
  const [head] = await writer.query<{ seq: string }>(HEAD, [task]);
  const others = Math.max(keep - (head === undefined ? 0 : 1), namespace ? 1 : 0);
  const gone = await writer.query<{ namespace: string; id: string }>(OLDEST, [task, head?.seq ?? 0, others]);
  for (const { namespace: of, id } of gone) await writer.query(`DELETE FROM writes WHERE ${OF_ROW}`, [task, of, id]);
  return gone.length;
}

/** @throws InspectorError invalid_input for what a database keeps nowhere, or has no index for */
function checkTexts(row: NativeRow): void {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value !== 'string' || !value.includes('\0')) continue;
    throw new InspectorError('invalid_input', `${name} contains a NUL character, which PostgreSQL can't keep.`, {
      data: { name },
    });
  }
  const key = ['task', 'namespace', 'id', 'run'].map((name) => String(row[name] ?? '')).join('');
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return;
  throw new InspectorError('invalid_input', `Task, namespace and id are longer than ${MAX_KEY_BYTES} bytes together.`);
}

const alreadyStored = (ref: CheckpointRef): InspectorError =>
  new InspectorError('changed', `Checkpoint "${ref.id}" of task "${ref.task}" is already stored.`, {
    data: { ...ref },
  });
