import { type InSteps, mapInSteps, toEnd } from '../in-steps.ts';
import type { CheckpointRef, CheckpointStatus, LineageKind, LineageRow, Problem } from '../model.ts';

/**
 * Lineage rows of one task column by column: a fraction of the bytes and of the work of a list of objects.
 * Lists run in row order; one that is absent contains nothing for any row.
 */
export interface LineageColumns {
  readonly task: string;
  readonly ids: readonly string[];
  readonly namespaces?: readonly (string | null)[];
  /** One letter per row: r(ecorded), s(idecar), i(nferred), n(one). The parent is the row before, unless `parents` says another. */
  readonly kinds: string;
  /** Of row: the parent's row, or its ref; null: none, whatever the kind. */
  readonly parents: readonly (readonly [row: number, parent: number | CheckpointRef | null])[];
  /** The first letter of each status. */
  readonly statuses: string;
  readonly times: readonly (string | null)[];
  /** Of row: its `seq`, from which the next rows count on. Before the first of them rows are 1, 2, 3, … */
  readonly seqs?: readonly (readonly [row: number, seq: number])[];
  readonly steps: readonly (number | null)[];
  readonly descriptions: readonly (string | null)[];
  /** Rows that are the latest; at most one in sound data. */
  readonly latest: readonly number[];
  readonly problems?: readonly (readonly [row: number, code: Problem['code']])[];
}

const KINDS: Readonly<Record<string, LineageKind>> = { r: 'recorded', s: 'sidecar', i: 'inferred', n: 'none' };

const STATUSES: Readonly<Record<string, CheckpointStatus>> = {
  c: 'completed',
  r: 'running',
  f: 'failed',
  i: 'interrupted',
  p: 'pending',
  u: 'unknown',
};

/** The rows that were encoded, equal to them field by field. */
export function decodeLineage(columns: LineageColumns): LineageRow[] {
  return toEnd(decodeLineageInSteps(columns));
}

export function* decodeLineageInSteps(columns: LineageColumns): InSteps<LineageRow[]> {
  const { task, ids, namespaces, kinds, statuses, times, steps, descriptions } = columns;
  const parents = new Map(columns.parents);
  const seqs = new Map(columns.seqs);
  const latest = new Set(columns.latest);
  const problems = new Map(columns.problems);
  yield;
  const refAt = (at: number): CheckpointRef => {
    const namespace = namespaces?.[at] ?? undefined;
    const id = ids[at] ?? '';
    return namespace === undefined ? { task, id } : { task, namespace, id };
  };
  let seq = 0;
  return yield* mapInSteps(ids, (id, at): LineageRow => {
    seq = seqs.get(at) ?? seq + 1;
    const kind = KINDS[kinds[at] ?? 'n'] ?? 'none';
    const given = parents.get(at);
    const place = given === undefined && kind !== 'none' && at > 0 ? at - 1 : given;
    const parent = typeof place === 'number' ? refAt(place) : (place ?? undefined);
    const namespace = namespaces?.[at] ?? undefined;
    const time = times[at] ?? undefined;
    const stepIndex = steps[at] ?? undefined;
    const description = descriptions[at] ?? undefined;
    const row: { -readonly [Key in keyof LineageRow]: LineageRow[Key] } = {
      id,
      kind,
      status: STATUSES[statuses[at] ?? ''] ?? 'unknown',
      seq,
      isLatest: latest.has(at),
    };
    if (namespace !== undefined) row.namespace = namespace;
    if (parent !== undefined) row.parent = parent;
    if (time !== undefined) row.time = time;
    if (stepIndex !== undefined) row.stepIndex = stepIndex;
    if (description !== undefined) row.description = description;
    const problem = problems.get(at);
    if (problem !== undefined) row.problem = problem;
    return row;
  });
}
