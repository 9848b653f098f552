import { InspectorError, sameRef, type CheckpointRef, type Latest, type LineageKind } from '@checkpoint-inspector/core';
import type { StoredFile } from './files.ts';

/** One checkpoint in its place. */
export interface Row {
  readonly file: StoredFile;
  readonly ref: CheckpointRef;
  /** The file holds a whole checkpoint. */
  readonly readable: boolean;
  /** What to know about this row. */
  readonly note?: string;
}

export interface Edge {
  readonly parent?: CheckpointRef;
  readonly kind: LineageKind;
}

export interface PlacedRow extends Row {
  /** 1-based, oldest = 1. */
  readonly seq: number;
  readonly parent?: CheckpointRef;
  readonly lineage: LineageKind;
  readonly isLatest: boolean;
}

export interface TaskRows {
  readonly id: string;
  /** Files of which no workflow is known. */
  readonly unassigned: boolean;
  /** Oldest first. */
  readonly rows: readonly PlacedRow[];
  readonly latest: Latest;
}

/** How the files of a folder make up a store. */
export type Layout = 'documents' | 'dotnet';

/** The folder at one moment, as tasks and rows. */
export interface Snapshot {
  readonly layout: Layout;
  readonly tasks: ReadonlyMap<string, TaskRows>;
  readonly byId: ReadonlyMap<string, readonly PlacedRow[]>;
  readonly files: readonly StoredFile[];
}

/** The rules by which a layout puts rows into order. */
export interface TaskRules {
  readonly latest: (rows: readonly Row[]) => Latest;
  readonly edges: (rows: readonly Row[], find: (id: string) => CheckpointRef | undefined) => ReadonlyMap<Row, Edge>;
}

/** Rows by task, oldest first, with their places, parents and the latest of each task. */
export function placeRows(
  layout: Layout,
  files: readonly StoredFile[],
  unplaced: ReadonlyMap<string, readonly Row[]>,
  rest: readonly StoredFile[],
  rules: TaskRules,
): Snapshot {
  const restTask = unassignedTask(unplaced);
  const refs = new Map<string, CheckpointRef>();
  for (const rows of unplaced.values()) for (const row of rows) if (!row.ref.namespace) refs.set(row.ref.id, row.ref);
  const tasks = new Map<string, TaskRows>();
  for (const [id, rows] of unplaced) {
    const own = new Map(rows.filter((row) => !row.ref.namespace).map((row) => [row.ref.id, row.ref]));
    const latest = rules.latest(rows);
    const edges = rules.edges(rows, (parent) => own.get(parent) ?? refs.get(parent));
    tasks.set(id, {
      id,
      unassigned: false,
      latest,
      rows: rows.map((row, at) => place(row, at, edges.get(row), latest)),
    });
  }
  if (rest.length > 0) {
    const rows = rest.map((file, at) => {
      const id = file.slice ? `${file.name}:${file.slice.start}` : file.name;
      return place({ file, ref: { task: restTask, id }, readable: false }, at, undefined, { basis: 'none' });
    });
    tasks.set(restTask, { id: restTask, unassigned: true, latest: { basis: 'none' }, rows });
  }
  const all = [...tasks.values()].flatMap((task) => task.rows);
  return { layout, tasks, byId: groupBy(all, (row) => row.ref.id), files };
}

/** The row of a ref, exactly. */
export function findRow(snapshot: Snapshot, ref: CheckpointRef): PlacedRow | undefined {
  return snapshot.tasks.get(ref.task)?.rows.find((row) => sameRef(row.ref, ref));
}

export function notFound(ref: CheckpointRef): InspectorError {
  return new InspectorError('not_found', `No checkpoint "${ref.id}" in "${ref.task}".`, { data: { ...ref } });
}

export function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function place(row: Row, at: number, edge: Edge | undefined, latest: Latest): PlacedRow {
  return {
    ...row,
    seq: at + 1,
    ...(edge?.parent ? { parent: edge.parent } : {}),
    lineage: edge?.kind ?? 'none',
    isLatest: latest.ref === row.ref,
  };
}

/** A task id that no workflow has. */
function unassignedTask(tasks: ReadonlyMap<string, unknown>): string {
  let id = 'unassigned files';
  while (tasks.has(id)) id = `${id}*`;
  return id;
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
