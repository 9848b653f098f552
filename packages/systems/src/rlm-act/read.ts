import {
  InspectorError,
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
} from '@checkpoint-inspector/core';
import { realPath, watchFolder } from '@checkpoint-inspector/io';
import { access, constants } from 'node:fs/promises';
import { FolderIndex, readRaw, readText, sha256 } from './files.ts';
import { infoOf, type StoreNames } from './info.ts';
import { lineageOf, metaOf, taskOf } from './meta.ts';
import { taskOfFolder } from './names.ts';
import { badCursor, limitOf, pageOf } from './page.ts';
import { planChange } from './plan.ts';
import { findRow, snapshotOf, type Snapshot } from './rows.ts';

export interface RlmActOptions extends Omit<StoreNames, 'identity'> {
  /** Folder of the checkpoint files, absolute. */
  readonly folder: string;
  /** The clock; for tests. */
  readonly now?: () => Date;
}

/** A project's folder of rlm-act checkpoints: one task. Reading never writes; changes are plans of file ops. */
export class RlmActSource implements CheckpointSource, Changeable {
  readonly #options: RlmActOptions;
  readonly #index: FolderIndex;
  #snapshot: Snapshot;
  #writable = true;
  #reading: Promise<Snapshot>;
  #queued: Promise<Snapshot> | undefined;

  private constructor(options: RlmActOptions) {
    this.#options = options;
    this.#index = new FolderIndex(options.folder);
    this.#snapshot = snapshotOf(taskOfFolder(options.folder), []);
    this.#reading = Promise.resolve(this.#snapshot);
  }

  /** @throws InspectorError not_found | unreadable */
  static async open(options: RlmActOptions): Promise<RlmActSource> {
    const source = new RlmActSource(options);
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

  async tasks(query: TaskQuery = {}): Promise<Page<Task>> {
    limitOf(query.limit);
    // One task is one page, so no list has ever given a cursor.
    if (query.cursor !== undefined) throw badCursor();
    const task = taskOf(this.#options.id, await this.#refresh());
    const found = task?.title.toLowerCase().includes(query.text?.toLowerCase() ?? '');
    return { items: task && found ? [task] : [] };
  }

  async checkpoints(task: string, query: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    const snapshot = await this.#refresh();
    const page = pageOf(task === snapshot.task ? snapshot : snapshotOf(task, []), query);
    return { ...page, items: page.items.map((row) => metaOf(this.#options.id, row, snapshot)) };
  }

  async *lineage(task: string): AsyncIterable<LineageRow> {
    const snapshot = await this.#refresh();
    if (task !== snapshot.task) return;
    for (const row of snapshot.rows) yield lineageOf(row, snapshot);
  }

  async meta(ref: CheckpointRef): Promise<CheckpointMeta | undefined> {
    const snapshot = await this.#refresh();
    const row = findRow(snapshot, ref);
    return row && metaOf(this.#options.id, row, snapshot);
  }

  async state(ref: CheckpointRef): Promise<State | undefined> {
    const row = findRow(await this.#refresh(), ref);
    if (!row) return undefined;
    const { problem, entry } = row.file;
    if (problem) throw new InspectorError(problem.code, problem.message, { data: { ...ref, offset: problem.offset } });
    const { text } = await readText(this.#options.folder, entry.name);
    return { text, revision: sha256(text) };
  }

  async raw(ref: CheckpointRef): Promise<Uint8Array | undefined> {
    const row = findRow(await this.#refresh(), ref);
    return row && readRaw(this.#options.folder, row.file.entry.name);
  }

  async latest(task: string): Promise<Latest> {
    const snapshot = await this.#refresh();
    return task === snapshot.task ? snapshot.latest : { basis: 'none' };
  }

  async find(id: string): Promise<readonly CheckpointRef[]> {
    const { task, rows } = await this.#refresh();
    return rows.some((row) => row.ref.id === id) ? [{ task, id }] : [];
  }

  async plan(request: SystemRequest): Promise<Plan> {
    const snapshot = await this.#refresh();
    const { id: store, folder, now = () => new Date() } = this.#options;
    return planChange(request, { store, folder, snapshot, now: now(), can: this.info.capabilities });
  }

  watch(onEvent: (event: StoreEvent) => void): Unwatch {
    return watchFolder(this.#options.folder, () => onEvent({}));
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
    this.#reading = this.#index.read().then((files) => {
      if (files !== this.#snapshot.files) this.#snapshot = snapshotOf(this.#snapshot.task, files);
      return this.#snapshot;
    });
    return this.#reading;
  }
}
