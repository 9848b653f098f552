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
import { access, constants } from 'node:fs/promises';
import { dotnetReader, snapshotOfIndex } from './dotnet.ts';
import { decode, FolderIndex, readRaw, sha256, type StoredFile } from './files.ts';
import { documentReader, snapshotOfDocuments } from './folder.ts';
import { infoOf, type StoreNames } from './info.ts';
import { lineageOf, metaOf, taskOf, titleOf } from './meta.ts';
import { planChange } from './plan.ts';
import { compare, findRow, notFound, type Layout, type Snapshot } from './rows.ts';

export interface AgentFrameworkOptions extends Omit<StoreNames, 'identity'> {
  /** Folder of the checkpoint files, absolute. */
  readonly folder: string;
  readonly layout: Layout;
  /** The clock; for tests. */
  readonly now?: () => Date;
}

/** A folder of Agent Framework checkpoints. Reading never writes; changes are plans of file ops. */
export class AgentFrameworkSource implements CheckpointSource, Changeable {
  readonly #options: AgentFrameworkOptions;
  readonly #index: FolderIndex;
  readonly #snapshotOf: (files: readonly StoredFile[]) => Snapshot;
  #snapshot: Snapshot;
  #writable = true;
  #reading: Promise<Snapshot>;
  #queued: Promise<Snapshot> | undefined;

  private constructor(options: AgentFrameworkOptions) {
    const dotnet = options.layout === 'dotnet';
    this.#options = options;
    this.#index = new FolderIndex(options.folder, dotnet ? dotnetReader : documentReader);
    this.#snapshotOf = dotnet ? snapshotOfIndex : snapshotOfDocuments;
    this.#snapshot = this.#snapshotOf([]);
    this.#reading = Promise.resolve(this.#snapshot);
  }

  /** @throws InspectorError not_found | unreadable */
  static async open(options: AgentFrameworkOptions): Promise<AgentFrameworkSource> {
    const source = new AgentFrameworkSource(options);
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
      placeOf: (row) => [refKey(row.ref), String(row.seq)],
      // Rows above that came or went shift the places below; by then the row itself is gone as well.
      isAfter: (row, [, seq]) => row.seq < Number(seq),
    });
    return { ...page, items: page.items.map((row) => metaOf(this.#options.id, row)) };
  }

  async *lineage(task: string): AsyncIterable<LineageRow> {
    const snapshot = await this.#refresh();
    for (const row of snapshot.tasks.get(task)?.rows ?? []) yield lineageOf(row);
  }

  async meta(ref: CheckpointRef): Promise<CheckpointMeta | undefined> {
    const snapshot = await this.#refresh();
    const row = findRow(snapshot, ref);
    return row && metaOf(this.#options.id, row);
  }

  async state(ref: CheckpointRef): Promise<State | undefined> {
    const row = findRow(await this.#refresh(), ref);
    if (!row) return undefined;
    const { problem } = row.file;
    if (problem) throw new InspectorError(problem.code, problem.message, { data: { ...ref, offset: problem.offset } });
    const text = decode(await readRaw(this.#options.folder, row.file));
    return { text, revision: sha256(text) };
  }

  async raw(ref: CheckpointRef): Promise<Uint8Array | undefined> {
    const row = findRow(await this.#refresh(), ref);
    return row && readRaw(this.#options.folder, row.file);
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
    return planChange(request, { store, folder, snapshot, now: now() });
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
      if (files !== this.#snapshot.files) this.#snapshot = this.#snapshotOf(files);
      return this.#snapshot;
    });
    return this.#reading;
  }
}
