/** Beside the reading of columns, which the page needs first. */
import type { CheckpointRef, LineageKind, LineageRow } from '../model.ts';
import { eachInSteps, type InSteps, mapInSteps, toEnd } from '../in-steps.ts';
import type { LineageColumns } from './columns.ts';

const LETTERS: Readonly<Record<LineageKind, string>> = { recorded: 'r', sidecar: 's', inferred: 'i', none: 'n' };

/** @example encodeLineage('run-1', rows).ids.length === rows.length */
export function encodeLineage(task: string, rows: readonly LineageRow[]): LineageColumns {
  return toEnd(encodeLineageInSteps(task, rows));
}

export function* encodeLineageInSteps(task: string, rows: readonly LineageRow[]): InSteps<LineageColumns> {
  const { parents, elsewhere } = yield* parentsOf(task, rows);
  const statuses = yield* dictionary(rows, (row) => row.status);
  const descriptions = yield* dictionary(rows, (row) => row.description);
  const times = yield* mapInSteps(rows, (row) => timeOf(row.time));
  const ids = rows.map((row) => row.id);
  yield;
  return {
    task,
    ids,
    ...(rows.some((row) => row.namespace !== undefined)
      ? { namespaces: rows.map((row) => row.namespace ?? null) }
      : {}),
    parents,
    elsewhere,
    kinds: rows.map((row) => LETTERS[row.kind]).join(''),
    statuses: statuses.words,
    statusAt: statuses.at,
    times,
    ...(rows.every((row, at) => row.seq === at + 1) ? {} : { seqs: rows.map((row) => row.seq) }),
    ...(rows.some((row) => row.stepIndex !== undefined) ? { steps: rows.map((row) => row.stepIndex ?? null) } : {}),
    descriptions: descriptions.words,
    descriptionAt: descriptions.at,
    latest: rows.flatMap((row, at) => (row.isLatest ? [at] : [])),
  };
}

/** A parent that is a row goes by its place; a ref that two rows share stays a ref, because both may be meant. */
function* parentsOf(task: string, rows: readonly LineageRow[]): InSteps<Pick<LineageColumns, 'parents' | 'elsewhere'>> {
  const places = new Map<string, Map<string, number>>();
  yield* eachInSteps(rows, (row, at) => {
    const ids = places.get(row.namespace ?? '\0') ?? new Map<string, number>();
    ids.set(row.id, ids.has(row.id) ? -1 : at);
    places.set(row.namespace ?? '\0', ids);
  });
  const elsewhere: (readonly [number, CheckpointRef])[] = [];
  const parents = yield* mapInSteps(rows, ({ parent }, at) => {
    if (parent === undefined) return null;
    const place = parent.task === task ? (places.get(parent.namespace ?? '\0')?.get(parent.id) ?? -1) : -1;
    if (place >= 0) return place;
    elsewhere.push([at, parent]);
    return null;
  });
  return { parents, elsewhere };
}

function* dictionary<T extends string>(
  rows: readonly LineageRow[],
  valueOf: (row: LineageRow) => T | undefined,
): InSteps<{ readonly words: readonly T[]; readonly at: readonly number[] }> {
  const places = new Map<T, number>();
  const at = yield* mapInSteps(rows, (row) => {
    const value = valueOf(row);
    if (value === undefined) return -1;
    const place = places.get(value) ?? places.size;
    places.set(value, place);
    return place;
  });
  return { words: [...places.keys()], at };
}

function timeOf(time: string | undefined): number | string | null {
  if (time === undefined) return null;
  const ms = Date.parse(time);
  return Number.isFinite(ms) && new Date(ms).toISOString() === time ? ms : time;
}
