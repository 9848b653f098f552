import type { Job, NativeSteps } from '@checkpoint-inspector/core';
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
}

/** Builds a job for rows: all of it happens in one transaction, or nothing. */
export class RowsJob implements Job {
  readonly engine: string;
  readonly place: string;
  readonly steps: RowSteps;

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
    return this.#add({ op: 'undo', images });
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

/** Rows of a SQLite file. */
export const sqliteJob = (path: string): RowsJob => new RowsJob('sqlite', path);

/** Rows of a schema in PostgreSQL. `place` is the identity of the opened database, `tasks` those that the job changes. */
export const postgresJob = (place: string, tasks: readonly string[]): RowsJob => new RowsJob('postgres', place, tasks);

const TABLE = 'checkpoints';

/** The steps of one of our own stores, as steps on its rows. */
export function addNative(job: RowsJob, { unchanged, copy, removes }: NativeSteps): RowsJob {
  const key = ({ task, id }: { readonly task: string; readonly id: string }) => ({ task, id });
  for (const { ref, revision } of unchanged) job.expectRow(TABLE, key(ref), { state_hash: revision });
  if (copy) {
    job.expectAbsent(TABLE, key(copy.to)).expectMax(TABLE, { task: copy.to.task }, 'seq', copy.newest);
    job.copy(TABLE, key(copy.from), { ...copy.set, ...key(copy.to) });
  }
  for (const ref of removes) job.delete(TABLE, key(ref));
  return job;
}

const isRef = has<{ readonly task: string; readonly id: string }>({ task: isText, id: isText });
const isPlain = (value: unknown): value is null | number | bigint | string =>
  value === null || ['number', 'bigint', 'string'].includes(typeof value);

export const isNativeSteps: Is<NativeSteps> = has<NativeSteps>({
  unchanged: listOf(has<NativeSteps['unchanged'][number]>({ ref: isRef, revision: isText })),
  copy: optional(
    has<NonNullable<NativeSteps['copy']>>({ from: isRef, to: isRef, set: mapOf(isPlain), newest: optional(isCount) }),
  ),
  removes: listOf(isRef),
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
});
