import {
  InspectorError,
  parseJson,
  memberOf,
  sourceOf,
  stringOf,
  type Beside,
  type JsonNode,
  type PendingRequest,
  type PendingWrite,
  type StepError,
} from '@checkpoint-inspector/core';
import { readMetadata } from './metadata.ts';
import { payloadText } from './payload.ts';
import type { FullRow, Key, PendingRow, Queries, RowSummary, WriteRow } from './queries.ts';
import { versionsSeenAt } from './seen-versions.ts';
import { mayBeFunctional, nextTasks, readShape, type CheckpointShape } from './shape.ts';
import { metadataText } from './state.ts';
import { nodeNames, nodesOfTasks, unfinishedNodes, type TaskPlace } from './tasks.ts';
import { errorOf } from './view.ts';

/** A larger value is named with its size; the tables hold it whole. */
const LARGEST_WRITE = 64 * 1024;
/** Of very many writes, the first are given. */
const WRITES_GIVEN = 500;

type NodeOf = (task: string) => { readonly node?: string };

/** Errors, questions and finished work are pending writes of LangGraph: rows beside the checkpoint that they belong to. */
export async function besideOf(
  queries: Queries,
  thread: string,
  row: FullRow | RowSummary,
  isNewest: boolean,
): Promise<Beside> {
  const shape = 'checkpoint' in row ? shapeOf(row) : undefined;
  const [tasks, errorRows, questions, totals] = await Promise.all([
    queries.tasksOf(thread, row),
    errorsOn(queries, thread, row),
    queries.writes(thread, row, '__interrupt__'),
    writesOn(queries, thread, row),
  ]);
  const place = placeOf(row);
  const ids = tasks.map(({ task }) => task);
  const known = shape && nodesOfTasks(shape, place, ids, await functionalNames(queries, thread, row, shape, ids));
  const entry = [...(known?.values() ?? [])].find(({ trigger }) => trigger === '__start__')?.node ?? '__start__';
  const nodeOf: NodeOf = (task) => {
    const node = known?.get(task)?.node;
    return node === undefined ? {} : { node };
  };
  const errors = errorRows.map(({ text, task }): StepError => ({ text, ...nodeOf(task) }));
  const [first] = errors;
  const finished = new Set(tasks.filter((one) => one.finished === 1).map(({ task }) => task));
  const { rows, more } = totals;
  const writes = rows.map((one): PendingWrite => {
    return { taskId: one.task, ...nodeOf(one.task), channel: one.channel, ...valueOf(one), sizeBytes: one.size };
  });
  return {
    ...(first === undefined ? {} : { error: first.text, errors }),
    requests: questions.flatMap((write) => questionsIn(write, nodeOf(write.task))),
    writes,
    ...(more === 0 ? {} : { moreWrites: more }),
    ...(shape === undefined
      ? {}
      : {
          next: nextOf(shape, place, isNewest ? finished : undefined).map((node) =>
            node === '__start__' ? entry : node,
          ),
        }),
  };
}

/** What ran to make the checkpoints after this one: among these are the entry point of a functional graph, and its tasks. */
async function functionalNames(
  queries: Queries,
  thread: string,
  row: Key,
  shape: CheckpointShape,
  tasks: readonly string[],
): Promise<readonly string[]> {
  if (tasks.length === 0 || !mayBeFunctional(shape)) return [];
  const [ids = []] = await queries.children(thread, [row]);
  const ends = await queries.ends(
    thread,
    ids.map((id) => ({ ns: row.ns, id })),
  );
  const children = ends.map((end) => (end && versionsSeenAt(end)) ?? {});
  const names = [shape.versionsSeen, ...children].flatMap((one) => Object.keys(one));
  return [...new Set(names)].filter((name) => !name.startsWith('__'));
}

/** As `getState` answers: of the newest checkpoint without what has finished, of an older one all that ran from it. */
function nextOf(shape: CheckpointShape, place: TaskPlace, finished: ReadonlySet<string> | undefined) {
  return finished === undefined ? nodeNames(nextTasks(shape)) : unfinishedNodes(shape, place, finished);
}

function placeOf(row: FullRow | RowSummary): TaskPlace {
  const metadata = 'checkpoint' in row ? metadataText(row) : row.metadata;
  return { ns: row.ns, id: row.id, step: readMetadata(metadata)?.step };
}

/** Of a row that cannot be read nothing is said. */
function shapeOf(row: FullRow): CheckpointShape | undefined {
  try {
    return readShape(payloadText({ ...row, bytes: row.checkpoint }));
  } catch {
    return undefined;
  }
}

/** What failed on a checkpoint, in words; of an error that is not read, why. */
export async function lastErrorOf(queries: Queries, thread: string, key: Key): Promise<string | undefined> {
  return (await errorsOn(queries, thread, key))[0]?.text;
}

/** The newest first. Where one node fails, LangGraph aborts those beside it: theirs come after what made them stop. */
async function errorsOn(queries: Queries, thread: string, key: Key): Promise<{ text: string; task: string }[]> {
  const writes = await queries.writes(thread, key, '__error__');
  const errors = writes.map((write) => ({ text: wordsOfError(write), task: write.task })).toReversed();
  const isAbort = ({ text }: { readonly text: string }): boolean => text.startsWith('AbortError: ');
  return [...errors.filter((error) => !isAbort(error)), ...errors.filter(isAbort)];
}

function wordsOfError(write: WriteRow): string {
  try {
    return errorOf(payloadText({ ...write, bytes: write.value }));
  } catch (error) {
    return notRead('The error', write, error);
  }
}

/** A format of another kind is not damage; everything else has its own reason. */
function notRead(what: string, { type, stored }: WriteRow, thrown: unknown, lead = `${what} can't be read: `): string {
  const { code, message } = InspectorError.from(thrown);
  if (code === 'unsupported_version') return `${what} is stored as ${type ?? stored}, which this version can't read.`;
  return `${lead}${message}`;
}

/** The first writes, and how many more there are. */
async function writesOn(queries: Queries, thread: string, key: Key) {
  const rows = await queries.allWrites(thread, key, LARGEST_WRITE, WRITES_GIVEN);
  const more = rows.length < WRITES_GIVEN ? 0 : (await queries.writesOf(thread, key)).plain - rows.length;
  return { rows, more };
}

function valueOf(row: PendingRow): Pick<PendingWrite, 'text' | 'problem'> {
  if (row.size > LARGEST_WRITE) return { problem: 'The value is too large to show here.' };
  try {
    const text = payloadText({ ...row, bytes: row.value });
    parseJson(text);
    return { text };
  } catch (error) {
    return { problem: notRead('The value', row, error, '') };
  }
}

function questionsIn(write: WriteRow, by: { readonly node?: string }): PendingRequest[] {
  const from = by.node === undefined ? {} : { from: by.node };
  try {
    const text = payloadText({ ...write, bytes: write.value });
    const root = parseJson(text);
    return (root.kind === 'array' ? root.items : [root]).map((item) => ({ ...questionOf(text, item), ...from }));
  } catch (error) {
    return [{ ...from, text: notRead('The question', write, error), unread: true }];
  }
}

/** An Interrupt: its value, cut from the text so that numbers keep their digits. */
function questionOf(text: string, node: JsonNode): PendingRequest {
  const value = node.kind === 'object' ? memberOf(node, 'value')?.value : undefined;
  const id = node.kind === 'object' ? memberOf(node, 'id')?.value : undefined;
  return {
    ...(id?.kind === 'string' ? { id: stringOf(text, id) } : {}),
    text: wordsOf(text, value ?? node),
  };
}

const wordsOf = (text: string, node: JsonNode): string =>
  node.kind === 'string' ? stringOf(text, node) : sourceOf(text, node);
