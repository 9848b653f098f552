import { eachInSteps, sortInSteps, toEnd, type CheckpointRef, type InSteps } from '@checkpoint-inspector/core';
import {
  compare,
  groupInSteps,
  hasSameFiles,
  inOrder,
  lazily,
  lazilyInSteps,
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
import { fileKaizenLoads, isEncrypted, isLoadedByName } from './names.ts';
import { totalsOf, type Totals } from './totals.ts';

export type PlacedRow = Placed<StoredFile>;

export interface TaskRows extends FolderTask<PlacedRow> {
  /** Files of which no agent is known. */
  readonly unassigned: boolean;
  readonly latest: KaizenLatest;
  readonly totals: Totals;
  /** Readable rows that say the agent is running, the file that was written last first; made when first asked for. */
  readonly running: () => InSteps<readonly PlacedRow[]>;
}

/** The folder at one moment, as tasks and rows. */
export interface Snapshot extends FolderSnapshot<PlacedRow> {
  readonly tasks: ReadonlyMap<string, TaskRows>;
  readonly folder: FolderFiles;
  readonly encrypted: readonly StoredFile[];
  /** The names of its files, and the ids in these in lower case; made when first asked for. */
  readonly names: () => InSteps<ReadonlySet<string>>;
  readonly lowerIds: () => InSteps<ReadonlySet<string>>;
}

/** All of `snapshotInSteps` at once, for plans. */
export const snapshotOf = (listing: FolderFiles, before?: Snapshot): Snapshot =>
  toEnd(snapshotInSteps(listing, before));

/**
 * Sorts the files of a folder into tasks and rows; pure, so a plan can ask it about a folder that does not exist yet.
 * Tasks whose files are as they were `before` are taken over where nothing outside can change their rows.
 */
export function* snapshotInSteps(listing: FolderFiles, before?: Snapshot): InSteps<Snapshot> {
  const { agents, rest, encrypted } = yield* filesByKind(listing);
  const byName = new Map<string, StoredFile>();
  yield* eachInSteps(listing.files, (file) => void byName.set(file.id, file));
  // Files of the same id decide over each other's rows, whosever they are.
  const isPlain = byName.size === listing.files.length;
  const loadedFor = isPlain ? onlyFile(byName) : firstFile(listing.files);
  const restTask = unassignedTask(agents);
  const groups = new Map(agents);
  if (rest.length > 0) groups.set(restTask, rest);
  const refs = lazily(() => refsById(groups, restTask));
  const unplaced = (id: string, files: readonly StoredFile[]): InSteps<readonly Row[]> =>
    id === restTask
      ? inOrder(
          files.map((file) => rowOfRest(file, id)),
          sortTime,
        )
      : rowsInOrder(id, files, loadedFor);
  const all = (): readonly Row[] => [...groups].flatMap(([id, files]) => toEnd(unplaced(id, files)));
  const tasks = new Map<string, TaskRows>();
  for (const [id, files] of groups) {
    const unassigned = id === restTask;
    const known = before?.tasks.get(id);
    if (isPlain && known?.unassigned === unassigned && isClosed(known) && hasSameFiles(known, files)) {
      tasks.set(id, known);
      continue;
    }
    const rows = yield* unplaced(id, files);
    const totals = totalsOf(rows);
    const latest = latestOf({ task: id, newestFirst: rows.toReversed(), totals, all, unassigned });
    const placed = yield* placedRows(rows, latest, refs, edgesOf);
    tasks.set(id, { id, unassigned, latest, totals, rows: placed, running: lazilyInSteps(() => runningIn(placed)) });
  }
  const names = lazilyInSteps(() => setOf(listing.files, ({ name }) => name));
  const lowerIds = lazilyInSteps(() => setOf(listing.files, ({ id }) => id.toLowerCase()));
  return { tasks, byId: yield* rowsById(tasks), folder: listing, encrypted, names, lowerIds };
}

function* rowsInOrder(id: string, files: readonly StoredFile[], loadedFor: LoadedFor): InSteps<readonly Row[]> {
  return yield* inOrder(yield* rowsOfAgent(id, files, loadedFor), sortTime);
}

const rowOfRest = (file: StoredFile, task: string): Row => ({ file, ref: { task, id: file.name }, readable: false });

function* setOf(files: readonly StoredFile[], textOf: (file: StoredFile) => string): InSteps<Set<string>> {
  const texts = new Set<string>();
  yield* eachInSteps(files, (file) => void texts.add(textOf(file)));
  return texts;
}

function* runningIn(rows: readonly PlacedRow[]): InSteps<readonly PlacedRow[]> {
  const running: PlacedRow[] = [];
  yield* eachInSteps(rows, (row) => {
    if (row.readable && row.file.facts?.status === 'running') running.push(row);
  });
  return yield* sortInSteps(running, (a, b) => b.file.entry.mtimeMs - a.file.entry.mtimeMs);
}

function* filesByKind({ files }: FolderFiles) {
  const [known, rest, encrypted]: [StoredFile[], StoredFile[], StoredFile[]] = [[], [], []];
  yield* eachInSteps(files, (file) => {
    (file.facts ? known : rest).push(file);
    if (isEncrypted(file.variant)) encrypted.push(file);
  });
  const agents = yield* groupInSteps(known, (file) => file.facts?.agentId ?? '');
  return { agents, rest, encrypted };
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

/** The name of the file that Kaizen itself opens for an id. */
type LoadedFor = (id: string) => string | undefined;

/** Each id is in one name only: four names for each of very many ids would be looked for in vain. */
function onlyFile(byName: ReadonlyMap<string, StoredFile>): LoadedFor {
  return (id) => {
    const file = byName.get(id);
    return file && isLoadedByName(file) ? file.name : undefined;
  };
}

function firstFile(files: readonly StoredFile[]): LoadedFor {
  const names = new Set(files.map((file) => file.name));
  return (id) => fileKaizenLoads(id, (name) => names.has(name));
}

export function* rowsOfAgent(agent: string, files: readonly StoredFile[], loadedFor: LoadedFor): InSteps<Row[]> {
  const rows: Row[] = [];
  const byId = yield* groupInSteps(files, (file) => file.facts?.checkpointId ?? '');
  yield* eachInSteps([...byId], ([id, copies]) => {
    const loaded = loadedFor(id);
    const ordered = loadedFirst(copies, loaded);
    for (const file of ordered) {
      const note = loadNote(file, loaded);
      rows.push({
        file,
        // Copies under one id are told apart by their file names.
        ref: { task: agent, ...(file === ordered[0] ? {} : { namespace: file.name }), id },
        readable: file.problem === undefined,
        ...(note ? { note } : {}),
      });
    }
  });
  return rows;
}

/** Copies under one id: the one that Kaizen loads, then by name, as a folder's own order changes. */
function loadedFirst(copies: readonly StoredFile[], loaded: string | undefined): readonly StoredFile[] {
  if (copies.length === 1) return copies;
  const isLoaded = ({ name }: StoredFile): number => Number(name === loaded);
  return copies.toSorted((a, b) => isLoaded(b) - isLoaded(a) || compare(a.name, b.name));
}

function loadNote(file: StoredFile, loaded: string | undefined): string | undefined {
  if (loaded === file.name) return undefined;
  if (loaded === undefined && file.id === file.facts?.checkpointId) {
    return `Kaizen can't load this file: it doesn't look for the name ${file.name}.`;
  }
  if (loaded === undefined) return "Kaizen can't load this file: no file is named after its checkpoint_id.";
  return `Under this id, Kaizen loads ${loaded}, not this file.`;
}

/** What rows are sorted by: those without a time by the file's. */
export function sortTime(row: Row): bigint {
  return row.readable && row.file.facts?.time ? row.file.facts.time.micros : row.file.entry.mtimeNs;
}

/**
 * Parent edges of one agent's rows, oldest first. Kaizen records a parent only in forks; ordinary saves are
 * chained by time, `inferred`. Where the step falls back, the agent has resumed from an older checkpoint: then
 * the newest earlier one that fits the step is its parent, and a new run at the lowest step has none.
 */
export function* edgesOf(
  rows: readonly Row[],
  find: (id: string) => CheckpointRef | undefined,
): InSteps<Map<Row, Edge>> {
  const edges = new Map<Row, Edge>();
  const before: Row[] = [];
  let previous: Row | undefined;
  yield* eachInSteps(rows, (row) => {
    const facts = row.file.facts;
    if (!facts || !row.readable) {
      edges.set(row, { kind: 'none' });
      return;
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
  });
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
