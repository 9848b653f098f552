import {
  editWords,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointStatus,
  type LineageRow,
  type Problem,
  type StoreId,
} from '@checkpoint-inspector/core';
import { outerParent, readMetadata, type Metadata } from './metadata.ts';
import { NO_CHECKPOINT, NO_METADATA, payloadText, problemFrom } from './payload.ts';
import type { Key, Queries, RowSummary } from './queries.ts';
import { defined } from '../folder/document.ts';
import { isRecord } from '../folder/view.ts';
import {
  nextTasks,
  nodesThatRan,
  parseLoosely,
  readShape,
  seenOf,
  type CheckpointShape,
  type VersionsSeen,
} from './shape.ts';
import { unfinishedNodes } from './tasks.ts';
import { timeOf } from './uuid6.ts';

/** An agent whose newest checkpoint is younger than this may still be running. */
export const ACTIVE_MS = 60_000;
const SEEN_KEPT = 2_000;

/** What a list says of one row. */
export interface Described {
  readonly row: RowSummary;
  readonly metadata?: Metadata;
  readonly parent?: CheckpointRef;
  readonly createdAt?: string;
  readonly createdAtText?: string;
  readonly status: CheckpointStatus;
  readonly description?: string;
  readonly problem?: Problem;
}

interface Look {
  readonly problem?: Problem;
  /** How many tasks the next step has, finished ones included: it is not over before all are. */
  readonly tasks: number;
  /** Nodes that still have to run. */
  readonly next: readonly string[];
}

const NOTHING_NEXT: Look = { tasks: 0, next: [] };

/** Describes rows of one thread without reading their states; the newest row of a namespace is the exception. */
export class Describer {
  readonly #queries: Queries;
  readonly #thread: string;
  readonly #seen = new Map<string, VersionsSeen | undefined>();

  constructor(queries: Queries, thread: string) {
    this.#queries = queries;
    this.#thread = thread;
  }

  describe(key: Key): Described | undefined {
    const row = this.#queries.summary(this.#thread, key);
    if (row === undefined) return undefined;
    const metadata = readMetadata(row.metadata);
    const { problem, tasks, next } = this.#look(row, metadata);
    const createdAtText = storedTime(row.start);
    const createdAt = utcTime(createdAtText) ?? timeOf(row.id);
    return defined({
      row,
      status: statusOf(row, tasks > 0, problem, createdAt),
      metadata,
      parent: this.#parent(row, metadata),
      createdAt,
      createdAtText,
      description: this.#description(row, metadata, next),
      problem,
    });
  }

  /** The newest row of a namespace is read for what runs next; of others, those that look damaged. */
  #look(row: RowSummary, metadata: Metadata | undefined): Look {
    const isNewest = row.newest === row.id;
    const looksSound =
      (row.shape === 'object' || row.shape === 'unseen') && isStored(row.stored) && (row.type ?? 'json') === 'json';
    const found = looksSound && !isNewest ? NOTHING_NEXT : this.#readShape(row, metadata?.step);
    if (found.problem !== undefined || metadata !== undefined) return isNewest ? found : { ...found, ...NOTHING_NEXT };
    // Metadata that is too large for lists is taken for sound.
    if (row.metadata === null && row.metadataSize > 0) return found;
    return { problem: { code: 'unreadable', message: NO_METADATA }, ...NOTHING_NEXT };
  }

  #readShape(row: RowSummary, step: number | undefined): Look {
    let text: string | undefined;
    try {
      const full = this.#queries.row(this.#thread, row);
      if (full === undefined) return NOTHING_NEXT;
      text = payloadText({ ...full, bytes: full.checkpoint });
      const shape = readShape(text);
      if (shape) return { tasks: nextTasks(shape).length, next: this.#next(row, shape, step) };
      return { problem: { code: 'unreadable', message: NO_CHECKPOINT }, ...NOTHING_NEXT };
    } catch (error) {
      return { problem: problemFrom(error, text), ...NOTHING_NEXT };
    }
  }

  #next(row: RowSummary, shape: CheckpointShape, step: number | undefined): readonly string[] {
    const tasks = this.#queries.tasksOf(this.#thread, row);
    const finished = new Set(tasks.filter((one) => one.finished === 1).map(({ task }) => task));
    return unfinishedNodes(shape, { ns: row.ns, id: row.id, step }, finished);
  }

  #parent(row: RowSummary, metadata: Metadata | undefined): CheckpointRef | undefined {
    if (row.parent !== null && row.parent !== '') return refOf(this.#thread, { ns: row.ns, id: row.parent });
    const outer = outerParent(metadata, row.ns);
    return outer && refOf(this.#thread, outer);
  }

  #description(row: RowSummary, metadata: Metadata | undefined, next: readonly string[]): string | undefined {
    const seen = this.#remember(row, row.end);
    const before = row.parent === null ? {} : this.#seenOf({ ns: row.ns, id: row.parent });
    const ran = seen && before ? nodesThatRan(seen, before) : [];
    const edited = metadata?.edited && editWords(metadata.edited);
    const what = edited ?? (ran.length > 0 ? [...new Set(ran)].join(', ') : metadata?.source);
    if (next.length === 0) return what;
    return `${what === undefined ? '' : `${what}; `}next: ${[...new Set(next)].join(', ')}`;
  }

  #seenOf(key: Key): VersionsSeen | undefined {
    const name = JSON.stringify([key.ns, key.id]);
    if (this.#seen.has(name)) return this.#seen.get(name);
    return this.#remember(key, this.#queries.end(this.#thread, key) ?? null);
  }

  #remember(key: Key, end: Uint8Array | null): VersionsSeen | undefined {
    const seen = end === null ? undefined : versionsSeenAt(end);
    if (this.#seen.size >= SEEN_KEPT) this.#seen.clear();
    this.#seen.set(JSON.stringify([key.ns, key.id]), seen);
    return seen;
  }
}

const isStored = (storageClass: string): boolean => storageClass === 'blob' || storageClass === 'text';

function statusOf(
  row: RowSummary,
  hasNext: boolean,
  problem: Problem | undefined,
  time: string | undefined,
): CheckpointStatus {
  if (row.failed === 1) return 'failed';
  if (row.newest !== row.id) return 'completed';
  if (row.interrupted === 1) return 'interrupted';
  if (problem !== undefined) return 'unknown';
  if (!hasNext) return 'completed';
  return isRecent(time) ? 'running' : 'pending';
}

export function isRecent(time: string | undefined, now = Date.now()): boolean {
  return time !== undefined && Math.abs(now - Date.parse(time)) < ACTIVE_MS;
}

/** From the end of the text, where LangGraph writes it; where its braces do not close there it is another object. */
function versionsSeenAt(end: Uint8Array): VersionsSeen | undefined {
  const text = Buffer.from(end).toString('utf8');
  const at = text.lastIndexOf('"versions_seen"');
  if (at < 0) return undefined;
  try {
    const value = parseLoosely(`{${text.slice(at)}`);
    return isRecord(value) ? seenOf(value['versions_seen']) : undefined;
  } catch {
    return undefined;
  }
}

const TIME = /^\s*\{\s*(?:"(?:v|id)"\s*:\s*(?:"[^"\\]*"|[0-9]+)\s*,\s*)*"ts"\s*:\s*"([^"\\]*)"/;

/** `ts` as it is stored, where it stands before the values, as LangGraph writes it. */
function storedTime(start: Uint8Array | null): string | undefined {
  return start === null ? undefined : TIME.exec(Buffer.from(start).toString('utf8'))?.[1];
}

/** Only texts with a zone: others would be guessed. */
function utcTime(text: string | undefined): string | undefined {
  if (text === undefined || !/(Z|[+-]\d\d:?\d\d)$/.test(text)) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

export function refOf(task: string, key: Key): CheckpointRef {
  return { task, ...(key.ns === '' ? {} : { namespace: key.ns }), id: key.id };
}

export function toMeta(
  store: StoreId,
  thread: string,
  described: Described,
  seq: number,
  isLatest: boolean,
): CheckpointMeta {
  const { row, metadata, parent, createdAt, createdAtText, status, description, problem } = described;
  return defined({
    store,
    id: row.id,
    taskId: thread,
    namespace: row.ns || undefined,
    parentId: parent?.id,
    lineage: parent === undefined ? 'none' : 'recorded',
    seq,
    stepIndex: metadata?.step,
    createdAt,
    createdAtText,
    timeBasis: createdAt === undefined ? 'none' : 'utc',
    trigger: metadata?.trigger,
    status,
    description,
    labels: [],
    sizeBytes: row.size + row.metadataSize,
    isLatest,
    problem,
  });
}

export function toLineage(described: Described, seq: number, isLatest: boolean): LineageRow {
  const { row, metadata, parent, createdAt, status, description } = described;
  return defined({
    id: row.id,
    namespace: row.ns || undefined,
    parent,
    kind: parent === undefined ? 'none' : 'recorded',
    time: createdAt,
    status,
    seq,
    stepIndex: metadata?.step,
    description,
    isLatest,
  });
}
