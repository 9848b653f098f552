import { createHash } from 'node:crypto';
import { nextTasks, triggersOf, type CheckpointShape, type NextTask } from './shape.ts';
import { xxh3 } from './xxh3.ts';

/** What the id of a task is made of, beside the checkpoint's own content. */
export interface TaskPlace {
  readonly ns: string;
  /** The checkpoint's own id. */
  readonly id: string;
  /** Of the checkpoint; its tasks belong to the next one. */
  readonly step: number | undefined;
}

/** Channels whose writes do not finish a task. Source: langgraph, Pregel._prepareStateSnapshot. */
export const UNFINISHED = ['__error__', '__interrupt__', '__scheduled__'] as const;

/** The writes of no task: input that a Command brought. */
const NULL_TASK = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PULL = '__pregel_pull';
const PUSH = '__pregel_push';

/**
 * Which node each of these tasks ran. A task's id is a hash over the checkpoint, the node and what triggered it, so the
 * nodes that could run are tried, and `names` for the tasks of a functional graph; of those left, one node and one task alone belong together. Source: langgraph,
 * pregel/algo `_prepareSingleTask`, and for Python pregel/_algo `prepare_single_task`.
 */
export function nodesOfTasks(
  shape: CheckpointShape,
  place: TaskPlace,
  taskIds: Iterable<string>,
  names: readonly string[] = [],
): ReadonlyMap<string, NextTask> {
  const open = new Set(taskIds);
  open.delete(NULL_TASK);
  const found = new Map<string, NextTask>();
  const left: NextTask[] = [];
  for (const task of nextTasks(shape)) {
    const id = open.size === 0 ? undefined : idAmong(open, task, shape, place);
    if (id === undefined) {
      left.push(task);
      continue;
    }
    open.delete(id);
    found.set(id, task);
  }
  for (const [id, task] of functionalTasks(shape, place, open, names, found)) {
    open.delete(id);
    found.set(id, task);
  }
  const unnamed = [...open];
  const ran = new Set(Array.from(found.values(), placeOf));
  const unrun = new Map(left.filter((one) => !ran.has(placeOf(one))).map((one) => [placeOf(one), one]));
  const [id, task] = [unnamed[0], [...unrun.values()][0]];
  const isSure = unnamed.length === 1 && unrun.size === 1 && task?.trigger !== '__start__';
  if (isSure && id !== undefined && task !== undefined) found.set(id, task);
  return found;
}

/** So many calls of an entry point are tried. */
const MOST_CALLS = 200;

/** Of a functional graph: its entry point, where that is not `known`, and the tasks that it called, by their places. */
function functionalTasks(
  shape: CheckpointShape,
  place: TaskPlace,
  open: ReadonlySet<string>,
  names: readonly string[],
  known: ReadonlyMap<string, NextTask>,
): ReadonlyMap<string, NextTask> {
  const found = new Map<string, NextTask>();
  if (open.size === 0 || names.length === 0 || !UUID.test(place.id)) return found;
  const [id, entry] =
    [...known].find(([, { trigger }]) => trigger === '__start__') ?? entryAmong(open, shape, place, names);
  if (id === undefined || entry === undefined) return found;
  if (open.has(id)) found.set(id, entry);
  const within = { ...place, ns: `${place.ns === '' ? '' : `${place.ns}|`}${entry.node}:${id}` };
  for (let call = 0; call < MOST_CALLS && found.size < open.size; call++) {
    for (const node of names) {
      const called = javaScriptCallId(node, call, entry.node, within);
      if (open.has(called)) found.set(called, { node });
    }
  }
  return found;
}

function entryAmong(
  open: ReadonlySet<string>,
  shape: CheckpointShape,
  place: TaskPlace,
  names: readonly string[],
): readonly [id: string, entry: NextTask] | readonly [] {
  for (const node of names) {
    const entry = { node, trigger: '__start__' };
    const id = idAmong(open, entry, shape, place);
    if (id !== undefined) return [id, entry];
  }
  return [];
}

/** Nodes that run next: those whose task has not written yet, as `getState().next` has them. */
export function unfinishedNodes(
  shape: CheckpointShape,
  place: TaskPlace,
  finished: ReadonlySet<string>,
): readonly string[] {
  const done = new Set(Array.from(nodesOfTasks(shape, place, finished).values(), placeOf));
  return nodeNames(nextTasks(shape).filter((task) => !done.has(placeOf(task))));
}

/** A node that is pulled runs once, however many channels trigger it; a send by its place. */
function placeOf({ node, send }: NextTask): string | number {
  return send ?? node;
}

/** A node that two channels trigger runs once; each send is a task of its own. */
export function nodeNames(tasks: readonly NextTask[]): readonly string[] {
  const pulled = new Set<string>();
  return tasks.flatMap(({ node, send }) => {
    if (send !== undefined) return [node];
    if (pulled.has(node)) return [];
    pulled.add(node);
    return [node];
  });
}

function idAmong(
  open: ReadonlySet<string>,
  task: NextTask,
  shape: CheckpointShape,
  place: TaskPlace,
): string | undefined {
  if (!UUID.test(place.id)) return undefined;
  // Python's versions are texts. Old stores of both languages have numbers.
  const isPython = Object.values(shape.channelVersions).some((version) => typeof version === 'string');
  const id = isPython ? undefined : javaScriptId(task, place);
  if (id !== undefined && open.has(id)) return id;
  return pythonIds(task, shape, place).find((one) => open.has(one));
}

function javaScriptId({ node, trigger, send }: NextTask, place: TaskPlace): string {
  const path = send === undefined ? [PULL, [trigger]] : [PUSH, String(send)];
  return uuid5(place, [...partsOf(node, place), ...path]);
}

function javaScriptCallId(node: string, call: number, entry: string, place: TaskPlace): string {
  return uuid5(place, [...partsOf(node, place), PUSH, [PULL, entry], call]);
}

function uuid5(place: TaskPlace, parts: readonly unknown[]): string {
  const hash = createHash('sha1').update(bytesOf(place.id)).update(JSON.stringify(parts)).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hyphened(hash.toString('hex'));
}

/** One for each set of channels that may trigger the node: those that were never written are not known. */
function pythonIds({ node, trigger, send }: NextTask, shape: CheckpointShape, place: TaskPlace): string[] {
  const paths =
    send === undefined ? triggersOf(shape, node, trigger).map((all) => [PULL, ...all]) : [[PUSH, String(send)]];
  return paths.map((path) => {
    const input = Buffer.concat([bytesOf(place.id), Buffer.from([...partsOf(node, place), ...path].join(''))]);
    return hyphened(shape.version > 1 ? xxh3(input) : createHash('sha1').update(input).digest('hex'));
  });
}

function partsOf(node: string, { ns, step }: TaskPlace): readonly string[] {
  return [ns === '' ? node : `${ns}|${node}`, String((step ?? -1) + 1), node];
}

function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function hyphened(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
