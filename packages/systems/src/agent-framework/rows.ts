import { eachInSteps, mapInSteps, type CheckpointRef, type InSteps, type Latest } from '@checkpoint-inspector/core';
import {
  placedRows,
  placeRow,
  rowsById,
  unassignedTask,
  type EdgesOf,
  type FolderSnapshot,
  type FolderTask,
  type PlacedRow as Placed,
  type Row as AnyRow,
} from '../folder/index.ts';
import type { StoredFile } from './files.ts';

export type Row = AnyRow<StoredFile>;
export type PlacedRow = Placed<StoredFile>;

export type TaskRows = FolderTask<PlacedRow>;

/** How the files of a folder make up a store. */
export type Layout = 'documents' | 'dotnet';

/** The folder at one moment, as tasks and rows. */
export interface Snapshot extends FolderSnapshot<PlacedRow> {
  readonly layout: Layout;
  readonly files: readonly StoredFile[];
}

/** The rules by which a layout puts rows into order. */
export interface TaskRules {
  readonly latest: (rows: readonly Row[]) => Latest;
  readonly edges: EdgesOf<StoredFile>;
}

/** Rows by task, oldest first, with their places, parents and the latest of each task. */
export function* placeRows(
  layout: Layout,
  files: readonly StoredFile[],
  unplaced: ReadonlyMap<string, readonly Row[]>,
  rest: readonly StoredFile[],
  rules: TaskRules,
): InSteps<Snapshot> {
  const restTask = unassignedTask(unplaced);
  const refs = new Map<string, CheckpointRef>();
  for (const rows of unplaced.values())
    yield* eachInSteps(rows, ({ ref }) => {
      if (!ref.namespace) refs.set(ref.id, ref);
    });
  const tasks = new Map<string, TaskRows>();
  for (const [id, rows] of unplaced) {
    const latest = rules.latest(rows);
    tasks.set(id, { id, latest, rows: yield* placedRows(rows, latest, () => refs, rules.edges) });
  }
  if (rest.length > 0) {
    const rows = yield* mapInSteps(rest, (file, at) => {
      const id = file.slice ? `${file.name}:${file.slice.start}` : file.name;
      return placeRow({ file, ref: { task: restTask, id }, readable: false }, at, undefined, { basis: 'none' });
    });
    tasks.set(restTask, { id: restTask, unassigned: true, latest: { basis: 'none' }, rows });
  }
  return { layout, tasks, byId: yield* rowsById(tasks), files };
}
