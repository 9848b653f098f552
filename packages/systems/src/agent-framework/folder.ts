/** Folders of one JSON document per checkpoint: Python's storage, its older forms, and the TypeScript interface's. */
import type { CheckpointRef } from '@checkpoint-inspector/core';
import { readDocument, type Facts } from './document.ts';
import type { FileReader, StoredFile } from './files.ts';
import { latestOf } from './latest.ts';
import { compare, groupBy, placeRows, type Edge, type Row, type Snapshot } from './rows.ts';

const ENDING = '.json';

export const documentReader: FileReader = {
  // Python's glob takes hidden files too.
  accepts: (name) => name.length > ENDING.length && name.endsWith(ENDING),
  read: (text) => readDocument(text),
};

/** Pure, so a plan can ask it about a folder that is not there yet. */
export function snapshotOfDocuments(files: readonly StoredFile[]): Snapshot {
  const known = files.filter((file) => file.facts);
  const tasks = new Map<string, readonly Row[]>();
  for (const [task, own] of groupBy(known, (file) => file.facts?.task ?? ''))
    tasks.set(task, inOrder(rowsOf(task, own)));
  const rest = files.filter((file) => !file.facts);
  return placeRows('documents', files, tasks, rest, { latest: latestOf, edges: edgesOf });
}

function rowsOf(task: string, files: readonly StoredFile[]): Row[] {
  const rows: Row[] = [];
  for (const [id, copies] of groupBy(files, (file) => file.facts?.checkpointId ?? '')) {
    const named = copies.find((file) => file.name === id + ENDING);
    for (const file of copies) {
      // Copies under one id are told apart by their file names.
      const own = file === (named ?? copies[0]);
      const note = own && named ? undefined : noteOf(file, named);
      const ref: CheckpointRef = { task, ...(own ? {} : { namespace: file.name }), id };
      rows.push({ file, ref, readable: file.problem === undefined, ...(note === undefined ? {} : { note }) });
    }
  }
  return rows;
}

function noteOf(file: StoredFile, named: StoredFile | undefined): string {
  if (named) return `The id leads to ${named.name}, not to this file.`;
  return `No file is named after its id: it cannot be loaded by id, only found by its ${
    file.facts?.shape === 'document' ? 'workflowId' : 'workflow_name'
  }.`;
}

/** Oldest first: rows without a time by the file's, then by time; a copy with its parent's time stands after it. */
function inOrder(rows: readonly Row[]): Row[] {
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

function sortTime(row: Row): bigint {
  return row.readable ? (row.file.facts?.time?.micros ?? 0n) : row.file.entry.mtimeNs;
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

/**
 * Python records the parent, and none means a run that began anew. The other forms record none: there the saves of
 * one execution are chained by time, `inferred`, until the iteration falls back.
 */
function edgesOf(rows: readonly Row[], find: (id: string) => CheckpointRef | undefined): ReadonlyMap<Row, Edge> {
  const edges = new Map<Row, Edge>();
  const previous = new Map<string, Row>();
  for (const row of rows) {
    const { facts } = row.file;
    if (!facts) continue;
    if (facts.parentId !== undefined) {
      // A parent that is gone was most likely one of the same workflow's, deleted since.
      edges.set(row, { parent: find(facts.parentId) ?? { task: row.ref.task, id: facts.parentId }, kind: 'recorded' });
    } else if (facts.run !== undefined && row.readable) {
      const before = previous.get(facts.run);
      const follows = before && (facts.stepIndex ?? Infinity) > (before.file.facts?.stepIndex ?? -1);
      edges.set(row, follows ? { parent: before.ref, kind: 'inferred' } : { kind: 'none' });
      previous.set(facts.run, row);
    }
  }
  return edges;
}
