import type { Plan } from '../change/index.ts';
import { InspectorError } from '../errors.ts';
import { parentColumns } from '../native/framed.ts';
import type { CheckpointRef } from '../model.ts';
import type { NativeSteps } from '../native/plan.ts';
import { memoryTables, TABLE, WRITES, type MemoryAccess } from '../native/tables.ts';

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

function run(access: MemoryAccess, steps: NativeSteps): void {
  const { unchanged, copy, newest = [], taken = [], moves = [], removes, clears = [] } = steps;
  const rowsOf = (ref: CheckpointRef) => access.select(TABLE, keyOf(ref));
  for (const { ref, revision } of unchanged) {
    if (rowsOf(ref)[0]?.row['state_hash'] !== revision) throw new InspectorError('changed', `"${ref.id}" has changed.`);
  }
  for (const { task, seq } of [...newest, ...(copy ? [{ task: copy.to.task, seq: copy.newest }] : [])]) {
    const last = access.select(TABLE, { task }).at(-1)?.rowid;
    if (Number(last ?? -1) !== (seq ?? -1)) throw new InspectorError('changed', 'The task has moved on.');
  }
  for (const { from, to, set } of [...(copy ? [copy] : []), ...taken]) {
    if (rowsOf(to).length > 0) throw new InspectorError('changed', `"${to.id}" is there.`);
    for (const { row } of rowsOf(from)) access.insert(TABLE, { ...row, ...set, ...keyOf(to) });
  }
  for (const { from, to, writes } of taken) {
    const wanted = writes === 'all' ? {} : { channel: '__interrupt__' };
    for (const { row } of access.select(WRITES, { ...keyOf(from), ...wanted }))
      access.insert(WRITES, { ...row, ...keyOf(to) });
  }
  for (const { ref, parent } of moves) access.update(TABLE, keyOf(ref), parentColumns(parent));
  for (const { ref } of clears) access.delete(WRITES, keyOf(ref));
  for (const ref of removes) access.delete(TABLE, keyOf(ref));
}

const keyOf = ({ task, namespace = '', id }: CheckpointRef) => ({ task, namespace, id });
