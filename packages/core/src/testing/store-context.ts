import type { Plan } from '../change/index.ts';
import type { CheckpointStore, StoreOptions } from '../contract.ts';
import type { Opened } from './run.ts';

/** An empty store, and what a suite can do with it. */
export interface OpenedStore extends Opened {
  readonly store: CheckpointStore;
  /** A second store object on the same data; absent where nothing outlives the first. */
  readonly reopen?: () => Promise<CheckpointStore>;
  /** Executes a plan of this store, its checks included. */
  readonly apply: (plan: Plan) => Promise<unknown>;
  /** Undoes the plan that was applied last. */
  readonly undo?: () => Promise<unknown>;
}

export interface StoreContext {
  /** An empty store with these options; torn down after the test. */
  readonly open: (options?: StoreOptions) => Promise<OpenedStore>;
}
