import { InspectorError, type RowCheck, type RowOp } from '@checkpoint-inspector/core';
import { sameValue } from './cells.ts';
import type { Job, RowImage, RowMark } from './images.ts';
import { Ledger, type Step } from './ledger.ts';
import { holds, type RowEngine } from './row-engine.ts';
import { undoRows } from './rows-undo.ts';
import { sideOf, type Side } from './sides.ts';

/**
 * Checks and does the ops of a job inside the caller's transaction. A throw must roll everything back.
 * @throws InspectorError changed | head_moved (a check fails, an op meets another number of rows) | unsupported (a trigger)
 */
export function applyRows(engine: RowEngine, job: Job): RowImage[] {
  for (const check of job.checks) runCheck(engine, check);
  const start = engine.changes();
  const ledger = new Ledger();
  let planned = 0;
  for (const op of job.ops) {
    const steps = op.op === 'rows.undo' ? undoRows(engine, op.images) : runOp(engine, asRowOp(op));
    planned += steps.length;
    for (const step of steps) ledger.add(step);
  }
  const changed = engine.changes() - start;
  if (changed !== planned) {
    throw new InspectorError(
      'unsupported',
      `Triggers or cascades of the database would change ${changed - planned} more rows.`,
    );
  }
  return ledger.images();
}

/** Which side of each change is stored. Reads only. */
export function compareRows(engine: RowEngine, marks: readonly RowMark[]): Side[] {
  return marks.map(({ table, before, after }) => {
    const place = after ?? before;
    const absent = place !== undefined && engine.find(table, place) === undefined;
    return sideOf(before ? holds(engine, table, before) : absent, after ? holds(engine, table, after) : absent);
  });
}

function asRowOp(op: Exclude<Job['ops'][number], { op: 'rows.undo' }>): RowOp {
  if (op.op !== 'file.create' && op.op !== 'file.trash') return op;
  throw new InspectorError('internal', 'A plan for tables holds ops on files.');
}

function runOp(engine: RowEngine, op: RowOp): Step[] {
  const { table } = op;
  if (op.op === 'row.insert') return [{ table, after: engine.insert(table, op.row, op.rowid) }];
  const rows = engine.select(table, op.key);
  if (op.op === 'row.copy') {
    if (op.many !== true) expectRows(table, rows.length, 1);
    const copies = engine.copy(table, op.key, op.set);
    expectRows(table, copies.length, rows.length);
    return copies.map((after) => ({ table, after }));
  }
  if (op.op === 'row.delete') {
    expectRows(table, rows.length, op.expect ?? 1);
    expectRows(table, engine.delete(table, op.key), rows.length);
    return rows.map((before) => ({ table, before }));
  }
  expectRows(table, rows.length, 1);
  const [before] = rows;
  const [after] = engine.update(table, op.key, op.set);
  return [{ table, ...(before ? { before } : {}), ...(after ? { after } : {}) }];
}

function expectRows(table: string, found: number, expected: number): void {
  if (found === expected) return;
  throw new InspectorError('changed', `The plan expects ${expected} rows in "${table}", there are ${found}.`, {
    data: { table, expected, found },
  });
}

function runCheck(engine: RowEngine, check: RowCheck): void {
  const { table, key } = check;
  if (check.check === 'max') return checkMax(engine, check);
  const rows = engine.select(table, key);
  if (check.check === 'absent') return expectRows(table, rows.length, 0);
  expectRows(table, rows.length, 1);
  const cells = rows[0]?.cells;
  const other = Object.entries(check.equals).find(([name, value]) => !sameValue(cells?.get(name), value));
  if (!other) return;
  throw new InspectorError('changed', `Column "${other[0]}" of the row in "${table}" has changed.`, {
    data: { table, column: other[0] },
  });
}

function checkMax(engine: RowEngine, check: Extract<RowCheck, { check: 'max' }>): void {
  const now = engine.max(check.table, check.key, check.column);
  if (sameValue(now, check.value ?? null)) return;
  throw new InspectorError('head_moved', 'A checkpoint was saved since the preview.', {
    data: { planned: show(check.value ?? null), now: show(now) },
  });
}

function show(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : 'bytes';
}
