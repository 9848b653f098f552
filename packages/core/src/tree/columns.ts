import { type InSteps, mapInSteps, toEnd } from '../in-steps.ts';
import type { CheckpointRef, CheckpointStatus, LineageKind, LineageRow } from '../model.ts';

/**
 * Lineage rows of one task column by column: a tenth of the bytes and of the work of a list of objects.
 * Arrays run in row order; one that is absent contains nothing for any row.
 */
export interface LineageColumns {
  readonly task: string;
  readonly ids: readonly string[];
  readonly namespaces?: readonly (string | null)[];
  /** Row of the parent in this task; null: none, or one of `elsewhere`. */
  readonly parents: readonly (number | null)[];
  /** Parents without a row here: of row, ref. */
  readonly elsewhere: readonly (readonly [row: number, parent: CheckpointRef])[];
  /** One letter per row: r(ecorded), s(idecar), i(nferred), n(one). */
  readonly kinds: string;
  readonly statuses: readonly CheckpointStatus[];
  readonly statusAt: readonly number[];
  /** Milliseconds since 1970 where that says the time exactly, else the text; null: none. */
  readonly times: readonly (number | string | null)[];
  /** Absent: rows are 1, 2, 3, … */
  readonly seqs?: readonly number[];
  readonly steps?: readonly (number | null)[];
  readonly descriptions: readonly string[];
  /** Place in `descriptions`, -1 for none. */
  readonly descriptionAt: readonly number[];
  /** Rows that are the latest; at most one in sound data. */
  readonly latest: readonly number[];
}

const KINDS: Readonly<Record<string, LineageKind>> = { r: 'recorded', s: 'sidecar', i: 'inferred', n: 'none' };

/** The rows that were encoded, equal to them field by field. */
export function decodeLineage(columns: LineageColumns): LineageRow[] {
  return toEnd(decodeLineageInSteps(columns));
}

export function* decodeLineageInSteps(columns: LineageColumns): InSteps<LineageRow[]> {
  const { task, ids, namespaces, parents, kinds, statuses, statusAt, times, seqs, steps } = columns;
  const elsewhere = new Map(columns.elsewhere);
  const latest = new Set(columns.latest);
  yield;
  const refAt = (at: number): CheckpointRef => {
    const namespace = namespaces?.[at] ?? undefined;
    const id = ids[at] ?? '';
    return namespace === undefined ? { task, id } : { task, namespace, id };
  };
  return yield* mapInSteps(ids, (id, at): LineageRow => {
    const place = parents[at] ?? undefined;
    const parent = place === undefined ? elsewhere.get(at) : refAt(place);
    const namespace = namespaces?.[at] ?? undefined;
    const time = times[at] ?? undefined;
    const stepIndex = steps?.[at] ?? undefined;
    const description = columns.descriptions[columns.descriptionAt[at] ?? -1];
    const row: { -readonly [Key in keyof LineageRow]: LineageRow[Key] } = {
      id,
      kind: KINDS[kinds[at] ?? 'n'] ?? 'none',
      status: statuses[statusAt[at] ?? -1] ?? 'unknown',
      seq: seqs?.[at] ?? at + 1,
      isLatest: latest.has(at),
    };
    if (namespace !== undefined) row.namespace = namespace;
    if (parent !== undefined) row.parent = parent;
    if (time !== undefined) row.time = typeof time === 'number' ? new Date(time).toISOString() : time;
    if (stepIndex !== undefined) row.stepIndex = stepIndex;
    if (description !== undefined) row.description = description;
    return row;
  });
}
