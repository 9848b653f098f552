import {
  InspectorError,
  createPause,
  noCheckpoint,
  paced,
  refKey,
  refOfKey,
  sortedPage,
  toEnd,
  untilAborted,
  type CallOptions,
  type Changeable,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type InSteps,
  type Latest,
  type LineageRow,
  type Page,
  type PageQuery,
  type Plan,
  type State,
  type StoreEvent,
  type StoreId,
  type StoreInfo,
  type SystemRequest,
  type Task,
  type TaskQuery,
  type Unwatch,
} from '@checkpoint-inspector/core';
import { FolderIndex, realPath, sha256, type FolderListing, type FolderReader } from '@checkpoint-inspector/io';
import { access, constants } from 'node:fs/promises';
import type { PlanBasis } from './plan.ts';
import {
  compare,
  findRow,
  newestFirstOf,
  readStored,
  type FolderRow,
  type FolderSnapshot,
  type FolderTask,
  type StoredDocument,
} from './rows.ts';
import { textOfBytes } from './document.ts';

export interface FolderOptions {
  readonly id: StoreId;
  readonly label: string;
  readonly location: string;
  /** Folder of the checkpoint files, absolute. */
  readonly folder: string;
  /** Where what was read of a large folder is kept for the next time. Default: in memory only. */
  readonly stateFolder?: string | undefined;
  /** The clock; for tests. */
  readonly now?: () => Date;
}

/** How a store is called, in `info`. */
export type StoreNames = Pick<StoreInfo, 'id' | 'label'> & { readonly location: string; readonly identity: string };

/** What a system says of a store; how much of it has been read, the source knows. */
export type FolderInfo = Omit<StoreInfo, 'indexed'>;

/** What a system says of a folder of its documents. */
export interface FolderRules<F extends StoredDocument, R extends FolderRow<F>, S extends FolderSnapshot<R>> {
  /** Pure; tasks whose files are as before are taken over. */
  readonly snapshotOf: (listing: FolderListing<F>, before?: S) => InSteps<S>;
  readonly reader: FolderReader<F>;
  /** `writable` false where this user may not write into the folder. */
  readonly info: (names: StoreNames, snapshot: S, writable: boolean) => FolderInfo;
  readonly title: (task: FolderTask<R>) => string;
  /** `undefined` for a task that is not listed. Asked once for each: a task that is taken over is as it was. */
  readonly task: (store: StoreId, task: FolderTask<R>, snapshot: S) => InSteps<Task | undefined>;
  readonly meta: (store: StoreId, row: R, snapshot: S) => CheckpointMeta;
  readonly lineage: (row: R, snapshot: S) => LineageRow;
  /** Asked only where `info` says that it can be done. */
  readonly plan: (request: SystemRequest, basis: PlanBasis<S>) => Promise<Plan>;
  /** What a cursor remembers of a row beside its ref; default: its place. */
  readonly placeOf?: (row: R) => readonly string[];
  /** True for rows behind such a place. */
  readonly isAfter?: (row: R, place: readonly string[]) => boolean;
}

/** Between so many rows of a lineage, others may get their turn. */
const BREATH = 200;

/** Which of the rows, by their places, come after one that is gone. Rows above that came or went shift the places. */
const bySeq = (row: FolderRow, [seq]: readonly string[]): boolean => row.seq < Number(seq);

/** What the folder had at one look, and what the system makes of it. */
interface Moment<F extends StoredDocument, S> {
  readonly listing: FolderListing<F>;
  readonly snapshot: S;
}

/** How much the answer is made of, where that isn't all of the folder. */
const partOf = ({ files, unread }: FolderListing<StoredDocument>): Pick<Page<never>, 'partial'> =>
  unread > 0 ? { partial: { n: files.length, of: files.length + unread } } : {};

/** A folder of one document per checkpoint. Reading never writes; a system adds its rules, and its plans. */
export abstract class FolderSource<F extends StoredDocument, R extends FolderRow<F>, S extends FolderSnapshot<R>>
  implements CheckpointSource, Changeable
{
  protected readonly options: FolderOptions;
  protected readonly index: FolderIndex<F>;
  readonly #rules: FolderRules<F, R, S>;
  readonly #names: StoreNames;
  readonly #listeners = new Set<() => void>();
  #last: Moment<F, S>;
  #placing: Promise<unknown> = Promise.resolve();
  readonly #pause = createPause();
  readonly #tasks = new WeakMap<FolderTask<R>, Promise<Task | undefined>>();
  #writable = true;
  #info: FolderInfo | undefined;

  protected constructor(options: FolderOptions, rules: FolderRules<F, R, S>) {
    const { id, label, location, folder } = options;
    const identity = realPath(folder);
    this.options = options;
    this.index = new FolderIndex(folder, rules.reader, { stateFolder: options.stateFolder });
    this.#rules = rules;
    this.#names = { id, label, location, identity };
    const listing = { files: [], others: [], unread: 0 };
    this.#last = { listing, snapshot: toEnd(rules.snapshotOf(listing)) };
  }

  /** The first reading: all of a small folder, the newest of a large one. @throws InspectorError not_found | unreadable */
  protected async opened(): Promise<this> {
    this.#writable = await access(this.options.folder, constants.W_OK).then(
      () => true,
      () => false,
    );
    this.index.start();
    await this.snapshot({ partial: true });
    return this;
  }

  /** As of the last reading. */
  get info(): StoreInfo {
    this.#info ??= this.#rules.info(this.#names, this.#last.snapshot, this.#writable);
    return { ...this.#info, indexed: this.index.coverage };
  }

  async tasks(query: TaskQuery = {}): Promise<Page<Task>> {
    const { listing, snapshot } = await this.#now(query);
    const text = query.text?.toLowerCase() ?? '';
    const found: Task[] = [];
    for (const task of snapshot.tasks.values()) {
      if (!`${task.id}\n${this.#rules.title(task)}`.toLowerCase().includes(text)) continue;
      const listed = await this.#taskOf(task, snapshot);
      if (listed) found.push(listed);
    }
    const tasks = found.toSorted((a, b) => compare(b.updatedAt ?? '', a.updatedAt ?? '') || compare(a.id, b.id));
    const page = sortedPage(tasks, {
      limit: query.limit,
      cursor: query.cursor,
      placeOf: (task) => [task.id, task.updatedAt ?? ''],
      isAfter: (task, [, time = '']) => (task.updatedAt ?? '') < time,
    });
    return { ...page, ...partOf(listing) };
  }

  #taskOf(task: FolderTask<R>, snapshot: S): Promise<Task | undefined> {
    const known = this.#tasks.get(task) ?? paced(this.#rules.task(this.options.id, task, snapshot));
    this.#tasks.set(task, known);
    return known;
  }

  async checkpoints(task: string, query: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    const { around } = query;
    const found = await this.#look(query, (snapshot, listing) => {
      const rows = newestFirstOf(snapshot.tasks.get(task)?.rows ?? []);
      const wanted = around && findRow(snapshot, around);
      const at = around ? (wanted ? rows.indexOf(wanted) : -1) : 0;
      return rows[at] && { listing, snapshot, rows, at };
    });
    if (around && !found) throw noCheckpoint(around);
    const { placeOf = (row: R) => [String(row.seq)], isAfter = bySeq } = this.#rules;
    const rows = found?.rows ?? [];
    const page = sortedPage(rows, {
      limit: query.limit,
      cursor: query.cursor,
      around: around && found?.at,
      placeOf: (row) => [refKey(row.ref), ...placeOf(row)],
      indexOf: ([key = '']) => {
        const ref = refOfKey(key);
        const row = ref && found && findRow(found.snapshot, ref);
        return row && rows.length - row.seq;
      },
      isAfter: (row, [, ...place]) => isAfter(row, place),
    });
    const items = found ? page.items.map((row) => this.#rules.meta(this.options.id, row, found.snapshot)) : [];
    return { ...page, items, ...(found ? partOf(found.listing) : {}) };
  }

  async *lineage(task: string, options: CallOptions = {}): AsyncIterable<LineageRow> {
    const found = await this.#look(options, (snapshot) => {
      const known = snapshot.tasks.get(task);
      return known && { snapshot, rows: known.rows };
    });
    if (!found) return;
    for (const [at, row] of found.rows.entries()) {
      options.signal?.throwIfAborted();
      yield this.#rules.lineage(row, found.snapshot);
      if (at % BREATH === BREATH - 1) await this.#pause();
    }
  }

  async meta(ref: CheckpointRef, options?: CallOptions): Promise<CheckpointMeta | undefined> {
    return this.#look(options, (snapshot) => {
      const row = findRow(snapshot, ref);
      return row && this.#rules.meta(this.options.id, row, snapshot);
    });
  }

  async state(ref: CheckpointRef, options?: CallOptions): Promise<State | undefined> {
    const row = await this.#rowOf(ref, options);
    if (!row) return undefined;
    const { problem } = row.file;
    if (problem) throw new InspectorError(problem.code, problem.message, { data: { ...ref, offset: problem.offset } });
    const bytes = await this.bytesOf(row);
    await this.#pause();
    const text = await this.textOf(row, bytes);
    // Of a large state, hashing it takes as long as reading it.
    await this.#pause();
    return { text, revision: sha256(text) };
  }

  async raw(ref: CheckpointRef, options?: CallOptions): Promise<Uint8Array | undefined> {
    const row = await this.#rowOf(ref, options);
    return row && this.bytesOf(row);
  }

  async latest(task: string, options?: CallOptions): Promise<Latest> {
    return (await this.snapshot(options)).tasks.get(task)?.latest ?? { basis: 'none' };
  }

  async find(id: string, options?: CallOptions): Promise<readonly CheckpointRef[]> {
    const rows = await this.#look(options, ({ byId }) => byId.get(id));
    return rows?.map((row) => row.ref) ?? [];
  }

  /** @throws InspectorError unsupported (with the reason) | not_found | invalid_input */
  async plan(request: SystemRequest, options?: CallOptions): Promise<Plan> {
    const snapshot = await this.snapshot(options);
    const can = this.info.capabilities[request.kind];
    if (can !== true) throw new InspectorError('unsupported', can);
    const { id: store, folder, now = () => new Date() } = this.options;
    return this.#rules.plan(request, { store, folder, snapshot, now: now() });
  }

  watch(onEvent: (event: StoreEvent) => void): Unwatch {
    const listener = (): void => onEvent({});
    const unwatch = this.index.follow(listener);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      unwatch();
    };
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.index.close();
  }

  /** The state in the stored bytes of a row. @throws InspectorError unreadable | wrong_key */
  protected async textOf(_row: R, bytes: Uint8Array): Promise<string> {
    return textOfBytes(bytes);
  }

  /** The stored bytes: a file of the folder, or the part of it that is meant. */
  protected async bytesOf({ file }: R): Promise<Uint8Array> {
    return readStored(this.options.folder, file);
  }

  protected tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The folder now: what was written before a call is always seen. Unless a part will do, all of it. */
  protected async snapshot(options?: CallOptions): Promise<S> {
    return (await this.#now(options)).snapshot;
  }

  async #now(options: CallOptions = {}): Promise<Moment<F, S>> {
    return untilAborted(options.signal, async () => {
      // Whoever asks for one thing after the other lets other requests in between.
      await this.#pause();
      const listing = await this.index.read(options);
      return listing === this.#last.listing ? this.#last : this.#place(listing);
    });
  }

  /** One listing after the other, each once; other requests have their turns meanwhile. */
  #place(listing: FolderListing<F>): Promise<Moment<F, S>> {
    const placing = this.#placing.then(async () => {
      if (listing === this.#last.listing) return this.#last;
      const snapshot = await paced(this.#rules.snapshotOf(listing, this.#last.snapshot));
      this.#info = undefined;
      return (this.#last = { listing, snapshot });
    });
    this.#placing = placing.catch(() => undefined);
    return placing;
  }

  async #rowOf(ref: CheckpointRef, options?: CallOptions): Promise<R | undefined> {
    return this.#look(options, (snapshot) => findRow(snapshot, ref));
  }

  /** In a part where that is enough and has it, else in all of the folder. */
  async #look<T>(
    options: CallOptions = {},
    look: (snapshot: S, listing: FolderListing<F>) => T | undefined,
  ): Promise<T | undefined> {
    const { snapshot, listing } = await this.#now(options);
    const found = look(snapshot, listing);
    if (found !== undefined || listing.unread === 0) return found;
    const whole = await this.#now({ signal: options.signal });
    return look(whole.snapshot, whole.listing);
  }
}
