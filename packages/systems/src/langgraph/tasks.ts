import { createHash } from 'node:crypto';
import { nextTasks, type CheckpointShape, type NextTask } from './shape.ts';

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

/**
 * Which node each of these tasks ran. A task's id is a hash over the checkpoint, the node and what triggered it, so the
 * nodes that could run are tried; of those left, one node and one task alone belong together. Source: langgraph,
 * pregel/algo `_prepareSingleTask`.
 */
export function nodesOfTasks(
  shape: CheckpointShape,
  place: TaskPlace,
  taskIds: Iterable<string>,
): ReadonlyMap<string, NextTask> {
  const open = new Set(taskIds);
  open.delete(NULL_TASK);
  const found = new Map<string, NextTask>();
  const left: NextTask[] = [];
  for (const task of nextTasks(shape)) {
    const id = taskIdOf(task, place);
    if (id !== undefined && open.delete(id)) found.set(id, task);
    else left.push(task);
  }
  const unnamed = [...open];
  const [id, task] = [unnamed[0], left[0]];
  const isSure = unnamed.length === 1 && left.length === 1 && task?.trigger !== '__start__';
  if (isSure && id !== undefined && task !== undefined) found.set(id, task);
  return found;
}

/** Nodes that run next: those whose task has not written yet, as `getState().next` has them. */
export function unfinishedNodes(
  shape: CheckpointShape,
  place: TaskPlace,
  finished: ReadonlySet<string>,
): readonly string[] {
  const done = new Set(nodesOfTasks(shape, place, finished).values());
  const isDone = (task: NextTask): boolean =>
    [...done].some((one) => one.node === task.node && one.trigger === task.trigger && one.send === task.send);
  return nodeNames(nextTasks(shape).filter((task) => !isDone(task)));
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

function taskIdOf({ node, trigger, send }: NextTask, { ns, id, step }: TaskPlace): string | undefined {
  if (!UUID.test(id)) return undefined;
  const inside = ns === '' ? node : `${ns}|${node}`;
  const parts = [inside, String((step ?? -1) + 1), node];
  const path = send === undefined ? ['__pregel_pull', [trigger]] : ['__pregel_push', String(send)];
  return uuid5(JSON.stringify([...parts, ...path]), id);
}

function uuid5(name: string, namespace: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
