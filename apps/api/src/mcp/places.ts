/** What tools name: `store/task`, and `store/task/id`, as links and the command do. */
import {
  formatAddress,
  idFromSegment,
  idToSegment,
  parseAddress,
  storeId,
  withOptions,
} from '@checkpoint-inspector/core';
import type { Address, CheckpointRef, CheckpointSource, StoreId } from '@checkpoint-inspector/core';
import { resolveRef } from '@checkpoint-inspector/inspector';
import { z } from '@hono/zod-openapi';
import { storeToRead } from './choose.ts';
import type { ToolCall } from './tool.ts';

export const taskName = z.string().min(1).describe('store/task, as `tasks` and `errors` name it; or a task id');
export const checkpointName = z.string().min(1).describe('store/task/id, as every answer names it');
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

/** @throws InspectorError invalid_input | not_found */
export async function taskAt({ inspector: { stores }, signal }: ToolCall, text: string): Promise<TaskPlace> {
  const [first = '', second, ...more] = text.split('/');
  const named = second === undefined || more.length > 0 ? undefined : stores.list().find(({ id }) => id === first);
  if (named && second !== undefined)
    return { source: withOptions(stores.source(named.id), { signal }), task: idFromSegment(decoded(second)) };
  return { source: withOptions(await storeToRead(stores, { session: text }), { signal }), task: text };
}

/** @throws InspectorError invalid_input | not_found | ambiguous_id */
export async function checkpointAt({ inspector, signal }: ToolCall, text: string): Promise<CheckpointPlace> {
  const { store, task, namespace = '', id } = parseAddress(text);
  const source = withOptions(inspector.stores.source(storeId(store)), { signal });
  return { source, ref: await resolveRef(source, id, { task, ns: namespace }) };
}

/** The end of a branch: a checkpoint, or the latest of a task. @throws InspectorError */
export async function branchAt(
  call: ToolCall,
  text: string,
): Promise<{ source: CheckpointSource; query: { task: string; cp?: string; ns?: string } }> {
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
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
