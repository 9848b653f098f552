import type { CheckpointRef, Latest } from '@checkpoint-inspector/core';
import {
  groupBy,
  placeRow,
  unassignedTask,
  type Edge,
  type FolderSnapshot,
  type FolderTask,
  type PlacedRow as Placed,
  type Row as AnyRow,
} from '../folder/index.ts';
import type { StoredFile } from './files.ts';

export type Row = AnyRow<StoredFile>;
export type PlacedRow = Placed<StoredFile>;

export interface TaskRows extends FolderTask<PlacedRow> {
  /** Files of which no workflow is known. */
  readonly unassigned: boolean;
}

/** How the files of a folder make up a store. */
export type Layout = 'documents' | 'dotnet';

/** The folder at one moment, as tasks and rows. */
export interface Snapshot extends FolderSnapshot<PlacedRow> {
  readonly layout: Layout;
  readonly tasks: ReadonlyMap<string, TaskRows>;
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
      rows: rows.map((row, at) => placeRow(row, at, edges.get(row), latest)),
    });
  }
  if (rest.length > 0) {
    const rows = rest.map((file, at) => {
      const id = file.slice ? `${file.name}:${file.slice.start}` : file.name;
      return placeRow({ file, ref: { task: restTask, id }, readable: false }, at, undefined, { basis: 'none' });
    });
    tasks.set(restTask, { id: restTask, unassigned: true, latest: { basis: 'none' }, rows });
  }
  const all = [...tasks.values()].flatMap((task) => task.rows);
  return { layout, tasks, byId: groupBy(all, (row) => row.ref.id), files };
}
