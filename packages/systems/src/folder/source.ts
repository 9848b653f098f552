import {
  InspectorError,
  noCheckpoint,
  refKey,
  sameRef,
  sortedPage,
  untilAborted,
  type CallOptions,
  type Changeable,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
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
import {
  decodeUtf8,
  FolderIndex,
  realPath,
  sha256,
  type FolderListing,
  type FolderReader,
} from '@checkpoint-inspector/io';
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

export interface FolderOptions {
  readonly id: StoreId;
  readonly label: string;
  readonly location: string;
  /** Folder of the checkpoint files, absolute. */
  readonly folder: string;
  /** The clock; for tests. */
  readonly now?: () => Date;
}

/** How a store is called, in `info`. */
export type StoreNames = Pick<StoreInfo, 'id' | 'label'> & { readonly location: string; readonly identity: string };

/** What a system says of a folder of its documents. */
export interface FolderRules<F extends StoredDocument, R extends FolderRow<F>, S extends FolderSnapshot<R>> {
  /** Pure, so that a plan can ask it about a folder that does not exist yet; tasks whose files are as before are taken over. */
  readonly snapshotOf: (listing: FolderListing<F>, before?: S) => S;
  readonly reader: FolderReader<F>;
  /** `writable` false where this user may not write into the folder. */
  readonly info: (names: StoreNames, snapshot: S, writable: boolean) => StoreInfo;
  readonly title: (task: FolderTask<R>) => string;
  /** `undefined` for a task that is not listed. */
  readonly task: (store: StoreId, task: FolderTask<R>, snapshot: S) => Task | undefined;
  readonly meta: (store: StoreId, row: R, snapshot: S) => CheckpointMeta;
  readonly lineage: (row: R, snapshot: S) => LineageRow;
  /** Asked only where `info` says that it can be done. */
  readonly plan: (request: SystemRequest, basis: PlanBasis<S>) => Promise<Plan>;
  /** What a cursor remembers of a row beside its ref; default: its place. */
  readonly placeOf?: (row: R) => readonly string[];
  /** True for rows behind such a place. */
  readonly isAfter?: (row: R, place: readonly string[]) => boolean;
}

/** Which of the rows, by their places, come after one that is gone. Rows above that came or went shift the places. */
const bySeq = (row: FolderRow, [seq]: readonly string[]): boolean => row.seq < Number(seq);

/** A folder of one document per checkpoint. Reading never writes; a system adds its rules, and its plans. */
export abstract class FolderSource<F extends StoredDocument, R extends FolderRow<F>, S extends FolderSnapshot<R>>
  implements CheckpointSource, Changeable
{
  protected readonly options: FolderOptions;
  protected readonly index: FolderIndex<F>;
  readonly #rules: FolderRules<F, R, S>;
  readonly #names: StoreNames;
  readonly #listeners = new Set<() => void>();
  #listing: FolderListing<F> = { files: [], others: [] };
  #snapshot: S;
  #writable = true;
  #info: StoreInfo | undefined;

  protected constructor(options: FolderOptions, rules: FolderRules<F, R, S>) {
    const { id, label, location, folder } = options;
    const identity = realPath(folder);
    this.options = options;
    this.index = new FolderIndex(folder, rules.reader);
    this.#rules = rules;
    this.#names = { id, label, location, identity };
    this.#snapshot = rules.snapshotOf(this.#listing);
  }

  /** The first reading. @throws InspectorError not_found | unreadable */
  protected async opened(): Promise<this> {
    this.#writable = await access(this.options.folder, constants.W_OK).then(
      () => true,
      () => false,
    );
    this.index.start();
    await this.snapshot();
    return this;
  }

  /** As of the last reading. */
  get info(): StoreInfo {
    return (this.#info ??= this.#rules.info(this.#names, this.#snapshot, this.#writable));
  }

  async tasks(query: TaskQuery = {}): Promise<Page<Task>> {
    const snapshot = await this.snapshot(query);
    const text = query.text?.toLowerCase() ?? '';
    const tasks = [...snapshot.tasks.values()]
      .filter((task) => `${task.id}\n${this.#rules.title(task)}`.toLowerCase().includes(text))
      .flatMap((task) => this.#rules.task(this.options.id, task, snapshot) ?? [])
      .toSorted((a, b) => compare(b.updatedAt ?? '', a.updatedAt ?? '') || compare(a.id, b.id));
    return sortedPage(tasks, {
      limit: query.limit,
      cursor: query.cursor,
      placeOf: (task) => [task.id, task.updatedAt ?? ''],
      isAfter: (task, [, time = '']) => (task.updatedAt ?? '') < time,
    });
  }

  async checkpoints(task: string, query: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    const snapshot = await this.snapshot(query);
    const rows = newestFirstOf(snapshot.tasks.get(task)?.rows ?? []);
    const { around } = query;
    const at = around ? rows.findIndex((row) => sameRef(row.ref, around)) : -1;
    if (around && at === -1) throw noCheckpoint(around);
    const { placeOf = (row: R) => [String(row.seq)], isAfter = bySeq } = this.#rules;
    const page = sortedPage(rows, {
      limit: query.limit,
      cursor: query.cursor,
      around: around ? at : undefined,
      placeOf: (row) => [refKey(row.ref), ...placeOf(row)],
      isAfter: (row, [, ...place]) => isAfter(row, place),
    });
    return { ...page, items: page.items.map((row) => this.#rules.meta(this.options.id, row, snapshot)) };
  }

  async *lineage(task: string, options: CallOptions = {}): AsyncIterable<LineageRow> {
    const snapshot = await this.snapshot(options);
    for (const row of snapshot.tasks.get(task)?.rows ?? []) {
      options.signal?.throwIfAborted();
      yield this.#rules.lineage(row, snapshot);
    }
  }

  async meta(ref: CheckpointRef, options?: CallOptions): Promise<CheckpointMeta | undefined> {
    const snapshot = await this.snapshot(options);
    const row = findRow(snapshot, ref);
    return row && this.#rules.meta(this.options.id, row, snapshot);
  }

  async state(ref: CheckpointRef, options?: CallOptions): Promise<State | undefined> {
    const row = await this.#rowOf(ref, options);
    if (!row) return undefined;
    const { problem } = row.file;
    if (problem) throw new InspectorError(problem.code, problem.message, { data: { ...ref, offset: problem.offset } });
    const text = await this.textOf(row, await this.bytesOf(row));
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
    return ((await this.snapshot(options)).byId.get(id) ?? []).map((row) => row.ref);
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
    return decodeUtf8(bytes);
  }

  /** The stored bytes: a file of the folder, or the part of it that is meant. */
  protected async bytesOf({ file }: R): Promise<Uint8Array> {
    return readStored(this.options.folder, file);
  }

  protected tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The folder now: what was written before a call is always seen. */
  protected async snapshot(options: CallOptions = {}): Promise<S> {
    return untilAborted(options.signal, async () => {
      const listing = await this.index.read();
      if (listing !== this.#listing) {
        this.#snapshot = this.#rules.snapshotOf(listing, this.#snapshot);
        this.#info = undefined;
      }
      this.#listing = listing;
      return this.#snapshot;
    });
  }

  async #rowOf(ref: CheckpointRef, options: CallOptions = {}): Promise<R | undefined> {
    return findRow(await this.snapshot(options), ref);
  }
}
