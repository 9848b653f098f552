import type { CheckpointRef } from '@checkpoint-inspector/core';
import {
  groupBy,
  inOrder,
  placedRows,
  unassignedTask,
  type Edge,
  type FolderSnapshot,
  type FolderTask,
  type PlacedRow as Placed,
} from '../folder/index.ts';
import type { FolderFiles, Row, StoredFile } from './files.ts';
import { latestOf, type KaizenLatest } from './latest.ts';
import { fileKaizenLoads } from './names.ts';

export type PlacedRow = Placed<StoredFile>;

export interface TaskRows extends FolderTask<PlacedRow> {
  /** Files of which no agent is known. */
  readonly unassigned: boolean;
  readonly latest: KaizenLatest;
}

/** The folder at one moment, as tasks and rows. */
export interface Snapshot extends FolderSnapshot<PlacedRow> {
  readonly tasks: ReadonlyMap<string, TaskRows>;
  readonly folder: FolderFiles;
}

/** Sorts the files of a folder into tasks and rows; pure, so a plan can ask it about a folder that does not exist yet. */
export function snapshotOf(listing: FolderFiles): Snapshot {
  const known = listing.files.filter((file) => file.facts);
  const agents = groupBy(known, (file) => file.facts?.agentId ?? '');
  const names = new Set(listing.files.map((file) => file.name));
  const unplaced = new Map<string, readonly Row[]>();
  for (const [agent, files] of agents) unplaced.set(agent, inOrder(rowsOfAgent(agent, files, names), sortTime));
  const rest = listing.files.filter((file) => !file.facts);
  const restTask = unassignedTask(agents);
  const unread = rest.map((file): Row => ({ file, ref: { task: restTask, id: file.name }, readable: false }));
  if (rest.length > 0) unplaced.set(restTask, inOrder(unread, sortTime));
  const refs = refsById(unplaced, restTask);
  const all = [...unplaced.values()].flat();
  const tasks = new Map<string, TaskRows>();
  for (const [id, rows] of unplaced) {
    const unassigned = id === restTask;
    const latest = latestOf(id, rows, all, unassigned);
    tasks.set(id, { id, unassigned, latest, rows: placedRows(rows, latest, refs, edgesOf) });
  }
  const placed = [...tasks.values()].flatMap((task) => task.rows);
  return { tasks, byId: groupBy(placed, (row) => row.ref.id), folder: listing };
}

/** Where a parent id leads: to an agent's checkpoint, else to the locked or broken file of that name. */
function refsById(tasks: ReadonlyMap<string, readonly Row[]>, restTask: string): Map<string, CheckpointRef> {
  const refs = new Map<string, CheckpointRef>();
  for (const row of tasks.get(restTask) ?? []) refs.set(row.file.id, row.ref);
  for (const [task, rows] of tasks) {
    for (const row of rows) if (task !== restTask && !row.ref.namespace) refs.set(row.ref.id, row.ref);
  }
  return refs;
}

function rowsOfAgent(agent: string, files: readonly StoredFile[], names: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  for (const [id, copies] of groupBy(files, (file) => file.facts?.checkpointId ?? '')) {
    const loaded = fileKaizenLoads(id, (name) => names.has(name));
    const first = copies.find((file) => file.name === loaded) ?? copies[0];
    for (const file of copies) {
      const note = loadNote(file, loaded);
      rows.push({
        file,
        // Copies under one id are told apart by their file names.
        ref: { task: agent, ...(file === first ? {} : { namespace: file.name }), id },
        readable: file.problem === undefined,
        ...(note ? { note } : {}),
      });
    }
  }
  return rows;
}

function loadNote(file: StoredFile, loaded: string | undefined): string | undefined {
  if (loaded === file.name) return undefined;
  if (loaded === undefined && file.id === file.facts?.checkpointId) {
    return `Kaizen can't load this file: it doesn't look for the name ${file.name}.`;
  }
  if (loaded === undefined) return "Kaizen can't load this file: no file is named after its checkpoint_id.";
  return `Under this id, Kaizen loads ${loaded}, not this file.`;
}

/** Rows without a time by the file's. */
function sortTime(row: Row): bigint {
  return row.readable && row.file.facts?.time ? row.file.facts.time.micros : row.file.entry.mtimeNs;
}

/**
 * Parent edges of one agent's rows, oldest first. Kaizen records a parent only in forks; ordinary saves are
 * chained by time, `inferred`. Where the step falls back, the agent has resumed from an older checkpoint: then
 * the newest earlier one that fits the step is its parent, and a new run at the lowest step has none.
 */
export function edgesOf(rows: readonly Row[], find: (id: string) => CheckpointRef | undefined): Map<Row, Edge> {
  const edges = new Map<Row, Edge>();
  const before: Row[] = [];
  let previous: Row | undefined;
  for (const row of rows) {
    const facts = row.file.facts;
    if (!facts || !row.readable) {
      edges.set(row, { kind: 'none' });
      continue;
    }
    if (facts.parentId === undefined) {
      const parent = inferredParent(row, previous, before);
      edges.set(row, parent ? { parent: parent.ref, kind: 'inferred' } : { kind: 'none' });
      previous = row;
    } else {
      // A parent that is gone is most likely one of the same agent's, pruned since.
      const parent = find(facts.parentId) ?? { task: row.ref.task, id: facts.parentId };
      edges.set(row, { parent, kind: 'recorded' });
    }
    before.push(row);
  }
  return edges;
}

function inferredParent(row: Row, previous: Row | undefined, before: readonly Row[]): Row | undefined {
  const step = row.file.facts?.stepIndex;
  const lastStep = previous?.file.facts?.stepIndex;
  if (previous && (step === undefined || lastStep === undefined || step > lastStep)) return previous;
  if (step === undefined) return before.at(-1);
  const fits = previous && lastStep !== undefined && step < lastStep ? step - 1 : step;
  return before.findLast((other) => (other.file.facts?.stepIndex ?? -1) <= fits);
}
