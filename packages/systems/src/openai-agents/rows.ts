import {
  eachInSteps,
  sortInSteps,
  toEnd,
  type CheckpointRef,
  type InSteps,
  type Latest,
} from '@checkpoint-inspector/core';
import {
  compare,
  groupInSteps,
  placedRows,
  placeRow,
  rowsById,
  unassignedTask,
  type Edge,
  type FolderSnapshot,
  type FolderTask,
  type PlacedRow as Placed,
  type Row as AnyRow,
} from '../folder/index.ts';
import { idOf, type StoredFile } from './files.ts';

type Row = AnyRow<StoredFile>;
export type PlacedRow = Placed<StoredFile>;

/** The folder at one moment. */
export interface Snapshot extends FolderSnapshot<PlacedRow> {
  readonly files: readonly StoredFile[];
}

/** All of `snapshotInSteps` at once, for plans. */
export const snapshotOf = (files: readonly StoredFile[]): Snapshot => toEnd(snapshotInSteps(files));

/** Pure, so a plan can ask it about a folder that does not exist yet. What is no string of the SDK is left out. */
export function* snapshotInSteps(files: readonly StoredFile[]): InSteps<Snapshot> {
  const tasks = new Map<string, FolderTask<PlacedRow>>();
  for (const [task, own] of yield* groupInSteps(files.filter(hasFacts), taskOf)) {
    const sorted = yield* sortInSteps(own, inOrder);
    const rows = sorted.map((file): Row => ({ file, ref: { task, id: idOf(file.name) }, readable: true }));
    const latest = latestOf(rows);
    tasks.set(task, { id: task, latest, rows: yield* placedRows(rows, latest, () => new Map(), edgesOf) });
  }
  const damaged = yield* sortInSteps(
    files.filter((file) => file.problem),
    inOrder,
  );
  if (damaged.length > 0) {
    const [task, latest] = [unassignedTask(tasks), { basis: 'none' } as const];
    const rows = damaged.map((file, at) =>
      placeRow({ file, ref: { task, id: idOf(file.name) }, readable: false }, at, undefined, latest),
    );
    tasks.set(task, { id: task, unassigned: true, latest, rows });
  }
  return { tasks, byId: yield* rowsById(tasks), files };
}

const hasFacts = ({ facts }: StoredFile): boolean => facts !== undefined;

/** The run that a string is of: all of one run begin with the same response of the model. */
export const taskOf = ({ name, facts }: Pick<StoredFile, 'name' | 'facts'>): string =>
  facts?.responses[0] ?? idOf(name);

/** By the time of the file; of one time, which a copy of a folder may give to all, by how far the run is. */
function inOrder(a: StoredFile, b: StoredFile): number {
  return (
    compare(a.entry.mtimeNs, b.entry.mtimeNs) ||
    (a.facts?.progress ?? 0) - (b.facts?.progress ?? 0) ||
    compare(a.name, b.name)
  );
}

function latestOf(rows: readonly Row[]): Latest {
  const top = rows.at(-1);
  if (!top) return { basis: 'none' };
  const tied = rows.filter(({ file }) => file.entry.mtimeNs === top.file.entry.mtimeNs).length > 1;
  return { ref: top.ref, basis: tied ? 'tie' : 'rule' };
}

/** The parent is the newest string before that is no further and has no response that this one lacks. */
function* edgesOf(rows: readonly Row[]): InSteps<ReadonlyMap<Row, Edge>> {
  const edges = new Map<Row, Edge>();
  /** Rows so far, by their last response. */
  const seen = new Map<string, Row[]>();
  yield* eachInSteps(rows, (row) => {
    const { responses = [], progress = 0 } = row.file.facts ?? {};
    const parent = parentAmong(seen, responses, progress);
    edges.set(row, parent ? { parent, kind: 'inferred' } : { kind: 'none' });
    const last = responses.at(-1);
    if (last !== undefined) seen.set(last, [...(seen.get(last) ?? []), row]);
  });
  return edges;
}

function parentAmong(
  seen: ReadonlyMap<string, readonly Row[]>,
  responses: readonly string[],
  progress: number,
): CheckpointRef | undefined {
  for (const response of responses.toReversed()) {
    const before = seen.get(response)?.findLast(({ file }) => (file.facts?.progress ?? 0) <= progress);
    if (before) return before.ref;
  }
  return undefined;
}
