/** What is kept beside a checkpoint: by its system, or in its state where the system keeps errors there. */
import { InspectorError } from '@checkpoint-inspector/core';
import type { Beside, CheckpointRef, CheckpointSource, RowCapabilities } from '@checkpoint-inspector/core';
import { rowOf } from './stores/lookup.ts';
import { viewOf } from './failures/systems.ts';

/** A larger state is not read only to find its error. */
const STATE_BYTES = 4 * 1024 * 1024;

export interface BesideAnswer extends Beside {
  /** Changes that this one checkpoint refuses, each with the reason. */
  readonly refused: RowCapabilities;
}

/** @throws InspectorError not_found */
export async function besideAt(source: CheckpointSource, ref: CheckpointRef): Promise<BesideAnswer> {
  const refused = (await source.capability?.(ref)) ?? {};
  const beside = (await source.beside?.(ref)) ?? (await inState(source, ref));
  return { ...beside, refused };
}

/** The error of a failed state, in the words of its system. */
async function inState(source: CheckpointSource, ref: CheckpointRef): Promise<Beside> {
  const meta = await rowOf(source, ref);
  const { errorOf } = await viewOf(source.info.system);
  if (meta.status !== 'failed' || meta.problem || meta.sizeBytes > STATE_BYTES || !errorOf) return { requests: [] };
  try {
    const state = await source.state(ref, { mostCharacters: STATE_BYTES });
    const error = state && errorOf(state.text);
    return error === undefined ? { requests: [] } : { error, errors: [{ text: error }], own: true, requests: [] };
  } catch (cause) {
    if (InspectorError.is(cause)) return { requests: [] };
    throw cause;
  }
}
