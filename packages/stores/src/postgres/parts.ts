/** Differences between stored states and parts of them, read without the rest. Call these in one snapshot. */
import {
  answerNodesFrom,
  parsePath,
  type CheckpointRef,
  type DiffOptions,
  type PartRange,
  type StateDiff,
  type StatePart,
} from '@checkpoint-inspector/core';
import { readBodiesFrom, type PostgresReader } from '@checkpoint-inspector/io';
import { diffOf, partOf, type RootRow } from '../parts.ts';
import { rootOf } from './read.ts';

async function rowOf(reader: PostgresReader, ref: CheckpointRef): Promise<RootRow | undefined> {
  const row = await rootOf(reader, ref);
  return row && { ...row, root: Number(row.root), whole: row.whole === null ? null : Number(row.whole) };
}

/** @returns undefined where the texts are to be compared */
export async function readDiff(
  reader: PostgresReader,
  a: CheckpointRef,
  b: CheckpointRef,
  options: DiffOptions = {},
): Promise<StateDiff | undefined> {
  const work = diffOf(await rowOf(reader, a), await rowOf(reader, b), options);
  return answerNodesFrom(work, (ids) => readBodiesFrom(reader, ids));
}

/** @returns undefined where the whole text is to be read */
export async function readPart(
  reader: PostgresReader,
  ref: CheckpointRef,
  path: string,
  range?: PartRange,
): Promise<StatePart | undefined> {
  const steps = parsePath(path);
  return answerNodesFrom(partOf(await rowOf(reader, ref), steps, range), (ids) => readBodiesFrom(reader, ids));
}
