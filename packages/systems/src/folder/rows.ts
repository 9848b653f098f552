/** The files of a folder as tasks and rows, by the rules of the system that wrote them. */
import {
  eachInSteps,
  mapInSteps,
  sameRef,
  sortInSteps,
  toEnd,
  type CheckpointRef,
  type InSteps,
  type Latest,
  type LineageKind,
  type Problem,
} from '@checkpoint-inspector/core';
import { readBounded, type FolderFile } from '@checkpoint-inspector/io';
import { join } from 'node:path';

/** A file that may contain a checkpoint. */
export interface StoredDocument extends FolderFile {
  /** sha256 of the document's text; absent where there is a problem. */
  readonly revision?: string | undefined;
  readonly problem?: Problem | undefined;
  /** Only these bytes of the file are meant: one line of an index. */
  readonly slice?: { readonly start: number; readonly end: number };
}

/** One checkpoint file in its place. */
export interface FolderRow<F extends StoredDocument = StoredDocument> {
  readonly file: F;
  readonly ref: CheckpointRef;
  /** 1-based, oldest = 1. */
  readonly seq: number;
  readonly parent?: CheckpointRef;
  readonly lineage?: LineageKind;
}

export interface FolderTask<R extends FolderRow> {
  readonly id: string;
  /** Files of which no task is known. */
  readonly unassigned?: boolean;
  /** Oldest first. */
  readonly rows: readonly R[];
  readonly latest: Latest;
}

/** Every row that has an id, in any task. */
export type RowsById<R> = ReadonlyMap<string, readonly R[]>;

/** The folder at one moment. */
export interface FolderSnapshot<R extends FolderRow> {
  readonly tasks: ReadonlyMap<string, FolderTask<R>>;
  readonly byId: RowsById<R>;
}

/** What the rules of time and parents read of a document. */
interface TimedFacts {
  readonly parentId?: string;
  readonly time?: { readonly micros: bigint; readonly naive?: boolean };
}

/** A row before it has its place. */
export interface Row<F extends StoredDocument> {
  readonly file: F;
  readonly ref: CheckpointRef;
  /** The file contains a whole checkpoint. */
  readonly readable: boolean;
  /** What to know about this row. */
  readonly note?: string;
}

export interface Edge {
  readonly parent?: CheckpointRef;
  readonly kind: LineageKind;
}

/** The parents of a task's rows; `find` tells where an id leads. */
export type EdgesOf<F extends StoredDocument> = (
  rows: readonly Row<F>[],
  find: (id: string) => CheckpointRef | undefined,
) => InSteps<ReadonlyMap<Row<F>, Edge>>;

export interface PlacedRow<F extends StoredDocument> extends Row<F> {
  readonly seq: number;
  readonly parent?: CheckpointRef;
  readonly lineage: LineageKind;
  readonly isLatest: boolean;
}

/** The row of a ref, exactly. */
export function findRow<R extends FolderRow>(
  { byId }: Pick<FolderSnapshot<R>, 'byId'>,
  ref: CheckpointRef,
): R | undefined {
  return byId.get(ref.id)?.find((row) => sameRef(row.ref, ref));
}

export function* rowsById<R extends FolderRow>(tasks: ReadonlyMap<string, FolderTask<R>>): InSteps<RowsById<R>> {
  const rows = [...tasks.values()].flatMap((task) => task.rows);
  return yield* groupInSteps(rows, (row) => row.ref.id);
}

export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The same with stops, for what is made of every file of a folder. */
export function lazilyInSteps<T>(make: () => InSteps<T>): () => InSteps<T> {
  let made: { readonly value: T } | undefined;
  return function* () {
    made ??= { value: yield* make() };
    return made.value;
  };
}

/** What is known of a task holds still: the same files, in any order. */
export function hasSameFiles<F extends StoredDocument>(
  { rows }: FolderTask<FolderRow<F>>,
  files: readonly F[],
): boolean {
  if (rows.length !== files.length) return false;
  const known = new Set(rows.map((row) => row.file));
  return files.every((file) => known.has(file));
}

const newestFirst = new WeakMap<readonly FolderRow[], readonly FolderRow[]>();

/** The rows of a task as pages list them; turned round once, however many pages are asked for. */
export function newestFirstOf<R extends FolderRow>(rows: readonly R[]): readonly R[] {
  const known = newestFirst.get(rows) as readonly R[] | undefined;
  if (known) return known;
  const turned = rows.toReversed();
  newestFirst.set(rows, turned);
  return turned;
}

/** The ids of most rows are their keys as they are; a namespace never holds a null character. */

type TimedRow = { readonly file: { readonly facts?: TimedFacts } };

export function timeOf(row: TimedRow): bigint {
  return row.file.facts?.time?.micros ?? 0n;
}

/** True where Python would raise a TypeError: it does not compare times with and without an offset. */
export function hasMixedTimes(rows: readonly TimedRow[]): boolean {
  const naive = rows.filter((row) => row.file.facts?.time?.naive).length;
  return naive > 0 && naive < rows.length;
}

/** What there is to say of a latest, as one note. */
export function noteOf(notes: readonly string[]): { note?: string } {
  return notes.length > 0 ? { note: notes.join(' ') } : {};
}

/** A row with its place, its parent and whether it is the latest. */
export function placeRow<F extends StoredDocument>(
  row: Row<F>,
  at: number,
  edge: Edge | undefined,
  latest: Latest,
): PlacedRow<F> {
  const placed = { ...row, seq: at + 1, lineage: edge?.kind ?? 'none', isLatest: latest.ref === row.ref };
  return edge?.parent ? Object.assign(placed, { parent: edge.parent }) : placed;
}

/** The rows of a task, oldest first, in their places. A parent is looked for among them, then in `refs`, made only where one is. */
export function* placedRows<F extends StoredDocument>(
  rows: readonly Row<F>[],
  latest: Latest,
  refs: () => ReadonlyMap<string, CheckpointRef>,
  edgesOf: EdgesOf<F>,
): InSteps<PlacedRow<F>[]> {
  const own = new Map<string, CheckpointRef>();
  yield* eachInSteps(rows, ({ ref }) => {
    if (!ref.namespace) own.set(ref.id, ref);
  });
  const edges = yield* edgesOf(rows, (id) => own.get(id) ?? refs().get(id));
  return yield* mapInSteps(rows, (row, at) => placeRow(row, at, edges.get(row), latest));
}

/** A task id that none of the tasks has. */
export function unassignedTask(tasks: { readonly has: (id: string) => boolean }, name = 'unassigned files'): string {
  let id = name;
  while (tasks.has(id)) id = `${id}*`;
  return id;
}

/** Oldest first: what cannot be read, then by `sortTime`; a copy with its parent's time comes after it. */
export function* inOrder<F extends StoredDocument & { readonly facts?: TimedFacts }>(
  rows: readonly Row<F>[],
  sortTime: (row: Row<F>) => bigint,
): InSteps<Row<F>[]> {
  const times = new Map<Row<F>, ReturnType<typeof timeKey>>();
  yield* eachInSteps(rows, (row) => void times.set(row, timeKey(sortTime(row))));
  let byId: ReadonlyMap<string, readonly Row<F>[]> | undefined;
  const depths = new Map<Row<F>, number>();
  // Only asked of rows with the very same time, which are few.
  const depthOf = (row: Row<F>): number => {
    const known = depths.get(row);
    if (known !== undefined) return known;
    byId ??= groupBy(rows, (one) => one.ref.id);
    const depth = depthAmongTies(row, byId, rows.length);
    depths.set(row, depth);
    return depth;
  };
  return yield* sortInSteps(
    rows,
    (a, b) =>
      Number(a.readable) - Number(b.readable) ||
      (times.get(a)?.coarse ?? 0) - (times.get(b)?.coarse ?? 0) ||
      compare(times.get(a)?.exact ?? 0n, times.get(b)?.exact ?? 0n) ||
      depthOf(a) - depthOf(b) ||
      compare(a.ref.id, b.ref.id) ||
      // Of copies under one id the one that the id leads to is the later.
      compare(b.ref.namespace ?? '', a.ref.namespace ?? ''),
  );
}

/** Numbers are compared many times faster than bigints, which decide where two are as good as equal. */
const timeKey = (exact: bigint): { readonly coarse: number; readonly exact: bigint } => ({
  coarse: Number(exact),
  exact,
});

/** How many recorded parents in a row have the very same time; `limit` ends a cycle. */
function depthAmongTies<F extends StoredDocument & { readonly facts?: TimedFacts }>(
  row: Row<F>,
  byId: ReadonlyMap<string, readonly Row<F>[]>,
  limit: number,
): number {
  let depth = 0;
  for (let at: Row<F> | undefined = row; at && depth < limit; depth++) {
    const { parentId, time }: TimedFacts = at.file.facts ?? {};
    if (parentId === undefined || time === undefined) return depth;
    at = byId.get(parentId)?.find((other) => other.file.facts?.time?.micros === time.micros);
    if (!at) return depth;
  }
  return depth;
}

export function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  return toEnd(groupInSteps(items, keyOf));
}

/** `groupBy`, with stops. */
export function* groupInSteps<T>(items: readonly T[], keyOf: (item: T) => string): InSteps<Map<string, T[]>> {
  const groups = new Map<string, T[]>();
  yield* eachInSteps(items, (item) => {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  });
  return groups;
}

/** The stored bytes: a file of the folder, or the part of it that is meant. @throws InspectorError not_found | unreadable | too_large */
export async function readStored(folder: string, { entry, slice }: StoredDocument): Promise<Uint8Array> {
  const bytes = await readBounded(join(folder, entry.name));
  return slice ? bytes.slice(slice.start, slice.end) : bytes;
}
