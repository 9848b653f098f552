/** A bundle's file: gone through once when it is opened, and a state is read again when it is asked for. */
import {
  bundleInfo,
  BundleParts,
  BundleSource,
  InspectorError,
  type CheckpointSource,
  type StoreInfo,
} from '@checkpoint-inspector/core';
import { decodeUtf8, MAX_FILE_BYTES, readJsonParts, readRange, type JsonPlace } from '@checkpoint-inspector/io';

/** Of a checkpoint in the file, in bytes. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Of a part that isn't a checkpoint. */
const MAX_MEMBER_BYTES = 16 * 1024 * 1024;
/** A JSON text inside a JSON text may take twice its size. */
const MAX_CHECKPOINT_BYTES = MAX_FILE_BYTES;

/** The document, `tasks`, each of them, and its `checkpoints`. */
function isSplit([tasks, at, checkpoints, ...more]: JsonPlace): boolean {
  if (tasks === undefined) return true;
  if (tasks !== 'tasks' || more.length > 0) return false;
  return at === undefined || checkpoints === undefined || checkpoints === 'checkpoints';
}

type Names = Pick<StoreInfo, 'id' | 'label' | 'location' | 'identity'>;

/** @throws InspectorError unreadable (with the offset) | unsupported_version | too_large */
export async function openBundle(names: Names, path: string): Promise<CheckpointSource> {
  const parts = new BundleParts<Range>();
  await readJsonParts(path, isSplit, async ({ path: [name, at, member, place], ...range }, bytes) => {
    if (name === 'tasks') {
      if (typeof at !== 'number') return;
      if (place !== undefined) parts.checkpoint(at, await checkpointAt(range, bytes), range);
      else if (member === 'task') parts.task(at, await parsed(range, bytes, MAX_MEMBER_BYTES));
    } else if (typeof name === 'string') parts.member(name, await parsed(range, bytes, MAX_MEMBER_BYTES));
  });
  const bundle = parts.end(names.id);
  return new BundleSource(bundleInfo(names, bundle), bundle, async ({ start, end }) =>
    jsonOf(await readRange(path, start, end)),
  );
}

/** What is wrong with one checkpoint is said in its place. */
async function checkpointAt(range: Range, bytes: () => Promise<Uint8Array>): Promise<unknown> {
  try {
    return await parsed(range, bytes, MAX_CHECKPOINT_BYTES);
  } catch (error) {
    if (InspectorError.is(error)) return error;
    throw error;
  }
}

async function parsed({ start, end }: Range, bytes: () => Promise<Uint8Array>, most: number): Promise<unknown> {
  if (end - start > most)
    throw new InspectorError('too_large', `The part at byte ${start} has ${end - start} bytes; the limit is ${most}.`);
  return jsonOf(await bytes(), start);
}

function jsonOf(bytes: Uint8Array, offset?: number): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes)) as unknown;
  } catch (cause) {
    const where = offset === undefined ? '' : ` The part at byte ${offset} can't be read.`;
    throw new InspectorError('unreadable', `The bundle is damaged, or was changed since it was opened.${where}`, {
      cause,
      ...(offset === undefined ? {} : { data: { offset } }),
    });
  }
}
