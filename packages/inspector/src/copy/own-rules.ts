/** What is in a store that gives ids of its own: a state is there, or it is not. */
import { createHash } from 'node:crypto';
import {
  InspectorError,
  memberOf,
  parseJson,
  refOfMeta,
  sourceOf,
  type CheckpointSource,
} from '@checkpoint-inspector/core';
import { everyRow } from '../stores/task-lists.ts';

export interface StatesThere {
  /** Whether a state is there; each one counts once. */
  take(text: string): boolean;
}

/** The states of a task, without those that cannot be read. */
export async function statesOf(source: CheckpointSource | undefined, task: string): Promise<StatesThere> {
  const counts = new Map<string, number>();
  if (source !== undefined) {
    for await (const meta of everyRow(source, task)) {
      if (meta.problem !== undefined) continue;
      const text = await textOf(source, meta);
      for (const key of text === undefined ? [] : statesIn(text).map(sha256))
        counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return {
    take(text) {
      const key = sha256(text);
      const count = counts.get(key) ?? 0;
      if (count > 0) counts.set(key, count - 1);
      return count > 0;
    },
  };
}

async function textOf(source: CheckpointSource, meta: Parameters<typeof refOfMeta>[0]): Promise<string | undefined> {
  try {
    return (await source.state(refOfMeta(meta)))?.text;
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

/** A state as it was given: ctx-sys keeps one that is not its own as the `context` of one that is. */
export function statesIn(text: string): string[] {
  const root = parseJson(text);
  const context = root.kind === 'object' ? memberOf(root, 'context')?.value : undefined;
  return context === undefined ? [text] : [text, sourceOf(text, context)];
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
