import { InspectorError } from '@checkpoint-inspector/core';
import type { CheckpointRef, CheckpointSource } from '@checkpoint-inspector/core';
import { strongTags } from '../lib/etag.ts';
import { StatusError } from '../lib/status-error.ts';
import { rawOf, stateOf } from '@checkpoint-inspector/inspector';

/**
 * The checkpoint still is what the caller saw: its revision, or the hash of
 * its stored bytes where the state cannot be read.
 * @throws InspectorError invalid_input (428) without a revision, changed (412) for another one, not_found
 */
export async function requireMatch(source: CheckpointSource, ref: CheckpointRef, header: string | undefined) {
  const tags = strongTags(header);
  if (tags.length === 0) {
    throw new StatusError(428, 'invalid_input', 'This request needs the header If-Match: "<revision>".');
  }
  const hash = await currentHash(source, ref);
  if (tags.includes(hash)) return;
  throw new InspectorError('changed', `Checkpoint "${ref.id}" changed since it was shown.`, { data: { hash } });
}

async function currentHash(source: CheckpointSource, ref: CheckpointRef): Promise<string> {
  try {
    return (await stateOf(source, ref)).revision;
  } catch (error) {
    if (!InspectorError.is(error) || error.code === 'not_found') throw error;
    return (await rawOf(source, ref)).hash;
  }
}
