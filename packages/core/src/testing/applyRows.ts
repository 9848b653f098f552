import type { Plan, RowAccess, RowCheck, RowOp } from '../change.ts';
import { InspectorError } from '../errors.ts';

/**
 * Executes a plan on tables in memory, for tests of this package; the
 * executors for files and databases live elsewhere.
 * @throws InspectorError changed when a check fails; nothing is written then
 */
export function applyRows(plan: Plan): void {
  if (plan.target.kind !== 'memory') throw new InspectorError('unsupported', 'Only plans for tables in memory.');
  plan.target.tables.transaction((access) => {
    for (const check of plan.checks) {
      if (!holds(access, check))
        throw new InspectorError('changed', `The check "${check.check}" does not hold any more.`);
    }
    for (const op of plan.ops) {
      if (op.op === 'file.create' || op.op === 'file.trash')
        throw new InspectorError('unsupported', 'No files in memory.');
      applyRow(access, op);
    }
  });
}

function holds(access: RowAccess, check: RowCheck): boolean {
  const rows = access.select(check.table, check.key);
  if (check.check === 'absent') return rows.length === 0;
  if (check.check === 'row') {
    return (
      rows.length === 1 &&
      rows.every(({ row }) => Object.entries(check.equals).every(([name, value]) => row[name] === value))
    );
  }
  const values = rows.map(({ row }) => Number(row[check.column]));
  return check.value === undefined ? rows.length === 0 : Math.max(...values) === Number(check.value);
}

function applyRow(access: RowAccess, op: RowOp): void {
  const hits = op.op === 'row.insert' ? [] : access.select(op.table, op.key);
  const expected = op.op === 'row.delete' ? (op.expect ?? 1) : 1;
  if (op.op !== 'row.insert' && hits.length !== expected)
    throw new InspectorError('changed', `${op.op} met ${hits.length} rows.`);
  if (op.op === 'row.insert') access.insert(op.table, op.row, op.rowid);
  else if (op.op === 'row.update') access.update(op.table, op.key, op.set);
  else if (op.op === 'row.delete') access.delete(op.table, op.key);
  else for (const { row } of hits) access.insert(op.table, { ...row, ...op.set });
}
