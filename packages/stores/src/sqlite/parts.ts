/** Differences between stored states and parts of them, read without the rest. */
import {
  answerNodes,
  parsePath,
  type CheckpointRef,
  type DiffOptions,
  type PartRange,
  type StateDiff,
  type StatePart,
  type StateValue,
} from '@checkpoint-inspector/core';
import { hasNodes, prepared, readBodies, readTogether, type SqliteDatabase } from '@checkpoint-inspector/io';
import { keyOf } from '../options.ts';
import { diffOf, partOf, valuesOf, type RootRow } from '../parts.ts';
import { TABLE } from './schema.ts';

const ROOT = `SELECT state_hash, root, whole FROM ${TABLE} WHERE task = ? AND namespace = ? AND id = ?`;

const rootOf = (db: SqliteDatabase, ref: CheckpointRef): RootRow | undefined =>
  prepared<RootRow>(db, ROOT).get(...keyOf(ref));

/** @returns undefined where the texts are to be compared */
export function readDiff(
  db: SqliteDatabase,
  a: CheckpointRef,
  b: CheckpointRef,
  options: DiffOptions = {},
): StateDiff | undefined {
  if (!hasNodes(db)) return undefined;
  // Ids of nodes that a collection removes are used again, so all of them are read at one moment.
  return readTogether(db, () =>
    answerNodes(diffOf(rootOf(db, a), rootOf(db, b), options), (ids) => readBodies(db, ids)),
  );
}

/** @returns undefined where the whole text is to be read */
export function readPart(
  db: SqliteDatabase,
  ref: CheckpointRef,
  path: string,
  range?: PartRange,
): StatePart | undefined {
  const steps = parsePath(path);
  if (!hasNodes(db)) return undefined;
  return readTogether(db, () => answerNodes(partOf(rootOf(db, ref), steps, range), (ids) => readBodies(db, ids)));
}

export function readValues(
  db: SqliteDatabase,
  refs: readonly CheckpointRef[],
  path: string,
): readonly (StateValue | undefined)[] {
  const steps = parsePath(path);
  if (!hasNodes(db)) return [];
  return readTogether(db, () => {
    const rows = refs.map((ref) => rootOf(db, ref));
    return answerNodes(valuesOf(rows, steps), (ids) => readBodies(db, ids));
  });
}
