/** The message of a failed checkpoint in one line, in the words of its system. */
import { InspectorError, maskSecrets, refOfMeta } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointRef, CheckpointSource, State } from '@checkpoint-inspector/core';
import { viewOf } from '../failures/systems.ts';

export type ReadState = (ref: CheckpointRef) => Promise<State | undefined>;

const ERROR_LENGTH = 400;

/** Kept beside the state, else in it. Absent: it did not fail, or nothing says why. */
export async function errorLineOf(
  source: CheckpointSource,
  meta: CheckpointMeta,
  read: ReadState,
): Promise<string | undefined> {
  if (meta.status !== 'failed' || meta.problem !== undefined) return undefined;
  const ref = refOfMeta(meta);
  try {
    const beside = await source.beside?.(ref);
    if (beside?.error !== undefined) return headOf(beside.error);
    const { errorOf } = await viewOf(source.info.system);
    const state = errorOf && (await read(ref));
    const error = state && errorOf(state.text);
    return error === undefined || error === '' ? undefined : headOf(error);
  } catch (cause) {
    if (InspectorError.is(cause)) return undefined;
    throw cause;
  }
}

/** The first line in short: the whole is on the page of the checkpoint. Masked before it is cut. */
function headOf(error: string): string {
  const line = error.trim().split('\n', 1)[0] ?? '';
  return line.length <= ERROR_LENGTH ? line : `${maskSecrets(line).slice(0, ERROR_LENGTH)}…`;
}
