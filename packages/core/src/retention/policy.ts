import type { CheckpointStatus } from '../model.ts';

/** Which checkpoints may go: all conditions that are given must hold. At least one is given. */
export interface RetentionPolicy {
  /** Saved more than so many days ago; a checkpoint without a time stays. */
  readonly olderThanDays?: number;
  /** Not among the newest so many in resume order. */
  readonly beyondNewest?: number;
  /** Only with one of these statuses. */
  readonly status?: readonly CheckpointStatus[];
  /** Only where id or description holds this text, case-insensitive. */
  readonly text?: string;
}
