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
  valuesOfState,
  type CheckpointMeta,
  type CheckpointRef,
  type NativeRow,
  type NewCheckpoint,
  type NewValue,
  type SaveOptions,
  type Shared,
  type SharedState,
  type StoreId,
  type WriteOptions,
} from '@checkpoint-inspector/core';
import {
  assertRowFits,
  collectIn,
  columnsOf,
  countRemoved,
  giveIds,
  INSERT_NODES,
  isAlone,
  isDueAfterRemoval,
  isDueAfterSave,
  newIds,
  quotedText,
  readSharedFrom,
  sha256,
  writePostgres,
  type Connections,
  type NodeColumns,
  type PgParameter,
  type PostgresReader,
  type PostgresWriter,
} from '@checkpoint-inspector/io';
import { KnownStates } from '../known-states.ts';
import { keyOf } from '../options.ts';
import { OF_NODES, placedIn, placedSql, type Row, type RowSql } from './rows.ts';
import {
  COLUMNS,
  EVICT,
  type Evicted,
  lookSql,
  REMOVE,
  REMOVE_TASK,
  SAVE,
  writeLists,
  writesSql,
  type Looked,
} from './statements.ts';

/** Bytes of task, namespace and id together: an index has no place for more. */
const MAX_KEY_BYTES = 2_400;
/** Ids for new nodes that are asked for ahead: at least so many, and at most. */
const IDS_AHEAD = { least: 16, most: 1_000 };
/** Tasks whose last saved state is remembered; how large those are `KnownStates` bounds. */
const MAX_TASKS = 1_000;
const NO_NODES: NodeColumns = { ids: [], kinds: [], hashes: [], bodies: [] };

/** A state that is to be saved, read when it was given: its caller may change it meanwhile. */
interface Given {
  /** Shared with the state that this process saved last in the task. */
  readonly shared: Shared;
  readonly before: SharedState | undefined;
  /** The same with another state before it. */
  readonly again: (before: SharedState | undefined) => Shared;
  /** Only where one was given. */
  readonly text?: string;
}

interface SaveContext {
  readonly store: StoreId;
  readonly maxPerTask: number | undefined;
}

interface Written {
  readonly isDue: boolean;
  /** A question to be answered along with the end. */
  readonly ask?: string;
}

/** What saves to one schema; it knows the states that it has saved. Saves of a task are done in the order of their calls. */
export class Saving {
  readonly #pool: Connections;
  readonly #schema: string;
  readonly #known = new KnownStates();
  /** The root that was saved last in a task; the one used last comes last. */
  readonly #last = new Map<string, number>();
  readonly #queues = new Map<string, Promise<unknown>>();
  #ids: string[] = [];
  #idsWanted = IDS_AHEAD.least;
  /** Nodes that this process knows may have gone when another one has collected. */
  #epoch = '';

  constructor(pool: Connections, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
  }

  /**
   * One transaction: the state's new nodes, the row, and what it evicts. Three times to the server and back as a rule: the
   * locks and what is there; what is written; what came of it, and the end.
   * @throws InspectorError invalid_input | changed | too_large | busy
   */
  async save(
    checkpoint: NewCheckpoint | NewValue,
    options: SaveOptions,
    { store, maxPerTask }: SaveContext,
  ): Promise<CheckpointMeta> {
    // All that is asked of what was given, at once: its caller may change it meanwhile.
    const fields = checkpointToFields(checkpoint, () => new Date());
    const ref = refIn(checkpoint.task, checkpoint);
    const parent = checkpoint.parent && { ...checkpoint.parent };
    checkTexts(fields);
    const given = this.#given(checkpoint, options);
    assertRowFits(fields, undefined, given.shared.state.bytes);
    return this.#inOrder(ref.task, async () => {
      const look = lookSql(ref, parent, Math.max(0, this.#idsWanted - this.#ids.length));
      const done = await this.#write({ task: ref.task, look }, async (writer) => {
        const looked = this.#look(writer);
        if (looked.present !== null && options.ifExists === 'refuse') throw alreadyStored(ref);
        const { state, nodes, whole, row } = await this.#state(writer, given, looked);
        await writer.prepared(SAVE, [...listsOf(nodes), whole, ...valuesIn({ ...fields, ...row }, COLUMNS)]);
        const isNew = looked.present === null;
        const count = looked.count + (isNew ? 1 : 0);
        const replaced = isNew || Number(looked.present) === row.root ? 0 : 1;
        const isFull = maxPerTask !== undefined && count > maxPerTask;
        const isDue = isFull
          ? await evict(writer, ref, { keep: maxPerTask, replaced, options })
          : await replace(writer, replaced);
        return { state, root: row.root, epoch: looked.epoch, isDue, ask: placedSql(rowSql(ref)) };
      });
      if (done.epoch === this.#epoch) this.#remember(ref.task, done.root, done.state);
      const placed = placedIn(done.asked);
      if (placed) return rowToMeta(store, placed);
      throw new InspectorError('changed', `Checkpoint "${ref.id}" was evicted at once.`, { data: { ...ref } });
    });
  }

  /** True where it was there. */
  remove(ref: CheckpointRef): Promise<boolean> {
    return this.#remove(ref.task, REMOVE, keyOf(ref)).then((gone) => gone > 0);
  }

  /** How many checkpoints there were. */
  removeTask(task: string): Promise<number> {
    return this.#remove(task, REMOVE_TASK, [task]);
  }

  #remove(task: string, sql: string, values: readonly string[]): Promise<number> {
    return this.#inOrder(task, async () => {
      const { gone } = await this.#write({ task }, async (writer) => {
        const rows = await writer.query(sql, values);
        return { gone: rows.length, isDue: await isDueAfterRemoval(writer, rows.length) };
      });
      return gone;
    });
  }

  async saveWrites(task: string, rows: readonly NativeRow[], { ifExists = 'replace' }: WriteOptions): Promise<void> {
    for (const row of rows) checkTexts(row);
    if (rows.length === 0) return;
    await this.#inOrder(task, () =>
      this.#write({ task }, async (writer) => {
        await writer.query(writesSql(ifExists), [...writeLists(rows, ifExists), task]);
        return { isDue: false };
      }),
    );
  }

  /** What a collection is due after is collected in the same transaction, unless others are saving: then right after it. */
  async #write<T extends Written>(
    { task, look }: { readonly task: string; readonly look?: string },
    work: (writer: PostgresWriter<Looked>) => Promise<T>,
  ): Promise<T & { readonly asked: readonly Row[] }> {
    const transaction = { schema: this.#schema, lock: { task }, ...(look === undefined ? {} : { look }) };
    const done = await writePostgres(this.#pool, transaction, async (writer: PostgresWriter<Looked>) => {
      const result = await work(writer);
      const isNow = result.isDue && (await isAlone(writer, this.#schema));
      if (isNow) await collectIn(writer);
      const asked = result.ask === undefined ? [] : await writer.commit<Row>(result.ask);
      return { ...result, asked, isLeft: result.isDue && !isNow };
    }).catch((error: unknown) => {
      // A server that crashed may give them to others.
      this.#ids = [];
      throw error;
    });
    if (done.isLeft) await writePostgres(this.#pool, { schema: this.#schema, lock: 'store' }, collectIn);
    return done;
  }

  #given(checkpoint: NewCheckpoint | NewValue, { immutable }: SaveOptions): Given {
    const before = this.#known.get(this.#last.get(checkpoint.task) ?? 0);
    if (!('value' in checkpoint)) {
      const values = jsonIn(checkpoint.text);
      const again = (other: SharedState | undefined) => share(values, { hash: sha256, before: other });
      return { shared: again(before), before, again, text: checkpoint.text };
    }
    const { value } = checkpoint;
    const shared = share(value, { hash: sha256, before, immutable });
    // What may change meanwhile is read from what was just made of it.
    const again = (other: SharedState | undefined) =>
      share(immutable ? value : valuesOfState(shared.state), { hash: sha256, before: other, immutable });
    return { shared, before, again };
  }

  #look({ looked: [looked] }: PostgresWriter<Looked>): Looked {
    if (!looked) throw new InspectorError('unreadable', 'The store says nothing of itself.');
    // Nobody collects while a writer is under way: what is known of this epoch is there until the end.
    if (looked.epoch !== this.#epoch) this.#forget();
    this.#epoch = looked.epoch;
    if (looked.ids !== '{}') this.#ids.push(...looked.ids.slice(1, -1).split(','));
    return looked;
  }

  #forget(): void {
    this.#known.clear();
    this.#last.clear();
    this.#ids = [];
  }

  #remember(task: string, root: number, state: SharedState): void {
    this.#known.set(root, state);
    this.#last.delete(task);
    this.#last.set(task, root);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_TASKS && oldest !== undefined) this.#last.delete(oldest);
  }

  async #state(writer: PostgresReader, { shared, before, again, text }: Given, looked: Looked) {
    const found = await this.#before(writer, looked);
    const made = found === before ? shared : again(found);
    const { node, bytes } = made.state;
    // Tokens keep their source, so only the white space between them can be lost.
    const size = text === undefined ? bytes : Buffer.byteLength(text);
    const [last = NO_NODES] = await this.#writeMost(writer, made);
    const revision = text === undefined ? OF_NODES + node.hash : sha256(text);
    return {
      state: made.state,
      nodes: last,
      whole: size === bytes ? null : (text ?? null),
      row: { state_hash: revision, size_bytes: size, root: node.id },
    };
  }

  /** New nodes but those of the last statement. */
  async #writeMost(writer: PostgresReader, { fresh }: Shared): Promise<NodeColumns[]> {
    const missing = fresh.length - this.#ids.length;
    const more = missing > 0 ? await writer.query<{ id: string }>(newIds(missing)) : [];
    giveIds(fresh, [...this.#ids.splice(0, fresh.length), ...more.map(({ id }) => id)]);
    this.#idsWanted = Math.min(Math.max(2 * fresh.length, IDS_AHEAD.least), IDS_AHEAD.most);
    const all = columnsOf(fresh);
    for (const nodes of all.slice(0, -1)) await writer.query(INSERT_NODES, listsOf(nodes));
    return all.slice(-1);
  }

  async #before(writer: PostgresReader, { parent, present, latest, hash }: Looked): Promise<SharedState | undefined> {
    const root = parent ?? present ?? latest;
    if (root === null) return undefined;
    const known = this.#known.get(Number(root));
    // A server that lost what it had acknowledged gives its ids away again.
    if (known?.node.hash === hash) return known;
    try {
      return await readSharedFrom(writer, Number(root));
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
const listsOf = ({ ids, kinds, hashes, bodies }: NodeColumns): string[][] => [ids, kinds, hashes, bodies];

function rowSql(ref: CheckpointRef): RowSql {
  const [task, namespace, id] = keyOf(ref);
  return [quotedText(task), quotedText(namespace), quotedText(id)];
}

function jsonIn(text: string): unknown {
  try {
    return valuesOf(text);
  } catch (cause) {
    throw notJson(cause);
  }
}

/** First saved, first out. True where a collection is due. */
async function evict(
  writer: PostgresWriter<Looked>,
  { task, namespace }: CheckpointRef,
  { keep, replaced, options }: { readonly keep: number; readonly replaced: number; readonly options: SaveOptions },
): Promise<boolean> {
  const given = [task, keep, namespace ? 1 : 0, replaced];
  const [row] = await writer.prepared<Evicted>(EVICT, given);
  const rows = JSON.parse(row?.evicted ?? '[]') as readonly { readonly namespace: string; readonly id: string }[];
  checkEvicted(
    options,
    rows.map((one) => refIn(task, one)),
  );
  return isDueAfterSave(writer, rows.length + replaced, Number(row?.removed ?? 0));
}

/** True where a collection is due. */
const replace = async (writer: PostgresReader, replaced: number): Promise<boolean> =>
  replaced > 0 && isDueAfterSave(writer, replaced, await countRemoved(writer, replaced));

/** @throws InspectorError invalid_input for what a database keeps nowhere, or has no index for */
export function checkTexts(row: NativeRow): void {
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
