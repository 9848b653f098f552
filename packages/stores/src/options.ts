/** Checks that both stores make of what they are opened with. */
import {
  asGiven,
  checkKeys,
  checkRef,
  InspectorError,
  type CheckpointRef,
  type PartRange,
} from '@checkpoint-inspector/core';

/** Ids and times that change at every save. */
export const VOLATILE_PATHS = ['$.id', '$.createdAt', '$.updatedAt', '$.updated_at', '$.timestamp'];

interface Kept {
  readonly maxPerTask?: number;
  readonly keepAll?: boolean;
}

/** @throws InspectorError invalid_input for a misspelt option, or a limit that isn't one */
export function checkOptions(options: Kept, known: readonly string[]): void {
  checkKeys(options, known);
  const { maxPerTask, keepAll } = options;
  if (maxPerTask !== undefined && keepAll) {
    throw new InspectorError('invalid_input', 'Use maxPerTask or keepAll, not both.');
  }
  if (maxPerTask !== undefined && !(Number.isInteger(maxPerTask) && maxPerTask >= 1)) {
    throw new InspectorError(
      'invalid_input',
      `maxPerTask must be a positive whole number, not ${asGiven(maxPerTask)}.`,
    );
  }
}

/** @throws InspectorError invalid_input */
export function checkPath(path: unknown, remedy = "Name the file, such as { path: 'agent.db' }."): void {
  if (path === ':memory:')
    throw new InspectorError('invalid_input', 'A store in a file is never in memory only.', {
      data: { key: 'path' },
      remedy: "For checkpoints that end with the process: import { MemoryStore } from 'checkpoint-inspector'.",
    });
  if (typeof path === 'string' && path !== '' && !path.includes('\0')) return;
  const problem = path === undefined ? 'is missing' : 'must be the path of a file';
  throw new InspectorError('invalid_input', `path ${problem}.`, {
    data: { key: 'path' },
    remedy,
  });
}

/** A misspelt or absent number would answer an empty part. @throws InspectorError invalid_input */
export function checkRange(range: PartRange | undefined): void {
  if (range === undefined) return;
  checkKeys(range, ['offset', 'limit']);
  for (const key of ['offset', 'limit'] as const) {
    if (Number.isInteger(range[key]) && range[key] >= 0) continue;
    throw new InspectorError('invalid_input', `${key} must be a whole number, 0 or more.`, {
      data: { key },
      remedy: 'Give both, such as { offset: 100, limit: 50 }.',
    });
  }
}

/** The key of its row. @throws InspectorError invalid_input for what isn't a ref */
export function keyOf(ref: CheckpointRef): [string, string, string] {
  checkRef(ref);
  return [ref.task, ref.namespace ?? '', ref.id];
}
