import type { CheckpointSource } from '../contract.ts';
import { InspectorError } from '../errors.ts';
import { sha256Hex } from '../hash.ts';
import { refKey } from '../ids.ts';
import type { CheckpointMeta, CheckpointRef, Task } from '../model.ts';
import { allPages, refOf } from './builders.ts';

export function allTasks(source: CheckpointSource, limit = 1000): Promise<Task[]> {
  return allPages((cursor) => source.tasks({ limit, ...(cursor === undefined ? {} : { cursor }) }));
}

/** Latest first. */
export function allCheckpoints(source: CheckpointSource, task: string, limit = 1000): Promise<CheckpointMeta[]> {
  return allPages((cursor) => source.checkpoints(task, { limit, ...(cursor === undefined ? {} : { cursor }) }));
}

/** Every checkpoint of every task. */
export async function everyCheckpoint(source: CheckpointSource): Promise<CheckpointMeta[]> {
  const metas: CheckpointMeta[] = [];
  for (const task of await allTasks(source)) metas.push(...(await allCheckpoints(source, task.id)));
  return metas;
}

export const isReadable = (meta: CheckpointMeta) => meta.problem === undefined;

/** What is stored under a ref: hash of the state (or why not), and of the raw bytes. */
export async function contentOf(source: CheckpointSource, ref: CheckpointRef): Promise<string> {
  const raw = await source.raw?.(ref);
  return `${await revisionOf(source, ref)} ${raw ? await sha256Hex(raw) : 'no bytes'}`;
}

async function revisionOf(source: CheckpointSource, ref: CheckpointRef): Promise<string> {
  try {
    return (await source.state(ref))?.revision ?? 'no state';
  } catch (error) {
    return InspectorError.from(error).code;
  }
}

/** Content by ref, to compare before and after. */
export async function contents(source: CheckpointSource): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const meta of await everyCheckpoint(source)) {
    found.set(refKey(refOf(meta)), await contentOf(source, refOf(meta)));
  }
  return found;
}
