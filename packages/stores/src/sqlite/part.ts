/** Parts of a stored state, read without the others. */
import {
  answerNodes,
  parsePath,
  partOfNodes,
  type CheckpointRef,
  type PartRange,
  type StatePart,
} from '@checkpoint-inspector/core';
import { hasNodes, prepared, readBodies, readTogether, type SqliteDatabase } from '@checkpoint-inspector/io';
import { ROOT, type RootRow } from './diff.ts';

/** @returns undefined where the whole text is to be read */
export function readPart(
  db: SqliteDatabase,
  ref: CheckpointRef,
  path: string,
  range?: PartRange,
): StatePart | undefined {
  const steps = parsePath(path);
  if (!hasNodes(db)) return undefined;
  return readTogether(db, () => {
    const row = prepared<RootRow>(db, ROOT).get(ref.task, ref.namespace ?? '', ref.id);
    if (!row || row.whole !== null) return undefined;
    const part = answerNodes(partOfNodes(row.root, steps, range), (ids) => readBodies(db, ids));
    return part && { ...part, revision: row.state_hash };
  });
}
