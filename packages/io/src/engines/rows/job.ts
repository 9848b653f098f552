import {
  parentColumns,
  type CheckpointRef,
  type Job,
  type NativeSteps,
  type TakenRow,
} from '@checkpoint-inspector/core';
import type { SqlRow, SqlValue } from '../../sqlite/values.ts';
import { has, isBytes, isCount, isOne, isText, listOf, mapOf, optional, type Is } from '../shape.ts';
import { isRowMark, type RowImage } from './mark.ts';

/** `key` are the columns that name the rows of a step; it must hit exactly `expect` rows (default 1). */
interface Rows {
  readonly table: string;
  readonly key: SqlRow;
}

export type RowStep =
  | { readonly op: 'insert'; readonly table: string; readonly row: SqlRow }
  | (Rows & { readonly op: 'update'; readonly set: SqlRow })
  | (Rows & { readonly op: 'delete'; readonly expect?: number | undefined })
  /** Byte for byte, `set` replaced: blobs never pass through a parser. `many` copies every row of the key. */
  | (Rows & { readonly op: 'copy'; readonly set: SqlRow; readonly many?: true | undefined })
  /** Puts every row of the images back. */
  | { readonly op: 'undo'; readonly images: readonly RowImage[] };

/** Held to be true inside the transaction, before the first step. */
export type RowCheck =
  | (Rows & { readonly check: 'row'; readonly equals: SqlRow })
  | (Rows & { readonly check: 'absent' })
  | (Rows & { readonly check: 'max'; readonly column: string; readonly value?: SqlValue | undefined });

export interface RowSteps {
  readonly checks: RowCheck[];
  readonly ops: RowStep[];
  /** Tasks that are locked meanwhile, where the engine's database is shared; the whole store where none is named. */
  readonly tasks?: readonly string[] | undefined;
  /**
   * Set for a change of many rows: tables of which no row alone makes a task resumable. Their rows are written in short
   * transactions of their own, added ones before all others and removed ones after them.
   */
  readonly slices?: readonly string[] | undefined;
}

/** Builds a job for rows: all of it happens, in one transaction or in parts, or nothing. */
export class RowsJob implements Job {
  readonly engine: string;
  readonly place: string;
  steps: RowSteps;

  constructor(engine: string, place: string, tasks: readonly string[] = []) {
    this.engine = engine;
    this.place = place;
    this.steps = { checks: [], ops: [], ...(tasks.length === 0 ? {} : { tasks }) };
  }

  insert(table: string, row: SqlRow): this {
    return this.#add({ op: 'insert', table, row });
  }

  update(table: string, key: SqlRow, set: SqlRow): this {
    return this.#add({ op: 'update', table, key, set });
  }

  delete(table: string, key: SqlRow, { expect }: { readonly expect?: number } = {}): this {
    return this.#add({ op: 'delete', table, key, ...(expect === undefined ? {} : { expect }) });
  }

  copy(table: string, key: SqlRow, set: SqlRow): this {
    return this.#add({ op: 'copy', table, key, set });
  }

  copyAll(table: string, key: SqlRow, set: SqlRow): this {
    return this.#add({ op: 'copy', table, key, set, many: true });
  }

  undo(images: readonly RowImage[]): this {
    const sliced = images.flatMap(({ mark }) => (mark.part === 'slice' ? [mark.table] : []));
    if (images.some(({ mark }) => mark.part !== undefined)) this.inParts([...new Set(sliced)]);
    return this.#add({ op: 'undo', images });
  }

  /** For many rows, none of them inserted by the job: `slices` in its steps. */
  inParts(slices: readonly string[]): this {
    this.steps = { ...this.steps, slices };
    return this;
  }

  /** Exactly one row answers to the key, and these columns of it are equal. */
  expectRow(table: string, key: SqlRow, equals: SqlRow): this {
    return this.#check({ check: 'row', table, key, equals });
  }

  expectAbsent(table: string, key: SqlRow): this {
    return this.#check({ check: 'absent', table, key });
  }

  /** The greatest `column` among the rows of the key; `undefined`: there are none. */
  expectMax(table: string, key: SqlRow, column: string, value: SqlValue | undefined): this {
    return this.#check({ check: 'max', table, key, column, ...(value === undefined ? {} : { value }) });
  }

  #add(step: RowStep): this {
    this.steps.ops.push(step);
    return this;
  }

  #check(check: RowCheck): this {
    this.steps.checks.push(check);
    return this;
  }
}

/**
 * Rows that are read, changed and kept under the lock, or whose states are put into nodes; in parts others are only
 * written. Two cores, SQLite on an SSD.
 */
const ROWS_A_MS = { atOnce: 6, inParts: 100 };
const BYTES_A_MS = 150_000;
/** States that are put back into nodes are read and compared once more. */
const SHARED_BYTES_A_MS = 10_000;

/**
 * About how long other writers of the store wait at most, ms; `undefined` for jobs of other engines.
 * @param rows that a step copies which names no number
 * @param bytes that are written and removed
 * @param isOwn it is one of our own stores
 */
export function holdMs(
  { steps }: Job,
  { rows, bytes, isOwn = false }: { readonly rows: number; readonly bytes: number; readonly isOwn?: boolean },
): number | undefined {
  if (!isRowSteps(steps)) return undefined;
  const { ops, slices } = steps;
  const count = ops.map((op) => {
    if (op.op === 'undo') return op.images.filter(({ mark }) => mark.part !== 'slice').length;
    if (slices?.includes(op.table) === true) return 0;
    if (op.op === 'delete') return op.expect ?? 1;
    return op.op === 'copy' && op.many === true ? rows : 1;
  });
  const sum = count.reduce((a, b) => a + b, 0);
  const bytesAMs = isOwn && ops.some(({ op }) => op === 'undo') ? SHARED_BYTES_A_MS : BYTES_A_MS;
  return Math.ceil(sum / (slices && !isOwn ? ROWS_A_MS.inParts : ROWS_A_MS.atOnce) + bytes / bytesAMs);
}

/** Rows of a SQLite file. */
export const sqliteJob = (path: string): RowsJob => new RowsJob('sqlite', path);

/** Rows of a schema in PostgreSQL. `place` is the identity of the opened database, `tasks` those that the job changes. */
export const postgresJob = (place: string, tasks: readonly string[]): RowsJob => new RowsJob('postgres', place, tasks);

const TABLE = 'checkpoints';
const WRITES = 'writes';
/** Columns that a store of the first format doesn't have. */
const LATER = ['namespace', 'parent_namespace', 'beside'];

/** So many checkpoints of a SQLite file are taken away in parts: their texts are put together before the lock. */
const REMOVED_IN_PARTS = 100;

/** The steps of one of our own stores, as steps on its rows. The first format has no namespaces and no writes. */
export function addNative(job: RowsJob, steps: NativeSteps, isFirstFormat = false): RowsJob {
  const own = (row: SqlRow): SqlRow =>
    isFirstFormat ? Object.fromEntries(Object.entries(row).filter(([name]) => !LATER.includes(name))) : row;
  const key = ({ task, namespace = '', id }: CheckpointRef): SqlRow => own({ task, namespace, id });
  const { unchanged, copy, newest = [], taken = [], moves = [], removes, clears = [] } = steps;
  for (const { ref, revision } of unchanged) job.expectRow(TABLE, key(ref), { state_hash: revision });
  for (const { task, seq } of newest) job.expectMax(TABLE, { task }, 'seq', seq);
  if (copy) {
    job.expectAbsent(TABLE, key(copy.to)).expectMax(TABLE, { task: copy.to.task }, 'seq', copy.newest);
    job.copy(TABLE, key(copy.from), own({ ...copy.set, ...key(copy.to) }));
  }
  for (const { from, to, set } of taken) job.copy(TABLE, key(from), own({ ...set, ...key(to) }));
  if (isFirstFormat) return removing(job, removes.map(key));
  for (const { from, to, writes } of taken) {
    job.copyAll(WRITES, { ...key(from), ...(writes === 'all' ? {} : { channel: '__interrupt__' }) }, key(to));
  }
  for (const { ref, parent } of moves) job.update(TABLE, key(ref), parentColumns(parent));
  for (const { ref, count } of clears) job.delete(WRITES, key(ref), { expect: count });
  const isOnlyRemoving = job.engine === 'sqlite' && !copy && taken.length === 0;
  if (isOnlyRemoving && removes.length > REMOVED_IN_PARTS) job.inParts([WRITES]);
  return removing(job, removes.map(key));
}

function removing(job: RowsJob, keys: readonly SqlRow[]): RowsJob {
  for (const key of keys) job.delete(TABLE, key);
  return job;
}

const isRef = has<CheckpointRef>({ task: isText, namespace: optional(isText), id: isText });
const isPlain = (value: unknown): value is null | number | bigint | string =>
  value === null || ['number', 'bigint', 'string'].includes(typeof value);

type Part<Name extends keyof NativeSteps> = NonNullable<NativeSteps[Name]>;
type Item<Name extends 'unchanged' | 'newest' | 'taken' | 'moves' | 'clears'> = Part<Name>[number];
const set = mapOf(isPlain);
const isExtent: Is<TakenRow['writes']> = (value) => value === 'all' || value === 'questions';

export const isNativeSteps: Is<NativeSteps> = has<NativeSteps>({
  unchanged: listOf(has<Item<'unchanged'>>({ ref: isRef, revision: isText })),
  copy: optional(has<Part<'copy'>>({ from: isRef, to: isRef, set, newest: optional(isCount) })),
  newest: optional(listOf(has<Item<'newest'>>({ task: isText, seq: optional(isCount) }))),
  taken: optional(listOf(has<Item<'taken'>>({ from: isRef, to: isRef, set, writes: isExtent }))),
  moves: optional(listOf(has<Item<'moves'>>({ ref: isRef, parent: optional(isRef) }))),
  removes: listOf(isRef),
  clears: optional(listOf(has<Item<'clears'>>({ ref: isRef, count: isCount }))),
});

const isValue: Is<SqlValue> = (value): value is SqlValue => isPlain(value) || isBytes(value);
const isRow: Is<SqlRow> = mapOf(isValue);
const where = { table: isText, key: isRow };

const STEPS: readonly Is<RowStep>[] = [
  has<Extract<RowStep, { op: 'insert' }>>({ op: isOne('insert'), table: isText, row: isRow }),
  has<Extract<RowStep, { op: 'update' }>>({ ...where, op: isOne('update'), set: isRow }),
  has<Extract<RowStep, { op: 'delete' }>>({ ...where, op: isOne('delete'), expect: optional(isCount) }),
  has<Extract<RowStep, { op: 'copy' }>>({ ...where, op: isOne('copy'), set: isRow, many: optional(isOne(true)) }),
  has<Extract<RowStep, { op: 'undo' }>>({
    op: isOne('undo'),
    images: listOf(has<RowImage>({ mark: isRowMark, content: optional(isBytes) })),
  }),
];
const CHECKS: readonly Is<RowCheck>[] = [
  has<Extract<RowCheck, { check: 'row' }>>({ ...where, check: isOne('row'), equals: isRow }),
  has<Extract<RowCheck, { check: 'absent' }>>({ ...where, check: isOne('absent') }),
  has<Extract<RowCheck, { check: 'max' }>>({ ...where, check: isOne('max'), column: isText, value: optional(isValue) }),
];

export const isRowSteps: Is<RowSteps> = has<RowSteps>({
  checks: listOf((value): value is RowCheck => CHECKS.some((is) => is(value))),
  ops: listOf((value): value is RowStep => STEPS.some((is) => is(value))),
  tasks: optional(listOf(isText)),
  slices: optional(listOf(isText)),
});
