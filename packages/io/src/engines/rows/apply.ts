import { InspectorError } from '@checkpoint-inspector/core';
import { nothingDone, sideOf, type Applied, type ApplyHooks, type Settled, type Side } from '../executor.ts';
import { sameValue } from './cells.ts';
import type { RowCheck, RowStep, RowSteps } from './job.ts';
import { Ledger, type Step } from './ledger.ts';
import { doneLines, placeOf, type RowImage, type RowMark } from './mark.ts';
import { holds, type Tables } from './tables.ts';
import { undoRows } from './undo.ts';

/**
 * Checks and does the steps of a job inside the caller's transaction. A throw must roll everything back.
 * @throws InspectorError changed | head_moved (a check fails, a step meets another number of rows) | unsupported (a trigger)
 */
export function applyRows(tables: Tables, { checks, ops }: RowSteps): RowImage[] {
  for (const check of checks) runCheck(tables, check);
  const start = tables.changes();
  const ledger = new Ledger();
  let planned = 0;
  for (const op of ops) {
    const steps = runStep(tables, op);
    planned += steps.length;
    for (const step of steps) ledger.add(step);
  }
  const changed = tables.changes() - start;
  if (changed !== planned) {
    throw new InspectorError(
      'unsupported',
      `Triggers or cascades of the database would change ${changed - planned} more rows.`,
    );
  }
  return ledger.images();
}

/** Which side of each change is stored. Reads only. */
export function compareRows(tables: Tables, marks: readonly RowMark[]): Side[] {
  return marks.map(({ table, before, after }) => {
    const spot = after ?? before;
    const absent = spot !== undefined && tables.find(table, placeOf(spot)) === undefined;
    const is = sideOf(before ? holds(tables, table, before) : absent, after ? holds(tables, table, after) : absent);
    return { is, what: table };
  });
}

function runStep(tables: Tables, op: RowStep): Step[] {
  if (op.op === 'undo') return undoRows(tables, op.images);
  const { table } = op;
  if (op.op === 'insert') return [{ table, after: tables.insert(table, op.row) }];
  const rows = tables.select(table, op.key);
  if (op.op === 'copy') {
    if (op.many !== true) expectRows(table, rows.length, 1);
    const copies = tables.copy(table, op.key, op.set);
    expectRows(table, copies.length, rows.length);
    return copies.map((after) => ({ table, after }));
  }
  if (op.op === 'delete') {
    expectRows(table, rows.length, op.expect ?? 1);
    expectRows(table, tables.delete(table, op.key), rows.length);
    return rows.map((before) => ({ table, before }));
  }
  expectRows(table, rows.length, 1);
  const [before] = rows;
  const [after] = tables.update(table, op.key, op.set);
  return [{ table, ...(before ? { before } : {}), ...(after ? { after } : {}) }];
}

function expectRows(table: string, found: number, expected: number): void {
  if (found === expected) return;
  throw new InspectorError('changed', `The plan expects ${expected} rows in "${table}", there are ${found}.`, {
    data: { table, expected, found },
  });
}

function runCheck(tables: Tables, check: RowCheck): void {
  const { table, key } = check;
  if (check.check === 'max') return checkMax(tables, check);
  const rows = tables.select(table, key);
  if (check.check === 'absent') return expectRows(table, rows.length, 0);
  expectRows(table, rows.length, 1);
  const cells = rows[0]?.cells;
  const other = Object.entries(check.equals).find(([name, value]) => !sameValue(cells?.get(name), value));
  if (!other) return;
  throw new InspectorError('changed', `Column "${other[0]}" of the row in "${table}" has changed.`, {
    data: { table, column: other[0] },
  });
}

function checkMax(tables: Tables, check: Extract<RowCheck, { check: 'max' }>): void {
  const now = tables.max(check.table, check.key, check.column);
  if (sameValue(now, check.value ?? null)) return;
  throw new InspectorError('head_moved', 'A checkpoint was saved since the preview.', {
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

/**
 * Does the steps in one transaction, which is never held open while the images are made durable elsewhere: then the steps
 * are rehearsed first, and done once they still come out the same.
 */
export async function changeRows(transact: Transact, steps: RowSteps, hooks: ApplyHooks): Promise<Applied> {
  const first = attempt(transact, (tables) => {
    const images = applyRows(tables, steps);
    const kept = hooks.prepared(images);
    if (!kept) hooks.onStep?.('intent');
    return { images, kept, isDone: !kept };
  });
  await first.kept;
  if (!first.isDone) {
    hooks.onStep?.('intent');
    transact((tables) => assertSame(applyRows(tables, steps), first.images));
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
  throw new InspectorError('changed', 'The store was changed while the change was being recorded.');
}
