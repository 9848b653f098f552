/** What agents save beside a state, and get back. */
import type { CheckpointRef, State } from './model.ts';

/**
 * A value that a step wrote from a checkpoint, kept beside that checkpoint. `run` and `index` tell its writes apart.
 * @example await store.saveWrites(ref, [{ run: 'run-7', index: 0, channel: 'messages', text: '"hello"' }])
 */
export interface NewWrite {
  /** The run of a step that wrote it. */
  readonly run: string;
  readonly index: number;
  /** Where the value goes; `__error__` is what failed, `__interrupt__` a question that waits for a person. */
  readonly channel: string;
  /** JSON text of the value, kept as it is. */
  readonly text: string;
  /** The node or step that ran. */
  readonly node?: string;
  /** The place of the run among those of its step: writes are read by `path`, `run` and `index`. */
  readonly path?: string;
}

/**
 * How writes are saved.
 * @example await store.saveWrites(ref, writes, { ifExists: 'keep' })
 */
export interface WriteOptions {
  /** What happens to a write that is there already; default `replace`. */
  readonly ifExists?: 'replace' | 'keep';
}

/**
 * All that was saved of a checkpoint, read at one moment: what a framework continues with.
 * @example const saved = await store.load({ task: 'run-1', id: 'cp-1' }); saved?.writes
 */
export interface SavedCheckpoint extends State {
  readonly ref: CheckpointRef;
  /** Only where one was given. */
  readonly parent?: CheckpointRef;
  readonly createdAt?: string;
  readonly beside?: string;
  /** By `path`, `run` and `index`. */
  readonly writes: readonly NewWrite[];
}
