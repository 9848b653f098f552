import {
  decodeCursor,
  diffGrown,
  encodeCursor,
  InspectorError,
  noCheckpoint,
  pageLimit,
  sortedPage,
  untilAborted,
  type Beside,
  type CallOptions,
  type Changeable,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type DiffOptions,
  type Latest,
  type LineageRow,
  type Page,
  type PageQuery,
  type Plan,
  type RowCapabilities,
  type State,
  type StateDiff,
  type StoreEvent,
  type StoreInfo,
  type SystemRequest,
  type TaskPage,
  type TaskQuery,
  type Unwatch,
} from '@checkpoint-inspector/core';
import { realPath, sha256 } from '@checkpoint-inspector/io';
import type { FoundMark, Line, LogBasis, LogExtras, LogOptions, LogRules } from './contract.ts';
import { followLogs } from './follow.ts';
import { lineageOf, metaOf, taskOf, type Row } from './listing.ts';
import { LogStore, type OpenSession } from './store.ts';

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Logs as a store. Nothing is read whole for a list of tasks; a session is read once, then what is appended. */
export class LogSource implements CheckpointSource, Changeable {
  readonly #options: LogOptions;
  readonly #rules: LogRules;
  readonly #store: LogStore;
  readonly #identity: string;
  readonly #watches = new Set<Unwatch>();
  #extras: LogExtras = {};

  private constructor(options: LogOptions, rules: LogRules) {
    this.#options = options;
    this.#rules = rules;
    this.#store = new LogStore(options, rules);
    this.#identity = realPath(options.root);
  }

  /** @throws InspectorError not_found | unreadable */
  static async open(options: LogOptions, rules: LogRules): Promise<LogSource> {
    const source = new LogSource(options, rules);
    await source.#store.catalog.sessions();
    source.#extras = (await rules.extras?.(options.root)) ?? {};
    return source;
  }

  get info(): StoreInfo {
    const { id, label, location } = this.#options;
    const notes = [...(this.#rules.info.notes ?? []), ...(this.#extras.notes ?? [])];
    const names = { id, label, location, identity: this.#identity, system: this.#rules.system };
    const known = { ...names, ...this.#rules.info, indexed: { n: 1, of: 1 } };
    return notes.length > 0 ? { ...known, notes } : known;
  }

  async tasks({ text = '', signal, limit, cursor }: TaskQuery = {}): Promise<TaskPage> {
    return untilAborted(signal, async () => {
      const sessions = await this.#store.catalog.sessions(signal);
      this.#extras = (await this.#rules.extras?.(this.#options.root)) ?? {};
      const wanted = text.toLowerCase();
      const tasks = [];
      for (const session of sessions.values()) {
        signal?.throwIfAborted();
        const known = await this.#store.known(session);
        const title = this.#extras.titles?.get(session.id);
        const task = taskOf(this.#options.id, this.#rules.system, session, title, known);
        if (`${task.id}\n${task.title}`.toLowerCase().includes(wanted)) tasks.push(task);
      }
      tasks.sort((a, b) => compare(b.updatedAt ?? '', a.updatedAt ?? '') || compare(a.id, b.id));
      const page = sortedPage(tasks, {
        limit,
        cursor,
        placeOf: (task) => [task.updatedAt ?? '', task.id],
        isAfter: (task, [time = '', id = '']) =>
          task.updatedAt === time ? task.id > id : (task.updatedAt ?? '') < time,
      });
      return { ...page, of: tasks.length };
    });
  }

  async checkpoints(task: string, query: PageQuery = {}): Promise<Page<CheckpointMeta>> {
    const limit = pageLimit(query.limit);
    // Told before anything is read: a cursor of another list is the caller's mistake.
    const [behind, id] = query.cursor === undefined ? [] : decodeCursor(query.cursor, ['number', 'string']);
    const open = await this.#open(task, query);
    const { around } = query;
    const wanted = around && (around.namespace ? undefined : open?.indexOf(around.id));
    if (around && wanted === undefined) throw noCheckpoint(around);
    if (!open) return { items: [] };
    const last = open.length - 1;
    const known = typeof id === 'string' ? open.indexOf(id) : undefined;
    const first = known === undefined ? Number(behind ?? last + 1) - 1 : known - 1;
    const start = wanted === undefined ? first : Math.min(last, wanted + Math.floor(limit / 2));
    const rows: Row[] = [];
    const { latest } = open;
    for (let at = start; at >= 0 && rows.length < limit; at--) rows.push(open.row(at, latest));
    const items = rows.map((row) => metaOf(this.#options.id, row));
    const end = rows.at(-1);
    if (!end || end.seq === 1) return { items };
    return { items, cursor: encodeCursor([end.seq - 1, end.mark.id]) };
  }

  async *lineage(task: string, options: CallOptions = {}): AsyncIterable<LineageRow> {
    const open = await this.#open(task, options);
    if (!open) return;
    const { length, latest } = open;
    for (let at = 0; at < length; at++) {
      options.signal?.throwIfAborted();
      yield lineageOf(open.row(at, latest));
    }
  }

  async meta(ref: CheckpointRef, options?: CallOptions): Promise<CheckpointMeta | undefined> {
    const open = ref.namespace ? undefined : await this.#open(ref.task, options);
    const at = open?.indexOf(ref.id);
    options?.signal?.throwIfAborted();
    return open && at !== undefined ? metaOf(this.#options.id, open.row(at)) : undefined;
  }

  async state(ref: CheckpointRef, options?: CallOptions): Promise<State | undefined> {
    const open = ref.namespace ? undefined : await this.#open(ref.task, options);
    options?.signal?.throwIfAborted();
    const found = open?.find(ref.id);
    if (!found) return undefined;
    const { problem } = found.mark;
    if (problem) throw new InspectorError(problem.code, problem.message, { data: { ...ref, offset: problem.offset } });
    const text = await this.#store.text(found, options);
    return { text, revision: sha256(text), derived: this.#rules.derived };
  }

  async diff(
    a: CheckpointRef,
    b: CheckpointRef,
    { signal, ...options }: CallOptions & DiffOptions = {},
  ): Promise<StateDiff | undefined> {
    if (!this.#rules.growth || a.namespace || b.namespace) return undefined;
    const [before, after] = [await this.#open(a.task, { signal }), await this.#open(b.task, { signal })];
    const [old, own] = [before?.find(a.id), after?.find(b.id)];
    if (!old || !own || old.mark.problem || own.mark.problem) return undefined;
    const grown = await this.#store.grown(old, own, signal);
    signal?.throwIfAborted();
    return grown && diffGrown(grown, options);
  }

  async raw(ref: CheckpointRef, options?: CallOptions): Promise<Uint8Array | undefined> {
    const open = ref.namespace ? undefined : await this.#open(ref.task, options);
    options?.signal?.throwIfAborted();
    const found = open?.find(ref.id);
    return found && Uint8Array.from(await this.#store.bytes.range(found.file, found.start, found.mark.end));
  }

  async beside(ref: CheckpointRef, options?: CallOptions): Promise<Beside | undefined> {
    const open = ref.namespace ? undefined : await this.#open(ref.task, options);
    options?.signal?.throwIfAborted();
    const found = open?.find(ref.id);
    if (!found || found.mark.problem) return undefined;
    const lines: Line[] = [];
    if (this.#rules.beside) {
      await this.#store.bytes.lines(found.file, found.start, found.mark.end, ({ bytes, ...place }) =>
        lines.push({ bytes: Buffer.from(bytes), ...place }),
      );
      return this.#rules.beside(found, lines);
    }
    const { error } = found.mark;
    return error === undefined ? undefined : { error, errors: [{ text: error }], own: true, requests: [] };
  }

  async capability(ref: CheckpointRef, options?: CallOptions): Promise<RowCapabilities> {
    const open = ref.namespace ? undefined : await this.#open(ref.task, options);
    options?.signal?.throwIfAborted();
    const found = open?.find(ref.id);
    return (open && found && this.#rules.capability?.(found, open.length)) ?? {};
  }

  async latest(task: string, options?: CallOptions): Promise<Latest> {
    const open = await this.#open(task, options);
    const at = open?.latest;
    if (!open || at === undefined) return { basis: 'none' };
    const { note } = open;
    return { ref: { task, id: open.row(at).mark.id }, basis: 'rule', ...(note === undefined ? {} : { note }) };
  }

  async find(id: string, { signal }: CallOptions = {}): Promise<readonly CheckpointRef[]> {
    return untilAborted(signal, () => this.#store.find(id, signal));
  }

  /** @throws InspectorError unsupported (with the reason) | not_found | invalid_input */
  async plan(request: SystemRequest, { signal }: CallOptions = {}): Promise<Plan> {
    return untilAborted(signal, async () => {
      const can = this.info.capabilities[request.kind];
      if (can !== true) throw new InspectorError('unsupported', can);
      const ref = request.kind === 'delete' ? request.refs[0] : request.ref;
      if (!ref) throw new InspectorError('invalid_input', 'Name at least one checkpoint.');
      if (!this.#rules.plan) throw new InspectorError('unsupported', 'These logs are only read here.');
      return this.#rules.plan(request, await this.#basis(ref));
    });
  }

  watch(onEvent: (event: StoreEvent) => void): Unwatch {
    const stop = followLogs(() => this.#store.catalog.stamps(), onEvent);
    this.#watches.add(stop);
    return () => {
      this.#watches.delete(stop);
      stop();
    };
  }

  async close(): Promise<void> {
    for (const stop of this.#watches) stop();
    this.#watches.clear();
    this.#store.forget();
  }

  #open(task: string, options: CallOptions = {}): Promise<OpenSession | undefined> {
    return untilAborted(options.signal, () => this.#store.open(task));
  }

  async #basis({ task }: CheckpointRef): Promise<LogBasis> {
    const found = async (ref: CheckpointRef): Promise<FoundMark> => {
      const mark = ref.namespace ? undefined : (await this.#open(ref.task))?.find(ref.id);
      if (!mark) throw noCheckpoint(ref);
      return mark;
    };
    const marks = async (of: string): Promise<FoundMark[]> => {
      const open = await this.#open(of);
      if (!open) return [];
      const { length, latest } = open;
      return Array.from({ length }, (_, at) => open.at(at, latest));
    };
    return {
      store: this.#options.id,
      root: this.#options.root,
      now: (this.#options.now ?? (() => new Date()))(),
      latest: await this.latest(task),
      mark: found,
      marks,
      files: async () => [...(await this.#store.catalog.sessions()).values()].flatMap(({ parts }) => parts),
      chain: (mark) => this.#store.chain(mark),
      lines: ({ file, start, end }, each) => this.#store.bytes.lines(file, start, end, each),
      state: async (ref) => this.#store.text(await found(ref)),
      raw: ({ file, start, mark }) => this.#store.bytes.range(file, start, mark.end),
    };
  }
}
