/** What tools name: `store/task`, and `store/task/id`, as links and the command do. */
import {
  formatAddress,
  idFromSegment,
  idToSegment,
  InspectorError,
  noCheckpoint,
  parseAddress,
  storeId,
  withOptions,
} from '@checkpoint-inspector/core';
import type { Address, CheckpointRef, CheckpointSource, StoreId } from '@checkpoint-inspector/core';
import { isMasked, noTask, unmasked } from '@checkpoint-inspector/inspector';
import { z } from '@hono/zod-openapi';
import type { ToolCall } from './tool.ts';

export const taskName = z.string().min(1).describe('store/task, as `tasks` and `errors` name it; or a task id');
export const checkpointName = z
  .string()
  .min(1)
  .describe('store/task/id, as every answer names it, or store/task/latest');
/** Either of both. */
export const branchName = z
  .string()
  .min(1)
  .describe('store/task for the latest checkpoint, or store/task/id for the branch that ends there');

/** In an answer. */
export const checkpointAddress = z.string().describe('store/task/id');

export interface TaskPlace {
  readonly source: CheckpointSource;
  readonly task: string;
}

export interface CheckpointPlace {
  readonly source: CheckpointSource;
  readonly ref: CheckpointRef;
}

/** The task of `store/task`, or of this id in any store. @throws InspectorError not_found | ambiguous_id */
export async function taskAt(call: ToolCall, given: string): Promise<TaskPlace> {
  const text = await nameIn(call, given);
  const { stores } = call.inspector;
  const { signal } = call;
  const open = stores.list().map(({ id }) => stores.source(id));
  const [store, rest] = cutAt(text, text.indexOf('/'));
  const named = open.filter(({ info }) => info.id === store);
  const readings = [
    ...[...new Set([decoded(rest), rest])].map((task) => ({ sources: named, task })),
    { sources: open, task: text },
  ];
  for (const { sources, task } of readings) {
    const known = await Promise.allSettled(sources.map(async (source) => knows(withOptions(source, { signal }), task)));
    const holders = sources.filter((_source, at) => known[at]?.status === 'fulfilled' && known[at].value);
    if (holders.length > 1) throw severalTasks(task, holders);
    if (holders[0]) {
      call.visited(holders[0].info.id, task);
      return { source: withOptions(holders[0], { signal }), task };
    }
    // It may be in the store that did not answer.
    const failed = known.find((one) => one.status === 'rejected');
    if (failed) throw InspectorError.from(failed.reason);
  }
  throw await unknownTask(named.length > 0 ? named : open, named.length > 0 ? decoded(rest) : text);
}

/** What is stored under a name that an answer masked. @throws InspectorError not_found | ambiguous_id */
async function nameIn({ inspector: { stores, masking }, signal }: ToolCall, text: string): Promise<string> {
  const open = stores.list().map(({ id }) => withOptions(stores.source(id), { signal }));
  return unmasked(text, open, masking.masker());
}

/** An id of a task or session, also as an answer masked it. @throws InspectorError not_found | ambiguous_id */
export async function taskId(call: ToolCall, given: string): Promise<string> {
  return isMasked(given) ? (await taskAt(call, given)).task : given;
}

const cutAt = (text: string, at: number): [string, string] =>
  at === -1 ? ['', text] : [text.slice(0, at), text.slice(at + 1)];

/** A task may be listed though no checkpoint of it is left. */
async function knows(source: CheckpointSource, task: string): Promise<boolean> {
  if ((await source.checkpoints(task, { limit: 1 })).items.length > 0) return true;
  const { items } = await source.tasks({ text: task, limit: 1000 });
  return items.some(({ id, checkpointCount }) => id === task && checkpointCount === 0);
}

function severalTasks(task: string, holders: readonly CheckpointSource[]): InspectorError {
  return new InspectorError('ambiguous_id', `${holders.length} stores have a task "${task}".`, {
    data: { candidates: holders.map(({ info }) => taskAddress(info.id, task)) },
    remedy: 'Name one of these instead.',
  });
}

async function unknownTask(sources: readonly CheckpointSource[], task: string): Promise<InspectorError> {
  const pages = await Promise.all(sources.map(async (source) => source.tasks({ limit: 1000 })));
  const names = pages.flatMap(({ items }) => items.map(({ id }) => id));
  return noTask(task, names, sources.length === 1 ? sources[0]?.info.id : undefined);
}

/** @throws InspectorError invalid_input | not_found */
export async function checkpointAt(call: ToolCall, given: string): Promise<CheckpointPlace> {
  const text = await nameIn(call, given);
  const {
    inspector: { stores },
    signal,
    visited,
  } = call;
  for (const { store, ...at } of addressesIn(text)) {
    const source = withOptions(stores.source(storeId(store)), { signal });
    const ref = await refAt(source, at);
    if (ref) {
      visited(source.info.id, ref.task);
      return { source, ref };
    }
  }
  const { store, ...at } = parseAddress(text);
  const source = stores.source(storeId(store));
  throw (await knows(source, at.task)) ? noCheckpoint(at) : await unknownTask([source], at.task);
}

/** The address, and the same with a task whose slashes are as they are. @throws InspectorError invalid_input */
function addressesIn(text: string): readonly Address[] {
  const [store, rest] = cutAt(text, text.indexOf('/'));
  const [task, id] = cutAt(rest, rest.lastIndexOf('/'));
  const asWritten = task.includes('/') ? [{ store, task, id: decoded(id) }] : [];
  return text.split('/').length > 4 ? asWritten : [parseAddress(text), ...asWritten];
}

/** `latest` is the latest of the task, unless a checkpoint has that id. */
async function refAt(source: CheckpointSource, at: CheckpointRef): Promise<CheckpointRef | undefined> {
  if ((await source.meta(at)) !== undefined) return at;
  if (at.id !== 'latest') return undefined;
  const { ref } = await source.latest(at.task);
  return ref === undefined || (at.namespace !== undefined && at.namespace !== ref.namespace) ? undefined : ref;
}

/** The end of a branch: a checkpoint, or the latest of a task. @throws InspectorError */
export async function branchAt(
  call: ToolCall,
  given: string,
): Promise<{ source: CheckpointSource; query: { task: string; cp?: string; ns?: string } }> {
  const text = await nameIn(call, given);
  if (text.split('/').length < 3) {
    const { source, task } = await taskAt(call, text);
    return { source, query: { task } };
  }
  const { source, ref } = await checkpointAt(call, text);
  return { source, query: { task: ref.task, cp: ref.id, ns: ref.namespace ?? '' } };
}

export const taskAddress = (store: string, task: string): string => `${store}/${idToSegment(task)}`;
export const addressOf = (store: StoreId | string, ref: Omit<Address, 'store'>): string =>
  formatAddress({ ...ref, store });

function decoded(segment: string): string {
  try {
    return idFromSegment(decodeURIComponent(segment));
  } catch {
    return segment;
  }
}
