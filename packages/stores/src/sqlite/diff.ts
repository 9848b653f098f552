/** Differences between two stored states, worked out from the nodes that they don't share. */
import {
  answerNodes,
  diffNodes,
  type CheckpointRef,
  type DiffOptions,
  type StateDiff,
} from '@checkpoint-inspector/core';
import { hasNodes, prepared, readBodies, readTogether, type SqliteDatabase } from '@checkpoint-inspector/io';
import { TABLE } from './schema.ts';

/** Where the state of a checkpoint is. */
export interface RootRow {
  readonly state_hash: string;
  readonly root: number;
  readonly whole: number | null;
}

export const ROOT = `SELECT state_hash, root, whole FROM ${TABLE} WHERE task = ? AND namespace = ? AND id = ?`;

/** @returns undefined where the texts are to be compared: rows show a text as it is laid out, and nodes don't know how */
export function readDiff(
  db: SqliteDatabase,
  a: CheckpointRef,
  b: CheckpointRef,
  options: DiffOptions = {},
): StateDiff | undefined {
  if (!hasNodes(db)) return undefined;
  // Ids of nodes that a collection removes are used again, so all of them are read at one moment.
  return readTogether(db, () => {
    const [before, after] = [a, b].map(({ task, namespace = '', id }) =>
      prepared<RootRow>(db, ROOT).get(task, namespace, id),
    );
    if (!before || !after || before.whole !== null || after.whole !== null) return undefined;
    const diff = answerNodes(diffNodes(before.root, after.root, options), (ids) => readBodies(db, ids));
    return diff && { ...diff, revisions: [before.state_hash, after.state_hash] };
  });
}
