import type { Plan } from '../change/index.ts';
import { InspectorError } from '../errors.ts';
import type { NativeSteps } from '../native/plan.ts';
import { memoryTables, TABLE, type MemoryAccess } from '../native/tables.ts';

/**
 * Carries out a plan of a `MemoryStore`, for tests of this package; the engines live elsewhere.
 * @throws InspectorError changed when the store is no longer the one that was planned; nothing is written then
 * @example describeStore('mine', { open: async (options) => ({ store: new MemoryStore(options), apply: async (plan) => applyRows(plan) }) })
 */
export function applyRows({ job }: Plan): void {
  const tables = memoryTables(job.place);
  if (job.engine !== 'memory' || !tables || !isNative(job.steps)) {
    throw new InspectorError('unsupported', 'Only plans of a memory store.');
  }
  const { steps } = job;
  tables.transaction((access) => run(access, steps));
}

function isNative(steps: unknown): steps is NativeSteps {
  return typeof steps === 'object' && steps !== null && 'unchanged' in steps && 'removes' in steps;
}

function run(access: MemoryAccess, { unchanged, copy, removes }: NativeSteps): void {
  const rowsOf = ({ task, id }: { task: string; id: string }) => access.select(TABLE, { task, id });
  for (const { ref, revision } of unchanged) {
    if (rowsOf(ref)[0]?.row['state_hash'] !== revision) throw new InspectorError('changed', `"${ref.id}" has changed.`);
  }
  if (copy) {
    const newest = access.select(TABLE, { task: copy.to.task }).at(-1)?.rowid;
    if (rowsOf(copy.to).length > 0 || Number(newest ?? -1) !== (copy.newest ?? -1)) {
      throw new InspectorError('changed', 'The task has moved on.');
    }
    const { task, id } = copy.to;
    for (const { row } of rowsOf(copy.from)) access.insert(TABLE, { ...row, ...copy.set, task, id });
  }
  for (const { task, id } of removes) access.delete(TABLE, { task, id });
}
