import {
  InspectorError,
  planList,
  sameRef,
  sha256Hex,
  type SystemRequest,
  type Changeable,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type LineageRow,
  type Page,
  type Plan,
  type Job,
  type State,
  type StoreInfo,
} from '@checkpoint-inspector/core';
import { storeId } from '@checkpoint-inspector/core';
import { filesJob, openSqlite, sqliteJob } from '@checkpoint-inspector/io';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const TASK = 'run';
export const STORE = storeId('test');

export interface Item {
  readonly ref: CheckpointRef;
  readonly bytes: Uint8Array;
  /** File name. */
  readonly where: string;
}

export interface Write {
  readonly from: Item;
  readonly to: string;
  /** Absent: the bytes of `from`. */
  readonly bytes?: Uint8Array;
}

/** A small store with one task; the greatest id is the latest, and at most `keep` stay. It reads again at every call. */
export abstract class TestStore implements CheckpointSource, Changeable {
  readonly info: StoreInfo;
  readonly path: string;
  readonly keep: number;

  constructor(path: string, keep: number, id = STORE) {
    this.path = path;
    this.keep = keep;
    this.info = {
      id,
      system: 'test',
      label: 'test',
      location: path,
      identity: path,
      latestRule: 'greatest id',
      volatilePaths: [],
      indexed: { n: 0, of: 0 },
      capabilities: { restore: true, fork: 'no forks here', edit: true, delete: true },
    };
  }

  /** Oldest first. */
  abstract items(): Promise<Item[]>;
  abstract job(writes: Write[], removes: Item[]): Promise<Job>;

  async tasks() {
    return { items: [] };
  }

  async checkpoints(): Promise<Page<CheckpointMeta>> {
    const items = (await this.items()).reverse();
    return { items: items.map(({ ref, bytes }, at) => ({ ...meta(ref, bytes.length), isLatest: at === 0 })) };
  }

  async *lineage(): AsyncGenerator<LineageRow> {
    for (const { ref } of await this.items())
      yield { id: ref.id, kind: 'none', status: 'unknown', seq: 1, isLatest: false };
  }

  async meta(ref: CheckpointRef): Promise<CheckpointMeta | undefined> {
    return (await this.checkpoints()).items.find((item) => sameRef({ ...item, task: item.taskId }, ref));
  }

  async state(ref: CheckpointRef): Promise<State | undefined> {
    const bytes = await this.raw(ref);
    return bytes && { text: new TextDecoder().decode(bytes), revision: await sha256Hex(bytes) };
  }

  async raw(ref: CheckpointRef) {
    return (await this.items()).find((item) => sameRef(item.ref, ref))?.bytes;
  }

  async latest() {
    const ref = (await this.items()).at(-1)?.ref;
    return ref ? ({ ref, basis: 'rule' } as const) : ({ basis: 'none' } as const);
  }

  async find(id: string) {
    return (await this.items()).map(({ ref }) => ref).filter((ref) => ref.id === id);
  }

  async plan(request: SystemRequest): Promise<Plan> {
    const items = await this.items();
    if (request.kind === 'restore') return this.#restore(request, items);
    if (request.kind === 'edit') return this.#restore(request, items, new TextEncoder().encode(request.text));
    if (request.kind === 'delete') return this.#delete(request, items);
    throw new InspectorError('unsupported', 'no forks here');
  }

  async #restore(
    request: Extract<SystemRequest, { kind: 'restore' | 'edit' }>,
    items: Item[],
    bytes?: Uint8Array,
  ): Promise<Plan> {
    const from = pick(items, request.ref);
    const head = items.at(-1)?.ref;
    const to = { task: TASK, id: next(head?.id) };
    const evicts = items.slice(0, Math.max(0, items.length + 1 - this.keep));
    const write = { from, to: to.id, ...(bytes ? { bytes } : {}) };
    const view = {
      ...(await this.#frame(request, evicts)),
      preconditions: [
        { kind: 'head', task: TASK, ...(head ? { ref: head } : {}) },
        { kind: 'revision', ref: from.ref, revision: await sha256Hex(from.bytes) },
        { kind: 'absent', ref: to },
      ],
      writes: planList([{ ref: to, reason: 'copy' }]),
      evicts: planList(evicts.map((item) => ({ ...shown(item), when: 'now' as const }))),
      latestAfter: to,
      proofHash: await sha256Hex(bytes ?? from.bytes),
      next: 'run it',
      sidecar: [{ child: to, parent: from.ref }],
    } as const;
    return { view, job: await this.job([write], evicts) };
  }

  async #delete(request: Extract<SystemRequest, { kind: 'delete' }>, items: Item[]): Promise<Plan> {
    const removes = request.refs.map((ref) => pick(items, ref));
    const hashes = await Promise.all(removes.map(({ bytes }) => sha256Hex(bytes)));
    const view = {
      ...(await this.#frame(request, removes)),
      preconditions: removes.map(({ ref }, i) => ({ kind: 'revision' as const, ref, revision: hashes[i] ?? '' })),
      removes: planList(removes.map(shown)),
    };
    return { view, job: await this.job([], removes) };
  }

  async #frame(request: SystemRequest, removes: Item[]) {
    return {
      request,
      store: this.info.id,
      task: TASK,
      writes: planList([]),
      moves: planList([]),
      removes: planList([]),
      evicts: planList([]),
      protected: planList([]),
      warnings: [],
      latestBefore: await this.latest(),
      bytesFreed: removes.reduce((sum, { bytes }) => sum + bytes.length, 0),
    } as const;
  }
}

/** One JSON file per checkpoint. */
export class FolderStore extends TestStore {
  async items(): Promise<Item[]> {
    const names = (await readdir(this.path)).filter((name) => name.endsWith('.json')).sort();
    return Promise.all(
      names.map(async (where) => {
        const id = where.slice(0, -'.json'.length);
        return { ref: { task: TASK, id }, bytes: await readFile(join(this.path, where)), where };
      }),
    );
  }

  async job(writes: Write[], removes: Item[]) {
    const job = filesJob(this.path);
    for (const { from, to, bytes = from.bytes } of writes) job.create(`${to}.json`, bytes, { like: from.where });
    for (const { where, bytes } of removes) job.trash(where, await sha256Hex(bytes));
    return job;
  }
}

/** A table of checkpoints and one of writes, composite keys. */
export class DatabaseStore extends TestStore {
  async items(): Promise<Item[]> {
    const db = openSqlite(this.path, { readOnly: true });
    try {
      const sql = 'SELECT id, CAST(state AS BLOB) AS state FROM checkpoints WHERE thread = ? ORDER BY id';
      const rows = db.prepare<{ id: string; state: Uint8Array }>(sql).all(TASK);
      return rows.map(({ id, state }) => ({ ref: { task: TASK, id }, bytes: state, where: id }));
    } finally {
      db.close();
    }
  }

  async job(writes: Write[], removes: Item[]) {
    const job = sqliteJob(this.path);
    const key = (item: Item) => ({ thread: TASK, id: item.ref.id });
    for (const { from, to, bytes: state = from.bytes } of writes) {
      job.copy('checkpoints', key(from), { id: to, state }).copyAll('writes', key(from), { id: to });
    }
    for (const item of removes) job.delete('checkpoints', key(item)).delete('writes', key(item), { expect: 2 });
    return job;
  }
}

/** A database for `DatabaseStore` with two writes per checkpoint. */
export function makeDatabase(path: string, states: Readonly<Record<string, string>>, mode: 'sqlite' | 'wal'): void {
  const db = openSqlite(path, { readOnly: false, create: true });
  if (mode === 'wal') db.pragma('journal_mode = WAL');
  db.exec(`
    CREATE TABLE checkpoints (thread TEXT, id TEXT, state BLOB, PRIMARY KEY (thread, id));
    CREATE TABLE writes (thread TEXT, id TEXT, idx INTEGER, value BLOB, PRIMARY KEY (thread, id, idx));
  `);
  for (const [id, state] of Object.entries(states)) {
    db.prepare('INSERT INTO checkpoints VALUES (?, ?, ?)').run(TASK, id, Buffer.from(state));
    for (const idx of [-3, 0])
      db.prepare('INSERT INTO writes VALUES (?, ?, ?, ?)').run(TASK, id, BigInt(idx), Buffer.from(`${id} ${idx}`));
  }
  db.close();
}

/** Every row with rowid and type, as text. */
export function dumpDatabase(path: string): string {
  const db = openSqlite(path, { readOnly: true });
  const read = (sql: string) =>
    db
      .prepare<{ line: string }>(sql)
      .all()
      .map(({ line }) => line);
  const lines = [
    ...read(
      "SELECT rowid || ' ' || quote(thread) || quote(id) || quote(state) AS line FROM checkpoints ORDER BY rowid",
    ),
    ...read(
      "SELECT rowid || ' ' || quote(thread) || quote(id) || quote(idx) || quote(value) AS line FROM writes ORDER BY rowid",
    ),
  ];
  db.close();
  return lines.join('\n');
}

function pick(items: readonly Item[], ref: CheckpointRef): Item {
  const item = items.find((one) => sameRef(one.ref, ref));
  if (item) return item;
  throw new InspectorError('not_found', `No checkpoint ${ref.id}.`);
}

function next(id: string | undefined): string {
  return `c${Number(id?.slice(1) ?? 0) + 1}`;
}

function shown({ ref, bytes, where }: Item) {
  return { ref, reason: 'requested', sizeBytes: bytes.length, where };
}

function meta(ref: CheckpointRef, sizeBytes: number): CheckpointMeta {
  return {
    store: STORE,
    id: ref.id,
    taskId: ref.task,
    lineage: 'none',
    seq: Number(ref.id.slice(1)),
    timeBasis: 'none',
    status: 'unknown',
    labels: [],
    sizeBytes,
    isLatest: false,
  };
}
