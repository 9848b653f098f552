/** The files of a folder as tasks and rows, by the rules of the system that wrote them. */
import { sameRef, type CheckpointRef, type Latest, type LineageKind, type Problem } from '@checkpoint-inspector/core';
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

/** The folder at one moment. */
export interface FolderSnapshot<R extends FolderRow> {
  readonly tasks: ReadonlyMap<string, FolderTask<R>>;
  readonly byId: ReadonlyMap<string, readonly R[]>;
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
) => ReadonlyMap<Row<F>, Edge>;

export interface PlacedRow<F extends StoredDocument> extends Row<F> {
  readonly seq: number;
  readonly parent?: CheckpointRef;
  readonly lineage: LineageKind;
  readonly isLatest: boolean;
}

/** The row of a ref, exactly. */
export function findRow<R extends FolderRow>(
  snapshot: Pick<FolderSnapshot<R>, 'tasks'>,
  ref: CheckpointRef,
): R | undefined {
  return snapshot.tasks.get(ref.task)?.rows.find((row) => sameRef(row.ref, ref));
}

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
  return {
    ...row,
    seq: at + 1,
    ...(edge?.parent ? { parent: edge.parent } : {}),
    lineage: edge?.kind ?? 'none',
    isLatest: latest.ref === row.ref,
  };
}

/** The rows of a task, oldest first, in their places. A parent is looked for among them, then in `refs`. */
export function placedRows<F extends StoredDocument>(
  rows: readonly Row<F>[],
  latest: Latest,
  refs: ReadonlyMap<string, CheckpointRef>,
  edgesOf: EdgesOf<F>,
): PlacedRow<F>[] {
  const own = new Map(rows.filter((row) => !row.ref.namespace).map((row) => [row.ref.id, row.ref]));
  const edges = edgesOf(rows, (id) => own.get(id) ?? refs.get(id));
  return rows.map((row, at) => placeRow(row, at, edges.get(row), latest));
}

/** A task id that none of the tasks has. */
export function unassignedTask(tasks: ReadonlyMap<string, unknown>): string {
  let id = 'unassigned files';
  while (tasks.has(id)) id = `${id}*`;
  return id;
}

/** Oldest first: what cannot be read, then by `sortTime`; a copy with its parent's time comes after it. */
export function inOrder<F extends StoredDocument & { readonly facts?: TimedFacts }>(
  rows: readonly Row<F>[],
  sortTime: (row: Row<F>) => bigint,
): Row<F>[] {
  const byId = groupBy(rows, (row) => row.ref.id);
  const depth = new Map(rows.map((row) => [row, depthAmongTies(row, byId, rows.length)]));
  return rows.toSorted(
    (a, b) =>
      Number(a.readable) - Number(b.readable) ||
      compare(sortTime(a), sortTime(b)) ||
      (depth.get(a) ?? 0) - (depth.get(b) ?? 0) ||
      compare(a.ref.id, b.ref.id) ||
      // Of copies under one id the one that the id leads to is the later.
      compare(b.ref.namespace ?? '', a.ref.namespace ?? ''),
  );
}

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
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** The stored bytes: a file of the folder, or the part of it that is meant. @throws InspectorError not_found | unreadable | too_large */
export async function readStored(folder: string, { entry, slice }: StoredDocument): Promise<Uint8Array> {
  const bytes = await readBounded(join(folder, entry.name));
  return slice ? bytes.slice(slice.start, slice.end) : bytes;
}
