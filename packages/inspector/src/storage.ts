/** What the open stores take up, task by task, and what in them cannot be read. */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compact, refOfMeta } from '@checkpoint-inspector/core';
import type {
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  Problem,
  StoreId,
  Task,
} from '@checkpoint-inspector/core';
import type { TrashSummary } from '@checkpoint-inspector/changes';
import type { StoreFailure, StoreService } from './stores/types.ts';
import { askEach, everyRow, everyTask } from './stores/task-lists.ts';

export interface TaskUse {
  readonly store: StoreId;
  readonly id: string;
  readonly title: string;
  readonly kind?: 'unassigned' | 'archived';
  /** Stored bytes of its rows or files. */
  readonly bytes: number;
  readonly checkpoints: number;
  /** Of these: rows that cannot be read, locked ones not among them. */
  readonly unreadable: number;
  readonly locked: number;
  /** As the system stores it; ISO 8601 UTC where `oldestUtc`. Absent where no row has a time. */
  readonly oldest?: StoredTime;
  readonly newest?: StoredTime;
}

interface StoredTime {
  readonly text: string;
  /** `text` is ISO 8601 UTC; else it is a local time as written in the store. */
  readonly utc: boolean;
}

export interface UnreadableRow {
  readonly ref: CheckpointRef;
  readonly store: StoreId;
  readonly sizeBytes: number;
  readonly problem: Problem;
}

export interface StoreUse {
  readonly store: StoreId;
  readonly label: string;
  readonly system: string;
  readonly location?: string;
  /** What the system itself removes, in words. */
  readonly retention?: string;
  readonly bytes: number;
  readonly checkpoints: number;
  readonly unreadable: number;
  readonly locked: number;
  /** Most bytes first. */
  readonly tasks: readonly TaskUse[];
}

interface JournalUse {
  /** Path of the journal file. */
  readonly path: string;
  readonly bytes: number;
  /** The cache beside it, which may be deleted at any time. */
  readonly cacheBytes: number;
}

export interface StorageReport {
  /** Most bytes first. */
  readonly stores: readonly StoreUse[];
  /** The first thousand; `unreadableCount` counts all. */
  readonly unreadable: readonly UnreadableRow[];
  readonly unreadableCount: number;
  readonly journal: JournalUse;
  readonly trash: TrashSummary;
  readonly failures: readonly StoreFailure[];
}

/** Beyond so many rows of one task its times and locked rows are not looked for. */
const MAX_ROWS = 20_000;
const MAX_LISTED = 1000;

/** @throws InspectorError only where the journal cannot be read; stores that fail are named in `failures` */
export async function readStorage(
  stores: StoreService,
  bin: { readonly path: string; summary(): TrashSummary },
): Promise<StorageReport> {
  const problems: UnreadableRow[] = [];
  const sources = stores.list().map(({ id }) => stores.source(id));
  const { answers, failures } = await askEach(sources, (source) => storeUse(source, problems));
  return {
    stores: answers.toSorted((a, b) => b.bytes - a.bytes || a.store.localeCompare(b.store)),
    unreadable: problems.slice(0, MAX_LISTED),
    unreadableCount: problems.length,
    journal: await journalUse(bin.path),
    trash: bin.summary(),
    failures,
  };
}

async function storeUse(source: CheckpointSource, problems: UnreadableRow[]): Promise<StoreUse> {
  const tasks: TaskUse[] = [];
  for await (const task of everyTask(source)) tasks.push(await taskUse(source, task, problems));
  const { id, label, system, location, retention } = source.info;
  const sum = (of: (task: TaskUse) => number) => tasks.reduce((total, task) => total + of(task), 0);
  return {
    store: id,
    label,
    system,
    ...compact({ location, retention }),
    bytes: sum(({ bytes }) => bytes),
    checkpoints: sum(({ checkpoints }) => checkpoints),
    unreadable: sum(({ unreadable }) => unreadable),
    locked: sum(({ locked }) => locked),
    tasks: tasks.toSorted((a, b) => b.bytes - a.bytes || a.id.localeCompare(b.id)),
  };
}

async function taskUse(source: CheckpointSource, task: Task, problems: UnreadableRow[]): Promise<TaskUse> {
  const { store, id, title, kind, checkpointCount, unreadable, sizeBytes } = task;
  const frame = { store, id, title, ...(kind === undefined ? {} : { kind }), checkpoints: checkpointCount };
  if (checkpointCount > MAX_ROWS) return { ...frame, bytes: sizeBytes ?? 0, unreadable, locked: 0 };
  let [bytes, bad, locked] = [0, 0, 0];
  const times = new Times();
  for await (const row of everyRow(source, id)) {
    bytes += row.sizeBytes;
    times.add(row);
    if (row.problem === undefined) continue;
    if (isLocked(row.problem)) locked++;
    else bad++;
    problems.push({ store, ref: refOfMeta(row), sizeBytes: row.sizeBytes, problem: row.problem });
  }
  return { ...frame, bytes: sizeBytes ?? bytes, unreadable: bad, locked, ...times.range() };
}

const isLocked = ({ code }: Problem): boolean => code === 'locked' || code === 'wrong_key';

/** Oldest and newest; a local time is only compared with local ones, and shown where no other is known. */
class Times {
  readonly #utc: string[] = [];
  readonly #local: string[] = [];

  add({ createdAt, createdAtText, timeBasis, problem }: CheckpointMeta): void {
    if (problem !== undefined) return;
    if (createdAt !== undefined) widen(this.#utc, createdAt);
    else if (timeBasis === 'local' && createdAtText !== undefined) widen(this.#local, createdAtText);
  }

  range(): Pick<TaskUse, 'oldest' | 'newest'> {
    const utc = this.#utc.length > 0;
    const [oldest, newest] = utc ? this.#utc : this.#local;
    return oldest === undefined || newest === undefined
      ? {}
      : { oldest: { text: oldest, utc }, newest: { text: newest, utc } };
  }
}

function widen(range: string[], time: string): void {
  const [oldest = time, newest = time] = range;
  range.splice(0, 2, time < oldest ? time : oldest, time > newest ? time : newest);
}

async function journalUse(path: string): Promise<JournalUse> {
  const caches = ['cache.sqlite', 'folders.sqlite'].map((name) => bytesOf(join(dirname(path), name)));
  const cacheBytes = (await Promise.all(caches)).reduce((sum, bytes) => sum + bytes, 0);
  return { path, bytes: await bytesOf(path), cacheBytes };
}

/** Of a database with its log; 0 where there is none. */
async function bytesOf(path: string): Promise<number> {
  const sizes = await Promise.all(['', '-wal'].map((side) => stat(path + side).catch(() => ({ size: 0 }))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
