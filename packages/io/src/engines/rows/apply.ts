import { InspectorError } from '@checkpoint-inspector/core';
import { nothingDone, sideOf, type Applied, type ApplyHooks, type Settled, type Side } from '../executor.ts';
import { sameValue } from './cells.ts';
import type { RowCheck, RowStep, RowSteps } from './job.ts';
import { Ledger, type Step } from './ledger.ts';
import { doneLines, placeOf, type RowImage, type RowMark } from './mark.ts';
import { holds, type Tables } from './tables.ts';
import { undoRows } from './undo.ts';
import { doNow, got, type Work } from './work.ts';

/** In the caller's transaction, which a throw rolls back. @throws InspectorError changed | head_moved | unsupported */
export function* applyRows(tables: Tables, { checks, ops }: RowSteps): Work<RowImage[]> {
  for (const check of checks) yield* runCheck(tables, check);
  const start = yield* got(tables.changes());
  const ledger = new Ledger();
  let planned = 0;
  for (const op of ops) {
    const steps = yield* runStep(tables, op);
    planned += steps.length;
    for (const step of steps) ledger.add(step);
  }
  const changed = (yield* got(tables.changes())) - start;
  if (changed !== planned) {
    throw new InspectorError(
      'unsupported',
      `Triggers or cascades in the database would change ${changed - planned} more rows.`,
    );
  }
  return ledger.images();
}

/** Which side of each change is stored. Reads only. */
export function* compareRows(tables: Tables, marks: readonly RowMark[]): Work<Side[]> {
  const sides: Side[] = [];
  for (const { table, before, after } of marks) {
    const spot = after ?? before;
    const absent = spot !== undefined && (yield* got(tables.find(table, placeOf(spot)))) === undefined;
    const isBefore = before ? yield* holds(tables, table, before) : absent;
    const isAfter = after ? yield* holds(tables, table, after) : absent;
    sides.push({ is: sideOf(isBefore, isAfter), what: table });
  }
  return sides;
}

function* runStep(tables: Tables, op: RowStep): Work<Step[]> {
  if (op.op === 'undo') return yield* undoRows(tables, op.images);
  const { table } = op;
  if (op.op === 'insert') return [{ table, after: yield* got(tables.insert(table, op.row)) }];
  if (op.op === 'delete') {
    const gone = yield* got(tables.delete(table, op.key));
    expectRows(table, gone.length, op.expect ?? 1);
    return gone.map((before) => ({ table, before }));
  }
  const rows = yield* got(tables.select(table, op.key));
  if (op.op === 'copy') {
    if (op.many !== true) expectRows(table, rows.length, 1);
    const copies = yield* got(tables.copy(table, op.key, op.set));
    expectRows(table, copies.length, rows.length);
    return copies.map((after) => ({ table, after }));
  }
  expectRows(table, rows.length, 1);
  const [before] = rows;
  const [after] = yield* got(tables.update(table, op.key, op.set));
  return [{ table, ...(before ? { before } : {}), ...(after ? { after } : {}) }];
}

export function expectRows(table: string, found: number, expected: number): void {
  if (found === expected) return;
  throw new InspectorError('changed', `The plan expects ${expected} rows in "${table}", there are ${found}.`, {
    data: { table, expected, found },
  });
}

export function* runCheck(tables: Tables, check: RowCheck): Work<void> {
  const { table, key } = check;
  if (check.check === 'max') return yield* checkMax(tables, check);
  const rows = yield* got(tables.select(table, key));
  if (check.check === 'absent') return expectRows(table, rows.length, 0);
  expectRows(table, rows.length, 1);
  const cells = rows[0]?.cells;
  const other = Object.entries(check.equals).find(([name, value]) => !sameValue(cells?.get(name), value));
  if (!other) return;
  throw new InspectorError('changed', `Column "${other[0]}" of the row in "${table}" has changed.`, {
    data: { table, column: other[0] },
  });
}

function* checkMax(tables: Tables, check: Extract<RowCheck, { check: 'max' }>): Work<void> {
  const now = yield* got(tables.max(check.table, check.key, check.column));
  if (sameValue(now, check.value ?? null)) return;
  throw new InspectorError('head_moved', 'A checkpoint was saved after the preview.', {
    data: { planned: show(check.value ?? null), now: show(now) },
  });
}

function show(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : 'bytes';
}

/** A transaction either happened or did not. */
export function settledRows(images: readonly RowImage[], sides: readonly Side[]): Settled {
  const count = (is: Side['is']) => sides.filter((side) => side.is === is).length;
  if (count('after') === 0 || count('after') < count('before')) return nothingDone(images);
  return { outcome: 'completed', skipped: [], failed: [], done: doneLines(images) };
}

/** One transaction; a throw rolls it back. */
export type Transact = <T>(work: (tables: Tables) => T) => T;

/** One transaction, never held open while images are made durable elsewhere: then the steps are rehearsed first. */
export async function changeRows(transact: Transact, steps: RowSteps, hooks: ApplyHooks): Promise<Applied> {
  const first = attempt(transact, (tables) => {
    const images = doNow(applyRows(tables, steps));
    const kept = hooks.prepared(images);
    if (!kept) hooks.onStep?.('intent');
    return { images, kept, isDone: !kept };
  });
  await first.kept;
  if (!first.isDone) {
    hooks.onStep?.('intent');
    transact((tables) => assertSame(doNow(applyRows(tables, steps)), first.images));
  }
  hooks.onStep?.('written');
  return { images: first.images, skipped: [], failed: [], done: doneLines(first.images) };
}

/** Rolls back what is not done. */
function attempt<T extends { readonly isDone: boolean }>(transact: Transact, work: (tables: Tables) => T): T {
  let result: T | undefined;
  try {
    return transact((tables) => {
      result = work(tables);
      if (result.isDone) return result;
      throw new Error('rehearsed');
    });
  } catch (error) {
    if (result && !result.isDone) return result;
    throw error;
  }
}

function assertSame(now: readonly RowImage[], rehearsed: readonly RowImage[]): void {
  const marks = (images: readonly RowImage[]) => JSON.stringify(images.map(({ mark }) => mark));
  if (marks(now) === marks(rehearsed)) return;
  throw new InspectorError('changed', 'The store changed while this change was being recorded.');
}
