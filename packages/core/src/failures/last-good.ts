import { refKey } from '../ids.ts';
import type { CheckpointRef, LineageRow } from '../model.ts';

/**
 * The way back from a failed checkpoint over its parents, nearest first: those that did not fail. The first of them
 * is the last good one; the next are for when it cannot be read. A cycle or a parent that is gone ends the way.
 * @param rowOf the rows of the task by ref
 * @example const [good] = goodAncestors(failed, (ref) => rows.get(refKey(ref)));
 */
export function* goodAncestors(
  failed: LineageRow,
  rowOf: (ref: CheckpointRef) => LineageRow | undefined,
): Generator<CheckpointRef, void> {
  const seen = new Set<string>();
  for (let ref = failed.parent; ref !== undefined && !seen.has(refKey(ref));) {
    seen.add(refKey(ref));
    const row = rowOf(ref);
    if (row === undefined) return;
    if (row.status !== 'failed') yield ref;
    ref = row.parent;
  }
}
