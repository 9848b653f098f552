/** What nodes tell of stored states, whoever reads them. */
import {
  compact,
  diffNodes,
  partOfNodes,
  refIn,
  valuesOfNodes,
  type Damage,
  type DiffOptions,
  type NodeWork,
  type PartRange,
  type StateDiff,
  type StatePart,
  type StateValue,
} from '@checkpoint-inspector/core';
import type { DamagedState } from '@checkpoint-inspector/io';

/** Where the state of a checkpoint is. */
export interface RootRow {
  readonly state_hash: string;
  readonly root: number;
  /** A text that is kept whole because its layout isn't compact. */
  readonly whole: number | null;
}

/**
 * Differences between two stored states, worked out from the nodes that they don't share.
 * @returns undefined where the texts are to be compared: rows show a text as it is laid out, and nodes don't know how
 */
export function* diffOf(
  before: RootRow | undefined,
  after: RootRow | undefined,
  options: DiffOptions = {},
): NodeWork<StateDiff | undefined> {
  if (!before || !after || before.whole !== null || after.whole !== null) return undefined;
  const diff = yield* diffNodes(before.root, after.root, options);
  return diff && { ...diff, revisions: [before.state_hash, after.state_hash] };
}

/** A part of a stored state. @returns undefined where the whole text is to be read */
export function* partOf(
  row: RootRow | undefined,
  steps: Parameters<typeof partOfNodes>[1],
  range: PartRange | undefined,
): NodeWork<StatePart | undefined> {
  if (!row || row.whole !== null) return undefined;
  const part = yield* partOfNodes(row.root, steps, range);
  return part && { ...part, revision: row.state_hash };
}

/** The value at a path of many stored states. @returns none where one of them is missing or its text has to be read */
export function* valuesOf(
  rows: readonly (RootRow | undefined)[],
  steps: Parameters<typeof valuesOfNodes>[1],
): NodeWork<readonly StateValue[]> {
  const cut = rows.flatMap((row) => (row?.whole === null ? [row] : []));
  if (cut.length < rows.length) return [];
  const texts = yield* valuesOfNodes(
    cut.map(({ root }) => root),
    steps,
  );
  return texts ? cut.map((row, at) => compact({ value: texts[at], revision: row.state_hash })) : [];
}

/** As people are told. */
export function damageOf(states: readonly DamagedState[]): Damage[] {
  return states.map(({ node, ...row }) => ({
    ref: refIn(row.task, row),
    message: `Part ${node} of its state is damaged or missing.`,
  }));
}
