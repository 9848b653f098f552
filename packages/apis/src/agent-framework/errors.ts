import { InspectorError, type ErrorCode } from '@checkpoint-inspector/core';

/**
 * What all errors of checkpoint storages have in common; the cause is kept.
 * @example if (error instanceof CheckpointError) console.error(error.kind, error.message, error.remedy);
 */
export class CheckpointError extends InspectorError {
  readonly kind: 'invalid' | 'serialization' | 'corrupt' | 'incompatible' | 'storage';

  constructor(
    kind: CheckpointError['kind'],
    code: ErrorCode,
    message: string,
    more: { data?: Record<string, unknown>; remedy?: string; cause?: unknown } = {},
  ) {
    super(code, message, more);
    this.kind = kind;
  }
}

/**
 * A checkpoint without its shape, or an id that cannot be a key. `data.path` names the member.
 * @example await storage.saveCheckpoint('../x', checkpoint).catch((error) => error instanceof InvalidCheckpointError);
 */
export class InvalidCheckpointError extends CheckpointError {
  constructor(message: string, data: Record<string, unknown> = {}) {
    super('invalid', 'invalid_input', message, { data });
  }
}

/**
 * A value in the checkpoint that JSON cannot hold: a cycle, a function, NaN, a Map. `data.path` names it.
 * @example if (error instanceof CheckpointSerializationError) console.error(error.data?.['path']);
 */
export class CheckpointSerializationError extends CheckpointError {
  constructor(message: string, more: { data?: Record<string, unknown>; cause?: unknown } = {}) {
    super('serialization', 'invalid_input', message, more);
  }
}

/**
 * What is stored under the key is not a checkpoint.
 * @example await storage.loadCheckpoint('torn').catch((error) => error instanceof CorruptCheckpointError);
 */
export class CorruptCheckpointError extends CheckpointError {
  constructor(message: string, more: { data?: Record<string, unknown>; cause?: unknown } = {}) {
    super('corrupt', 'unreadable', message, more);
  }
}

/**
 * The graph has changed since the checkpoint; the message names the executors that differ, where they are known.
 * @example assertCheckpointCompatible(checkpoint, graph); // throws IncompatibleCheckpointError
 */
export class IncompatibleCheckpointError extends CheckpointError {
  constructor(message: string, data: Record<string, unknown>) {
    super('incompatible', 'unsupported', message, {
      data,
      remedy: 'Resume with the workflow that made the checkpoint, or start a new run.',
    });
  }
}

/**
 * The place of the checkpoints failed: no permission, disk full, connection lost.
 * @example if (error instanceof CheckpointStorageError && error.code === 'disk_full') freeSpace();
 */
export class CheckpointStorageError extends CheckpointError {
  constructor(cause: unknown) {
    const { code, message, data } = InspectorError.from(cause);
    super('storage', code, message, { cause, ...(data ? { data } : {}) });
  }
}
