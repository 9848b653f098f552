/** From ids in an address to rows, through the contract only. */
import { compact, everyPage, InspectorError, sha256Hex } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointRef, CheckpointSource, State, Task } from '@checkpoint-inspector/core';
import { LARGE_BYTES } from '../large-states/limits.ts';
import { noTask } from './no-task.ts';

interface Narrow {
  readonly task?: string | undefined;
  /** '' is the default namespace. */
  readonly ns?: string | undefined;
}

/**
 * The one checkpoint that an id (narrowed by task and namespace) names.
 * @throws InspectorError not_found | ambiguous_id with the candidates
 */
export async function resolveRef(source: CheckpointSource, id: string, narrow: Narrow): Promise<CheckpointRef> {
  const { task, ns } = narrow;
  if (task !== undefined && ns !== undefined) return { task, id, ...(ns === '' ? {} : { namespace: ns }) };
  const candidates = (await source.find(id)).filter(
    (ref) => (task === undefined || ref.task === task) && (ns === undefined || (ref.namespace ?? '') === ns),
  );
  const [only] = candidates;
  if (only === undefined) throw noCheckpoint(id, task);
  if (candidates.length === 1) return only;
  throw new InspectorError('ambiguous_id', `${candidates.length} checkpoints have the id "${id}".`, {
    data: { candidates: candidates.slice(0, 100) },
  });
}

/** The row of a checkpoint as it is listed. @throws InspectorError not_found */
export async function rowOf(source: CheckpointSource, ref: CheckpointRef): Promise<CheckpointMeta> {
  const meta = await source.meta(ref);
  if (meta === undefined) throw noCheckpoint(ref.id, ref.task);
  return meta;
}

/** Works out the revision of a state. */
export type HashOf = (meta: CheckpointMeta, ref: CheckpointRef) => Promise<string | undefined>;

/** The row of a checkpoint, its revision set wherever its state can be read without much ado. @throws InspectorError not_found */
export async function metaOf(source: CheckpointSource, ref: CheckpointRef, hashOf?: HashOf): Promise<CheckpointMeta> {
  const meta = await rowOf(source, ref);
  if (meta.revision !== undefined || meta.problem !== undefined || isLongLog(meta)) return meta;
  const revision = await readable(() => hashOf?.(meta, ref) ?? source.state(ref).then((state) => state?.revision));
  return revision === undefined ? meta : { ...meta, revision };
}

/** A state that many lines make isn't put together only to tell its revision: whoever reads it is told. */
const isLongLog = ({ stateBytes = 0 }: CheckpointMeta): boolean => stateBytes > LARGE_BYTES;

/** A state that cannot be read has no revision; asking for the state itself tells why. */
async function readable(revision: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await revision();
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

/** Every checkpoint with this id. */
export async function metasOf(source: CheckpointSource, id: string, hashOf?: HashOf): Promise<CheckpointMeta[]> {
  const refs = await source.find(id);
  return Promise.all(refs.map((ref) => metaOf(source, ref, hashOf)));
}

/** @throws InspectorError not_found | unreadable | locked */
export async function stateOf(source: CheckpointSource, ref: CheckpointRef): Promise<State> {
  const state = await source.state(ref);
  if (state === undefined) throw noCheckpoint(ref.id, ref.task);
  return state;
}

/** Stored bytes and their sha256. @throws InspectorError not_found */
export async function rawOf(
  source: CheckpointSource,
  ref: CheckpointRef,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; hash: string }> {
  const bytes = await source.raw?.(ref);
  if (bytes === undefined) throw noCheckpoint(ref.id, ref.task);
  return { bytes: new Uint8Array(bytes), hash: await sha256Hex(bytes) };
}

/** @throws InspectorError not_found */
export async function findTask(source: CheckpointSource, id: string): Promise<Task> {
  for await (const { items } of everyPage((at) => source.tasks({ ...at, text: id }))) {
    const task = items.find((item) => item.id === id);
    if (task !== undefined) return task;
  }
  const { items } = await source.tasks({ limit: 1000 });
  throw noTask(
    id,
    items.map((task) => task.id),
    source.info.id,
  );
}

function noCheckpoint(id: string, task: string | undefined): InspectorError {
  const where = task === undefined ? '' : ` in task "${task}"`;
  return new InspectorError('not_found', `No checkpoint "${id}"${where}.`, { data: compact({ id, task }) });
}
