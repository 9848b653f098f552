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

const LETTERS: Readonly<Record<LineageKind, string>> = { recorded: 'r', sidecar: 's', inferred: 'i', none: 'n' };
const KINDS: Readonly<Record<string, LineageKind>> = { r: 'recorded', s: 'sidecar', i: 'inferred', n: 'none' };

/** @example encodeLineage('run-1', rows).ids.length === rows.length */
export function encodeLineage(task: string, rows: readonly LineageRow[]): LineageColumns {
  const { parents, elsewhere } = parentsOf(task, rows);
  const statuses = dictionary(rows.map((row) => row.status));
  const descriptions = dictionary(rows.map((row) => row.description));
  return {
    task,
    ids: rows.map((row) => row.id),
    ...(rows.some((row) => row.namespace !== undefined)
      ? { namespaces: rows.map((row) => row.namespace ?? null) }
      : {}),
    parents,
    elsewhere,
    kinds: rows.map((row) => LETTERS[row.kind]).join(''),
    statuses: statuses.words,
    statusAt: statuses.at,
    times: rows.map((row) => timeOf(row.time)),
    ...(rows.every((row, at) => row.seq === at + 1) ? {} : { seqs: rows.map((row) => row.seq) }),
    ...(rows.some((row) => row.stepIndex !== undefined) ? { steps: rows.map((row) => row.stepIndex ?? null) } : {}),
    descriptions: descriptions.words,
    descriptionAt: descriptions.at,
    latest: rows.flatMap((row, at) => (row.isLatest ? [at] : [])),
  };
}

/** The rows that were encoded, equal to them field by field. */
export function decodeLineage(columns: LineageColumns): LineageRow[] {
  const { task, ids, namespaces, parents, kinds, statuses, statusAt, times, seqs, steps } = columns;
  const elsewhere = new Map(columns.elsewhere);
  const latest = new Set(columns.latest);
  const refAt = (at: number): CheckpointRef => {
    const namespace = namespaces?.[at] ?? undefined;
    const id = ids[at] ?? '';
    return namespace === undefined ? { task, id } : { task, namespace, id };
  };
  return ids.map((id, at): LineageRow => {
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

/** A parent that is a row goes by its place; a ref that two rows share stays a ref, because both may be meant. */
function parentsOf(task: string, rows: readonly LineageRow[]): Pick<LineageColumns, 'parents' | 'elsewhere'> {
  const places = new Map<string, Map<string, number>>();
  rows.forEach((row, at) => {
    const ids = places.get(row.namespace ?? '\0') ?? new Map<string, number>();
    ids.set(row.id, ids.has(row.id) ? -1 : at);
    places.set(row.namespace ?? '\0', ids);
  });
  const elsewhere: (readonly [number, CheckpointRef])[] = [];
  const parents = rows.map(({ parent }, at) => {
    if (parent === undefined) return null;
    const place = parent.task === task ? (places.get(parent.namespace ?? '\0')?.get(parent.id) ?? -1) : -1;
    if (place >= 0) return place;
    elsewhere.push([at, parent]);
    return null;
  });
  return { parents, elsewhere };
}

function dictionary<T extends string>(
  values: readonly (T | undefined)[],
): { readonly words: readonly T[]; readonly at: readonly number[] } {
  const places = new Map<T, number>();
  const at = values.map((value) => {
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
