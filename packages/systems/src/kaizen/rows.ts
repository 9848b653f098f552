import { InspectorError, sameRef, type CheckpointRef, type Latest, type LineageKind } from '@checkpoint-inspector/core';
import type { Facts } from './document.ts';
import type { FolderFiles, StoredFile } from './files.ts';
import { latestOf, type KaizenLatest } from './latest.ts';
import { edgesOf } from './lineage.ts';
import { fileKaizenLoads } from './names.ts';

/** One checkpoint file in its place. */
export interface Row {
  readonly file: StoredFile;
  readonly ref: CheckpointRef;
  /** The file holds a whole checkpoint. */
  readonly readable: boolean;
  /** What makes Kaizen load another file, or none, under this id. */
  readonly note?: string;
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
  /** Files of which no agent is known. */
  readonly unassigned: boolean;
  /** Oldest first. */
  readonly rows: readonly PlacedRow[];
  readonly latest: KaizenLatest;
}

/** The folder at one moment, as tasks and rows. */
export interface Snapshot {
  readonly tasks: ReadonlyMap<string, TaskRows>;
  readonly byId: ReadonlyMap<string, readonly PlacedRow[]>;
  readonly folder: FolderFiles;
}

/** Sorts the files of a folder into tasks and rows; pure, so a plan can ask it about a folder that is not there yet. */
export function snapshotOf(folder: FolderFiles): Snapshot {
  const agents = groupBy(
    folder.files.filter((file) => file.facts),
    (file) => file.facts?.agentId ?? '',
  );
  const names = new Set(folder.files.map((file) => file.name));
  const unplaced = new Map<string, readonly Row[]>();
  for (const [agent, files] of agents) unplaced.set(agent, inOrder(rowsOfAgent(agent, files, names)));
  const rest = folder.files.filter((file) => !file.facts);
  const restTask = unassignedTask(agents);
  if (rest.length > 0) unplaced.set(restTask, inOrder(rest.map((file) => rowWithoutAgent(restTask, file))));

  const refs = refsById(unplaced, restTask);
  const all = [...unplaced.values()].flat();
  const tasks = new Map<string, TaskRows>();
  for (const [id, rows] of unplaced) {
    const unassigned = id === restTask;
    const own = new Map(rows.filter((row) => !row.ref.namespace).map((row) => [row.ref.id, row.ref]));
    const latest = latestOf(id, rows, all, unassigned);
    const edges = edgesOf(rows, (parent) => own.get(parent) ?? refs.get(parent));
    tasks.set(id, { id, unassigned, latest, rows: rows.map((row, at) => place(row, at, edges.get(row), latest)) });
  }
  return {
    tasks,
    byId: groupBy(
      [...tasks.values()].flatMap((task) => task.rows),
      (row) => row.ref.id,
    ),
    folder,
  };
}

/** The row of a ref, exactly. */
export function findRow(snapshot: Snapshot, ref: CheckpointRef): PlacedRow | undefined {
  return snapshot.tasks.get(ref.task)?.rows.find((row) => sameRef(row.ref, ref));
}

export function notFound(ref: CheckpointRef): InspectorError {
  return new InspectorError('not_found', `No checkpoint "${ref.id}" in "${ref.task}".`, { data: { ...ref } });
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

function place(
  row: Row,
  at: number,
  edge: { readonly parent?: CheckpointRef; readonly kind: LineageKind } | undefined,
  latest: Latest,
): PlacedRow {
  return {
    ...row,
    seq: at + 1,
    ...(edge?.parent ? { parent: edge.parent } : {}),
    lineage: edge?.kind ?? 'none',
    isLatest: latest.ref === row.ref,
  };
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
    return `Kaizen cannot load this one: it does not look for the name ${file.name}.`;
  }
  if (loaded === undefined) return 'Kaizen cannot load this one: no file is named after its checkpoint_id.';
  return `Kaizen loads ${loaded} under this id, not this file.`;
}

function rowWithoutAgent(task: string, file: StoredFile): Row {
  return { file, ref: { task, id: file.name }, readable: false };
}

/** A task id that no agent has. */
function unassignedTask(agents: ReadonlyMap<string, unknown>): string {
  let id = 'unassigned files';
  while (agents.has(id)) id = `${id}*`;
  return id;
}

/** Oldest first: rows without a time by the file's, then by time; a fork with its parent's time stands after it. */
function inOrder(rows: readonly Row[]): Row[] {
  const byId = groupBy(rows, (row) => row.ref.id);
  const depth = new Map(rows.map((row) => [row, depthAmongTies(row, byId, rows.length)]));
  return rows.toSorted(
    (a, b) =>
      Number(a.readable) - Number(b.readable) ||
      compare(sortTime(a), sortTime(b)) ||
      (depth.get(a) ?? 0) - (depth.get(b) ?? 0) ||
      compare(a.ref.id, b.ref.id) ||
      // Of copies under one id the one that Kaizen loads is the later.
      compare(b.ref.namespace ?? '', a.ref.namespace ?? ''),
  );
}

function sortTime(row: Row): bigint {
  return row.readable && row.file.facts?.time ? row.file.facts.time.micros : row.file.entry.mtimeNs;
}

/** How many recorded parents in a row have the very same time; `limit` ends a cycle. */
function depthAmongTies(row: Row, byId: ReadonlyMap<string, readonly Row[]>, limit: number): number {
  let depth = 0;
  for (let at: Row | undefined = row; at && depth < limit; depth++) {
    const { parentId, time }: Partial<Facts> = at.file.facts ?? {};
    if (parentId === undefined || time === undefined) return depth;
    at = byId.get(parentId)?.find((other) => other.file.facts?.time?.micros === time.micros);
    if (!at) return depth;
  }
  return depth;
}

export function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
