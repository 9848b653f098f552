import { randomUUID } from 'node:crypto';

/** An id as ctx-sys makes them. */
export function newCheckpointId(): string {
  return `ckpt_${randomUUID()}`;
}
