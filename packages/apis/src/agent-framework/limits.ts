import { InspectorError } from '@checkpoint-inspector/core';
import { CheckpointStorageError } from './errors.ts';

/**
 * Loading has the same limit.
 * @throws CheckpointStorageError too_large
 * @example assertFits(storedText('run-1_writer', checkpoint), 32 * 1024 * 1024);
 */
export function assertFits(text: string, maxBytes: number): void {
  const size = Buffer.byteLength(text);
  if (size <= maxBytes) return;
  throw new CheckpointStorageError(
    new InspectorError('too_large', `The checkpoint is ${size} bytes; the limit is ${maxBytes}.`, {
      data: { size, maxBytes },
    }),
  );
}
