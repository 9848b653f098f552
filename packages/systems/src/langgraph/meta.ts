import {
  editWords,
  isPlainTime,
  timeOf,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointStatus,
  type LineageRow,
  type Problem,
  type StoreId,
} from '@checkpoint-inspector/core';
import { outerParent, readMetadata, type Metadata } from './metadata.ts';
import { looksWhole, msgpackTime } from './msgpack/peek.ts';
import { NO_CHECKPOINT, NO_METADATA, payloadText, problemFrom } from './payload.ts';
import type { Key, Queries, RowOutline, RowSummary } from './queries.ts';
import { asText, SeenVersions } from './seen-versions.ts';
import { defined } from '../folder/document.ts';
import { nextTasks, readShape, type CheckpointShape } from './shape.ts';
import { unfinishedNodes } from './tasks.ts';

/** An agent whose newest checkpoint is younger than this may still be running. */
export const ACTIVE_MS = 60_000;

/** What a tree says of one row. A tree has many: all have the same members, so that none is copied to leave some out. */
export interface Outlined {
  readonly row: Key;
  readonly metadata?: Metadata | undefined;
  readonly parent?: CheckpointRef | undefined;
  readonly createdAt?: string | undefined;
  readonly status: CheckpointStatus;
  readonly description?: string | undefined;
  readonly problem?: Pick<Problem, 'code'> | undefined;
}

/** What a list says of one row. */
export interface Described extends Outlined {
  readonly row: RowSummary;
  readonly createdAtText?: string;
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
  readonly #seen: SeenVersions;

  constructor(queries: Queries, thread: string) {
    this.#queries = queries;
    this.#thread = thread;
    this.#seen = new SeenVersions(queries, thread);
  }

  /** Those that are there. */
  async describe(keys: readonly Key[]): Promise<readonly Described[]> {
    const rows = await this.#queries.summaries(this.#thread, keys);
    await this.#seen.learn(rows);
    return Promise.all(rows.map((row) => this.#describe(row)));
  }

  async #describe(row: RowSummary): Promise<Described> {
    const metadata = readMetadata(row.metadata);
    const { problem, tasks, next } = await this.#look(row, metadata);
    const createdAtText = storedTime(row);
    const createdAt = createdAtOf(createdAtText, row.id);
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

  /** The same of rows that are not the newest of their namespace, as far as a tree shows them. */
  async outline(rows: readonly RowOutline[], isFailed: (row: Key) => boolean): Promise<readonly Outlined[]> {
    await this.#seen.learn(rows);
    return rows.map((row) => {
      const metadata = readMetadata(row.metadata);
      return {
        row,
        status: isFailed(row) ? 'failed' : 'completed',
        metadata,
        parent: this.#parent(row, metadata),
        createdAt: createdAtOf(storedTime(row), row.id),
        description: this.#description(row, metadata, []),
        problem: isOtherType(row) ? { code: 'unsupported_version' } : undefined,
      };
    });
  }

  /** The newest row of a namespace is read for what runs next; of others, those that look damaged. */
  async #look(row: RowSummary, metadata: Metadata | undefined): Promise<Look> {
    const isNewest = row.newest === row.id;
    const looksSound = (row.shape === 'object' || row.shape === 'unseen') && isStored(row.stored) && isSound(row);
    const found = looksSound && !isNewest ? NOTHING_NEXT : await this.#readShape(row, metadata?.step);
    if (found.problem !== undefined || metadata !== undefined) return isNewest ? found : { ...found, ...NOTHING_NEXT };
    // Metadata that is too large for lists is taken for sound.
    if (row.metadata === null && row.metadataSize > 0) return found;
    return { problem: { code: 'unreadable', message: NO_METADATA }, ...NOTHING_NEXT };
  }

  async #readShape(row: RowSummary, step: number | undefined): Promise<Look> {
    let text: string | undefined;
    try {
      const full = await this.#queries.shapeRow(this.#thread, row);
      if (full === undefined) return NOTHING_NEXT;
      text = payloadText({ ...full, bytes: full.checkpoint });
      const shape = readShape(text);
      if (shape) return { tasks: nextTasks(shape).length, next: await this.#next(row, shape, step) };
      return { problem: { code: 'unreadable', message: NO_CHECKPOINT }, ...NOTHING_NEXT };
    } catch (error) {
      return { problem: problemFrom(error, text), ...NOTHING_NEXT };
    }
  }

  async #next(row: RowSummary, shape: CheckpointShape, step: number | undefined): Promise<readonly string[]> {
    const tasks = await this.#queries.tasksOf(this.#thread, row);
    const finished = new Set(tasks.filter((one) => one.finished === 1).map(({ task }) => task));
    return unfinishedNodes(shape, { ns: row.ns, id: row.id, step }, finished);
  }

  #parent(row: RowOutline, metadata: Metadata | undefined): CheckpointRef | undefined {
    if (row.parent !== null && row.parent !== '') return refOf(this.#thread, { ns: row.ns, id: row.parent });
    const outer = outerParent(metadata, row.ns);
    return outer && refOf(this.#thread, outer);
  }

  #description(row: RowOutline, metadata: Metadata | undefined, next: readonly string[]): string | undefined {
    const what = stepWords(metadata, this.#seen.ran(row));
    if (next.length === 0) return what;
    return `${what === undefined ? '' : `${what}; `}next: ${[...new Set(next)].join(', ')}`;
  }
}

/** What made a checkpoint. @param ran the nodes that did, with commas */
function stepWords(
  metadata: Pick<Metadata, 'edited' | 'source'> | undefined,
  ran: string | undefined,
): string | undefined {
  return (metadata?.edited && editWords(metadata.edited)) ?? ran ?? metadata?.source;
}

/** Of other types every row is refused, and says it. */
function isSound({ type, size, start, end }: RowSummary): boolean {
  if ((type ?? 'json') === 'json') return true;
  return type === 'msgpack' && (start === null ? size > 0 : looksWhole(start, end));
}

const isOtherType = ({ type }: RowOutline): boolean => type !== null && type !== 'json' && type !== 'msgpack';
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

const TIME = /^\s*\{\s*(?:"(?:v|id)"\s*:\s*(?:"[^"\\]*"|[0-9]+)\s*,\s*)*"ts"\s*:\s*"([^"\\]*)"/;

/** `ts` as stored, where it is before the values, as LangGraph writes it. */
function storedTime({ type, start }: RowOutline): string | undefined {
  if (start === null) return undefined;
  return type === 'msgpack' && typeof start !== 'string' ? msgpackTime(start) : TIME.exec(asText(start))?.[1];
}

/** Of `ts` as stored, or of the id's clock. */
const createdAtOf = (text: string | undefined, id: string): string | undefined => utcTime(text) ?? timeOf(id);

/** A plain time as Python writes it: what comes after the milliseconds is cut off. */
const PYTHON = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}\.\d{6}\+00:00$/;
const TO_MILLISECONDS = 'yyyy-mm-ddThh:mm:ss.mmm'.length;

/** Only texts with a zone: others would be guessed. */
function utcTime(text: string | undefined): string | undefined {
  if (text === undefined || isPlainTime(text)) return text;
  if (PYTHON.test(text)) return `${text.slice(0, TO_MILLISECONDS)}Z`;
  if (!/(Z|[+-]\d\d:?\d\d)$/.test(text)) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

export function refOf(task: string, { ns, id }: Key): CheckpointRef {
  return ns === '' ? { task, id } : { task, namespace: ns, id };
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

/** Members are set one by one: `defined` would copy each row of a tree. */
export function toLineage(described: Outlined, seq: number, isLatest: boolean): LineageRow {
  const { row, metadata, parent, createdAt, status, description, problem } = described;
  const kind = parent === undefined ? 'none' : 'recorded';
  const line: Writable<LineageRow> = { id: row.id, kind, status, seq, isLatest };
  if (row.ns !== '') line.namespace = row.ns;
  if (parent !== undefined) line.parent = parent;
  if (createdAt !== undefined) line.time = createdAt;
  if (metadata?.step !== undefined) line.stepIndex = metadata.step;
  if (description !== undefined) line.description = description;
  if (problem !== undefined) line.problem = problem.code;
  return line;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
