/** Folders of one JSON document per checkpoint: Python's storage, its older forms, and the TypeScript interface's. */
import { eachInSteps, paced, type CheckpointRef, type InSteps } from '@checkpoint-inspector/core';
import { groupInSteps, inOrder, type Edge } from '../folder/index.ts';
import { readDocument } from './document.ts';
import { textReader, type StoredFile } from './files.ts';
import { latestOf } from './latest.ts';
import { placeRows, type Row, type Snapshot, type TaskRows } from './rows.ts';

const ENDING = '.json';

// Python's glob takes hidden files too.
export const documentReader = textReader(
  'agent-framework documents 1',
  (name) => name.length > ENDING.length && name.endsWith(ENDING),
  readDocument,
);

/** Pure, so a plan can ask it about a folder that does not exist yet. */
export function* snapshotOfDocuments(files: readonly StoredFile[]): InSteps<Snapshot> {
  const known = files.filter((file) => file.facts);
  const tasks = new Map<string, readonly Row[]>();
  for (const [task, own] of yield* groupInSteps(known, (file) => file.facts?.task ?? ''))
    tasks.set(task, yield* inOrder(yield* rowsOf(task, own), sortTime));
  const rest = files.filter((file) => !file.facts);
  return yield* placeRows('documents', files, tasks, rest, { latest: latestOf, edges: edgesOf });
}

function* rowsOf(task: string, files: readonly StoredFile[]): InSteps<Row[]> {
  const rows: Row[] = [];
  const byId = yield* groupInSteps(files, (file) => file.facts?.checkpointId ?? '');
  yield* eachInSteps([...byId], ([id, copies]) => {
    const named = copies.find((file) => file.name === id + ENDING);
    for (const file of copies) {
      // Copies under one id are told apart by their file names.
      const own = file === (named ?? copies[0]);
      const note = own && named ? undefined : noteOf(file, named);
      const ref: CheckpointRef = { task, ...(own ? {} : { namespace: file.name }), id };
      rows.push({ file, ref, readable: file.problem === undefined, ...(note === undefined ? {} : { note }) });
    }
  });
  return rows;
}

function noteOf(file: StoredFile, named: StoredFile | undefined): string {
  if (named) return `This id loads ${named.name}, not this file.`;
  return `No file is named after this id, so it can't be loaded by id. It can only be found by its ${
    file.facts?.shape === 'document' ? 'workflowId' : 'workflow_name'
  }.`;
}

/** Rows that cannot be read by the file's time. */
function sortTime(row: Row): bigint {
  return row.readable ? (row.file.facts?.time?.micros ?? 0n) : row.file.entry.mtimeNs;
}

/** Python records parents; in other forms the saves of one execution are chained by time until the iteration falls. */
function* edgesOf(
  rows: readonly Row[],
  find: (id: string) => CheckpointRef | undefined,
): InSteps<ReadonlyMap<Row, Edge>> {
  const edges = new Map<Row, Edge>();
  const previous = new Map<string, Row>();
  yield* eachInSteps(rows, (row) => {
    const { facts } = row.file;
    if (!facts) return;
    if (facts.parentId !== undefined) {
      // A parent that is gone was most likely one of the same workflow's, deleted since.
      edges.set(row, { parent: find(facts.parentId) ?? { task: row.ref.task, id: facts.parentId }, kind: 'recorded' });
    } else if (facts.run !== undefined && row.readable) {
      const before = previous.get(facts.run);
      const follows = before && (facts.stepIndex ?? Infinity) > (before.file.facts?.stepIndex ?? -1);
      edges.set(row, follows ? { parent: before.ref, kind: 'inferred' } : { kind: 'none' });
      previous.set(facts.run, row);
    }
  });
  return edges;
}

/** The task in a folder of such files: as it is, or as it will be, by the same rules. */
export function taskIn({ tasks }: Snapshot, id: string): TaskRows {
  return tasks.get(id) ?? { id, rows: [], latest: { basis: 'none' } };
}

export async function taskAfter(files: readonly StoredFile[], id: string): Promise<TaskRows> {
  return taskIn(await paced(snapshotOfDocuments(files)), id);
}
