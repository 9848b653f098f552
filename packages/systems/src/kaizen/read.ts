import {
  InspectorError,
  refKey,
  sameRef,
  type StoreEvent,
  type Changeable,
  type SystemRequest,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type Latest,
  type LineageRow,
  type Page,
  type PageQuery,
  type Plan,
  type State,
  type StoreInfo,
  type Task,
  type TaskQuery,
  type Unwatch,
  sortedPage,
} from '@checkpoint-inspector/core';
import { realPath, watchFolder } from '@checkpoint-inspector/io';
import type { KeyObject } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { decodeDocument } from './codec.ts';
import { keysOfText } from './crypt.ts';
import { FolderIndex, readRaw, sha256, stateText } from './files.ts';
import { infoOf, type StoreNames } from './info.ts';
import { lineageOf, metaOf, taskOf, titleOf } from './meta.ts';
import { planChange } from './plan.ts';
import { findKey } from './unlock.ts';
import { compare, findRow, notFound, snapshotOf, type Snapshot } from './rows.ts';

export interface KaizenOptions extends Omit<StoreNames, 'identity'> {
  /** Folder of the checkpoint files, absolute. */
  readonly folder: string;
  /** The clock; for tests. */
  readonly now?: () => Date;
}

/** A folder of Kaizen checkpoint files. Reading never writes; changes are plans of file ops. */
export class KaizenSource implements CheckpointSource, Changeable {
  readonly #options: KaizenOptions;
  readonly #index: FolderIndex;
  readonly #listeners = new Set<() => void>();
  /** In memory only, until `close`. */
  #keys: readonly KeyObject[] = [];
  #snapshot: Snapshot = snapshotOf({ files: [], logs: [] });
  #writable = true;
  #reading: Promise<Snapshot> = Promise.resolve(this.#snapshot);
  #queued: Promise<Snapshot> | undefined;

  private constructor(options: KaizenOptions) {
    this.#options = options;
    this.#index = new FolderIndex(options.folder);
  }

  /** @throws InspectorError not_found | unreadable */
  static async open(options: KaizenOptions): Promise<KaizenSource> {
    const source = new KaizenSource(options);
    source.#writable = await access(options.folder, constants.W_OK).then(
      () => true,
      () => false,
    );
    await source.#refresh();
    return source;
  }

  get info(): StoreInfo {
    const { id, label, location, folder } = this.#options;
    return infoOf({ id, label, location, identity: realPath(folder) }, this.#snapshot, this.#writable);
  }

  /**
   * Opens the encrypted files that this key fits, in memory and for this session; they join their agents. A store
   * with several keys is unlocked once with each.
   * @param key a passphrase, or a raw key as 64 hex digits
   * @throws InspectorError invalid_input (blank) | wrong_key (there are encrypted files, and it opens none)
   */
  async unlock(key: string): Promise<void> {
    const candidates = await keysOfText(key);
    const { folder } = await this.#refresh();
    const fitting = await findKey(this.#options.folder, folder.files, candidates);
    const fresh = fitting.filter((found) => !this.#keys.some((known) => known.equals(found)));
    if (fresh.length === 0) return;
    this.#keys = [...this.#keys, ...fresh];
    this.#index.useKeys(this.#keys);
    await this.#refresh();
    for (const listener of this.#listeners) listener();
  }

  async tasks(query: TaskQuery = {}): Promise<Page<Task>> {
    const snapshot = await this.#refresh();
    const text = query.text?.toLowerCase() ?? '';
    const tasks = [...snapshot.tasks.values()]
      .filter((task) => `${task.id}\n${titleOf(task)}`.toLowerCase().includes(text))
      .map((task) => taskOf(this.#options.id, task))
      .toSorted((a, b) => compare(b.updatedAt ?? '', a.updatedAt ?? '') || compare(a.id, b.id));
    return sortedPage(tasks, {
      limit: query.limit,
      cursor: query.cursor,
      placeOf: (task) => [task.id, task.updatedAt ?? ''],
      isAfter: (task, [, time = '']) => (task.updatedAt ?? '') < time,
    });
  }

  async checkpoints(task: string, query: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    const snapshot = await this.#refresh();
    const rows = (snapshot.tasks.get(task)?.rows ?? []).toReversed();
    const { around } = query;
    const at = around ? rows.findIndex((row) => sameRef(row.ref, around)) : -1;
    if (around && at === -1) throw notFound(around);
    const page = sortedPage(rows, {
      limit: query.limit,
      cursor: query.cursor,
      around: around ? at : undefined,
      placeOf: (row) => [refKey(row.ref), row.file.facts?.time?.micros.toString() ?? ''],
      isAfter: (row, [, time = '']) => /^-?\d+$/.test(time) && (row.file.facts?.time?.micros ?? 0n) < BigInt(time),
    });
    return { ...page, items: page.items.map((row) => metaOf(this.#options.id, row, snapshot)) };
  }

  async *lineage(task: string): AsyncIterable<LineageRow> {
    const snapshot = await this.#refresh();
    for (const row of snapshot.tasks.get(task)?.rows ?? []) yield lineageOf(row);
  }

  async meta(ref: CheckpointRef): Promise<CheckpointMeta | undefined> {
    const snapshot = await this.#refresh();
    const row = findRow(snapshot, ref);
    return row && metaOf(this.#options.id, row, snapshot);
  }

  async state(ref: CheckpointRef): Promise<State | undefined> {
    const row = findRow(await this.#refresh(), ref);
    if (!row) return undefined;
    const { problem } = row.file;
    if (problem) throw new InspectorError(problem.code, problem.message, { data: { ...ref, offset: problem.offset } });
    const bytes = await readRaw(this.#options.folder, row.file.name);
    const text = stateText((await decodeDocument(row.file.variant, bytes, this.#keys)).text);
    return { text, revision: sha256(text) };
  }

  async raw(ref: CheckpointRef): Promise<Uint8Array | undefined> {
    const row = findRow(await this.#refresh(), ref);
    return row && readRaw(this.#options.folder, row.file.name);
  }

  async latest(task: string): Promise<Latest> {
    const snapshot = await this.#refresh();
    return snapshot.tasks.get(task)?.latest ?? { basis: 'none' };
  }

  async find(id: string): Promise<readonly CheckpointRef[]> {
    const snapshot = await this.#refresh();
    return (snapshot.byId.get(id) ?? []).map((row) => row.ref);
  }

  async plan(request: SystemRequest): Promise<Plan> {
    const snapshot = await this.#refresh();
    const can = this.info.capabilities[request.kind];
    if (can !== true) throw new InspectorError('unsupported', can);
    const { id: store, folder, now = () => new Date() } = this.#options;
    return planChange(request, { store, folder, snapshot, now: now(), keys: this.#keys });
  }

  watch(onEvent: (event: StoreEvent) => void): Unwatch {
    const listener = (): void => onEvent({});
    const unwatch = watchFolder(this.#options.folder, listener);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      unwatch();
    };
  }

  /** Forgets the keys: encrypted files are locked again. */
  async close(): Promise<void> {
    this.#listeners.clear();
    this.#keys = [];
    this.#index.useKeys([]);
  }

  /** Calls that come while a reading runs share the next one: what was written before a call is always seen. */
  #refresh(): Promise<Snapshot> {
    this.#queued ??= this.#reading.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#queued;
  }

  #start(): Promise<Snapshot> {
    this.#queued = undefined;
    this.#reading = this.#index.read().then((folder) => {
      if (folder !== this.#snapshot.folder) this.#snapshot = snapshotOf(folder);
      return this.#snapshot;
    });
    return this.#reading;
  }
}
