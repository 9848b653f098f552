import type { CheckpointRef } from '@checkpoint-inspector/core';
import {
  groupBy,
  hasSameFiles,
  inOrder,
  lazily,
  placedRows,
  rowsById,
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

/**
 * Sorts the files of a folder into tasks and rows; pure, so a plan can ask it about a folder that does not exist yet.
 * Tasks whose files are as they were `before` are taken over where nothing outside can change their rows.
 */
export function snapshotOf(listing: FolderFiles, before?: Snapshot): Snapshot {
  const { agents, rest } = filesByAgent(listing);
  const names = new Set(listing.files.map((file) => file.name));
  // Files of the same id decide over each other's rows, whosever they are.
  const isPlain = new Set(listing.files.map((file) => file.id)).size === listing.files.length;
  const restTask = unassignedTask(agents);
  const groups = new Map(agents);
  if (rest.length > 0) groups.set(restTask, rest);
  const refs = lazily(() => refsById(groups, restTask));
  const unplaced = (id: string, files: readonly StoredFile[]): readonly Row[] => {
    if (id !== restTask) return inOrder(rowsOfAgent(id, files, names), sortTime);
    return inOrder(
      files.map((file): Row => ({ file, ref: { task: id, id: file.name }, readable: false })),
      sortTime,
    );
  };
  const all = (): readonly Row[] => [...groups].flatMap(([id, files]) => unplaced(id, files));
  const tasks = new Map<string, TaskRows>();
  for (const [id, files] of groups) {
    const unassigned = id === restTask;
    const known = before?.tasks.get(id);
    if (isPlain && known?.unassigned === unassigned && isClosed(known) && hasSameFiles(known, files)) {
      tasks.set(id, known);
      continue;
    }
    const rows = unplaced(id, files);
    const latest = latestOf(id, rows, all, unassigned);
    tasks.set(id, { id, unassigned, latest, rows: placedRows(rows, latest, refs, edgesOf) });
  }
  return { tasks, byId: rowsById(tasks), folder: listing };
}

function filesByAgent({ files }: FolderFiles) {
  const agents = groupBy(
    files.filter((file) => file.facts),
    (file) => file.facts?.agentId ?? '',
  );
  return { agents, rest: files.filter((file) => !file.facts) };
}

/** Nothing outside the task decides over its rows: other files under an id, a parent elsewhere, other agents. */
function isClosed({ id, rows }: TaskRows): boolean {
  if (id === '') return false;
  const isOwn = ({ file, ref, note }: PlacedRow): boolean => note === undefined && file.id === ref.id;
  const own = lazily(() => new Set(rows.map((row) => row.ref.id)));
  return rows.every((row) => isOwn(row) && (row.lineage !== 'recorded' || !row.parent || own().has(row.parent.id)));
}

/** Where a parent id leads: to an agent's checkpoint, else to the locked or broken file of that name. */
function refsById(groups: ReadonlyMap<string, readonly StoredFile[]>, restTask: string): Map<string, CheckpointRef> {
  const refs = new Map<string, CheckpointRef>();
  for (const file of groups.get(restTask) ?? []) refs.set(file.id, { task: restTask, id: file.name });
  for (const [task, files] of groups) {
    if (task === restTask) continue;
    for (const { facts } of files) if (facts) refs.set(facts.checkpointId, { task, id: facts.checkpointId });
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
