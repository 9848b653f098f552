/** What went wrong with one checkpoint, in the words of its system. */
import { ChangeRoles, diffJson, InspectorError, writtenError } from '@checkpoint-inspector/core';
import type { CheckpointSource } from '@checkpoint-inspector/core';
import { viewOf } from '../failures/systems.ts';
import { findTask } from '../stores/lookup.ts';
import type { Listed, ReadText } from './branch.ts';

export interface Told {
  /** In full; absent where no message is stored. */
  readonly message?: string;
  readonly node?: string;
  /** The step that failed ran on this checkpoint and saved none of its own: the state here is good. */
  readonly isBeside: boolean;
}

/**
 * Beside the state, in the state, of the task: there a name of the step may come before it.
 * @param before the state before the step
 */
export async function toldBy(
  source: CheckpointSource,
  at: Listed,
  read: ReadText,
  before: ReadText | undefined,
): Promise<Told> {
  const beside = await source.beside?.(at.ref);
  const isBeside = beside?.error !== undefined && beside.own !== true && (beside.errors?.length ?? 0) > 0;
  const [next, ...others] = isBeside ? new Set(beside.next) : [];
  const known = beside?.errors?.find((one) => one.node !== undefined)?.node;
  const node = known ?? (others.length === 0 ? next : undefined);
  const said =
    beside?.error ?? (await stated(source, read)) ?? written(source, read, before) ?? (await lastErrorOf(source, at));
  return {
    isBeside,
    ...(said === undefined || said.trim() === '' ? {} : { message: said }),
    ...(node === undefined ? {} : { node }),
  };
}

async function lastErrorOf(source: CheckpointSource, { ref, row }: Listed): Promise<string | undefined> {
  if (!row.isLatest) return undefined;
  try {
    const { lastError } = await findTask(source, ref.task);
    // One word is what the step is called.
    return lastError === row.description && !isError(lastError) ? undefined : lastError;
  } catch (error) {
    // A branch can end in a task that is not listed.
    if (InspectorError.is(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** By the step itself, into a state that its system says nothing of. */
function written(source: CheckpointSource, read: ReadText, before: ReadText = { text: '{}' }): string | undefined {
  if (!('text' in read) || !('text' in before)) return undefined;
  const roles = new ChangeRoles();
  roles.observeState(read.text);
  return writtenError(diffJson(before.text, read.text, { ignore: source.info.volatilePaths }).items, roles);
}

async function stated(source: CheckpointSource, read: ReadText): Promise<string | undefined> {
  if (!('text' in read)) return undefined;
  const { errorOf } = await viewOf(source.info.system);
  try {
    return errorOf?.(read.text);
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

/** Some programs save their error as the name of the step. */
export const isError = (text = ''): boolean => /\s\S+\s|^[\w.]*(?:Error|Exception)\b/.test(text);
