/**
 * Folders of the .NET `FileSystemJsonCheckpointStore`: `index.jsonl` in commit order and one data file per
 * checkpoint. By the written format only: no folder made by the original has been read with this.
 */
import {
  eachInSteps,
  mapInSteps,
  type CheckpointRef,
  type CheckpointStatus,
  type InSteps,
  type Latest,
  type Problem,
} from '@checkpoint-inspector/core';
import { defined, groupBy, parseObject, unreadable, type Edge, type Parsed } from '../folder/index.ts';
import type { Facts, ReadDocument } from './document.ts';
import { textReader, type StoredFile } from './files.ts';
import { placeRows, type Row, type Snapshot, type TaskRules } from './rows.ts';

export const INDEX_NAME = 'index.jsonl';

export const dotnetReader = textReader(
  'agent-framework dotnet 1',
  (name) => name === INDEX_NAME || name.endsWith('.json') || name.endsWith('%2Ejson'),
  (text, name) => (name === INDEX_NAME ? { keepText: true } : readData(text)),
);

/** One line of the index. Since March 2026 an entry, before that the bare pair, before February with `runId`. */
export interface IndexLine {
  readonly session: string;
  readonly id: string;
  /** Names that the data file may have, the likeliest first. */
  readonly names: readonly string[];
  readonly parentId?: string;
}

/** @example readIndexLine('{"sessionId":"s","checkpointId":"0a"}')?.names // ['s_0a%2Ejson', 's_0a.json'] */
export function readIndexLine(line: string): IndexLine | undefined {
  const parsed = parseObject(line);
  if ('problem' in parsed) return undefined;
  const entry = parsed.node('checkpointInfo') !== undefined;
  const at = (key: string): string | undefined => (entry ? parsed.string('checkpointInfo', key) : parsed.string(key));
  const session = at('sessionId') ?? at('runId');
  const id = at('checkpointId');
  if (session === undefined || id === undefined) return undefined;
  const fileName = parsed.string('fileName');
  const plain = `${session}_${id}.json`;
  const names = [...(fileName === undefined ? [] : [fileName, escaped(fileName)]), escaped(plain), plain];
  const parentId = parsed.string('parentCheckpointId');
  return { session, id, names, ...(parentId === undefined ? {} : { parentId }) };
}

/** As the store names files: percent-escaped, dots too. */
function escaped(name: string): string {
  const strict = encodeURIComponent(name.toWellFormed()).replaceAll(/[!'()*]/g, (char) => {
    return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return strict.replaceAll('.', '%2E');
}

function readData(text: string): ReadDocument {
  const parsed = parseObject(text);
  if ('problem' in parsed) return parsed;
  const known = parsed.node('stepNumber') !== undefined && parsed.node('stateData') !== undefined;
  if (!known)
    return {
      problem: unreadable("stepNumber and stateData are missing, so this isn't a data file of the .NET store."),
    };
  return { facts: factsOf(parsed) };
}

/** Task and id come from the index; the data names only its parent. */
function factsOf(parsed: Parsed): Facts {
  const { string, number } = parsed;
  const waiting = sizeOf(parsed, 'outstandingRequests');
  const queued = sizeOf(parsed, 'queuedMessages');
  const status: CheckpointStatus = waiting > 0 ? 'interrupted' : queued > 0 ? 'running' : 'completed';
  return {
    shape: 'dotnet',
    checkpointId: '',
    task: '',
    ...defined({ parentId: string('parent', 'checkpointId'), stepIndex: number('stepNumber') }),
    status,
    ...(waiting > 0 ? { description: `outstanding requests: ${waiting}` } : {}),
    executors: new Map(parsed.keys('workflow', 'executors').map((id) => [id, ''])),
    typesToAllow: [],
  };
}

function sizeOf(parsed: Parsed, key: string): number {
  const node = parsed.node('runnerData', key);
  if (node?.kind === 'array') return node.items.length;
  return parsed.keys('runnerData', key).length;
}

const NO_RULES: TaskRules = { latest: () => ({ basis: 'none' }), edges: edgesOf };

interface PlacedLine extends IndexLine {
  readonly start: number;
  readonly end: number;
}

/** Sessions in commit order. A line whose data file is missing or broken stays, as a row with the reason. */
export function* snapshotOfIndex(files: readonly StoredFile[]): InSteps<Snapshot> {
  const byName = new Map(files.map((file) => [file.name, file]));
  const index = byName.get(INDEX_NAME);
  if (!index) return yield* placeRows('dotnet', files, new Map(), files.map(withReason), NO_RULES);
  const { lines, broken } = readIndex(index);
  const used = new Set<string>();
  const tasks = new Map<string, readonly Row[]>();
  for (const [session, own] of groupBy(lines, (line) => line.session)) {
    // A checkpoint that was committed again is where it was committed last.
    const last = new Map(own.map((line) => [line.id, line]));
    const lasting = own.filter((line) => last.get(line.id) === line);
    const rows = yield* mapInSteps(lasting, (line) => rowOf(line, index, byName, used));
    tasks.set(
      session,
      rows.toSorted((a, b) => Number(a.readable) - Number(b.readable)),
    );
  }
  const rest = files.filter((file) => (file === index ? index.problem : !used.has(file.name))).map(withReason);
  return yield* placeRows('dotnet', files, tasks, [...broken, ...rest], {
    latest: (rows) => latestOf(rows, lines),
    edges: edgesOf,
  });
}

function withReason(file: StoredFile): StoredFile {
  if (file.problem) return file;
  const { revision: _, ...rest } = file;
  return { ...rest, problem: unreadable("index.jsonl doesn't list this file, so the store ignores it.") };
}

function readIndex(index: StoredFile): { lines: PlacedLine[]; broken: StoredFile[] } {
  const lines: PlacedLine[] = [];
  const broken: StoredFile[] = [];
  let start = 0;
  for (const source of (index.text ?? '').split('\n')) {
    const end = start + Buffer.byteLength(source);
    const line = readIndexLine(source);
    if (line) lines.push({ ...line, start, end });
    else if (source.trim() !== '')
      broken.push(
        asRow(index, { start, end }, unreadable("A line in index.jsonl that doesn't name a checkpoint.", start)),
      );
    start = end + 1;
  }
  return { lines, broken };
}

/** The line of the index itself, where it has nothing else to show. */
function asRow(index: StoredFile, slice: { start: number; end: number }, problem: Problem): StoredFile {
  const entry = { ...index.entry, size: slice.end - slice.start };
  return { name: index.name, entry, slice: { start: slice.start, end: slice.end }, problem };
}

function rowOf(line: PlacedLine, index: StoredFile, byName: ReadonlyMap<string, StoredFile>, used: Set<string>): Row {
  const ref: CheckpointRef = { task: line.session, id: line.id };
  const data = line.names.map((name) => byName.get(name)).find((file) => file && file !== index);
  if (!data) {
    const problem = unreadable(`The data file ${line.names[0]} is missing from the folder.`, line.start);
    return { file: asRow(index, line, problem), ref, readable: false };
  }
  used.add(data.name);
  const facts: Facts | undefined = data.facts && {
    ...data.facts,
    checkpointId: line.id,
    task: line.session,
    ...(line.parentId === undefined ? {} : { parentId: line.parentId }),
  };
  return { file: { ...data, ...(facts ? { facts } : {}) }, ref, readable: data.problem === undefined };
}

/** The last line of the session. */
function latestOf(rows: readonly Row[], lines: readonly IndexLine[]): Latest {
  const session = rows[0]?.ref.task;
  const last = lines.findLast((line) => line.session === session);
  const top = rows.findLast((row) => row.readable);
  const note = `The last line of the index names "${last?.id}", but its data can't be read.`;
  if (!top) return { basis: 'none', note };
  return { ref: top.ref, basis: 'rule', ...(last?.id === top.ref.id ? {} : { note }) };
}

function* edgesOf(
  rows: readonly Row[],
  find: (id: string) => CheckpointRef | undefined,
): InSteps<ReadonlyMap<Row, Edge>> {
  const edges = new Map<Row, Edge>();
  yield* eachInSteps(rows, (row) => {
    const parentId = row.file.facts?.parentId;
    if (parentId === undefined) return;
    edges.set(row, { parent: find(parentId) ?? { task: row.ref.task, id: parentId }, kind: 'recorded' });
  });
  return edges;
}
