/**
 * A bundle: tasks with all that is kept of them, as one JSON document that can be sent to somebody else.
 * `packages/systems/src/bundle/README.md` describes it for other programs.
 */
import type { Beside } from '../contract.ts';
import type { CheckpointMeta, CheckpointRef, StoreInfo, Task } from '../model.ts';
import type { NewWrite } from '../saved.ts';

export const BUNDLE_FORMAT = 'checkpoint-inspector/bundle';
/** Of what this program writes; it reads no other. */
export const BUNDLE_VERSION = 1;

/** A member of the document each, beside `tasks`. */
export interface BundleHead {
  readonly format: typeof BUNDLE_FORMAT;
  readonly version: number;
  /** The program and its version. */
  readonly madeBy?: string;
  /** ISO 8601 UTC. */
  readonly exportedAt?: string;
  /** True where secrets of known shapes were masked. */
  readonly redacted: boolean;
  /** What the tasks come from. */
  readonly store: Pick<StoreInfo, 'label' | 'system' | 'latestRule' | 'volatilePaths'>;
  /** Kinds of secrets that were found, with how many different ones. */
  readonly masked: readonly { readonly name: string; readonly count: number }[];
  /** Sentences on what is not in it. */
  readonly leftOut: readonly string[];
}

/** A member of `tasks`. */
export interface BundleTask {
  readonly task: Task;
  /** Oldest first; the last readable one is the latest. */
  readonly checkpoints: readonly BundleCheckpoint[];
}

export interface BundleCheckpoint {
  readonly meta: CheckpointMeta;
  readonly parent?: CheckpointRef;
  readonly state: BundleState;
  /** As the page shows it. */
  readonly beside?: Beside;
  /** Of a store of our own: exactly what was saved beside the state. */
  readonly saved?: BundleSaved;
  /** What a person wrote about it. */
  readonly note?: string;
}

/** The state as JSON text, byte for byte but for what was masked; or why it isn't there. */
export type BundleState =
  | {
      readonly text: string;
      /** sha256 hex of the text; absent where something in it was masked, as it could be guessed from one. */
      readonly hash?: string;
      readonly redacted: boolean;
      readonly derived?: string;
    }
  | { readonly missing: string };

export interface BundleSaved {
  readonly beside?: string;
  readonly writes: readonly NewWrite[];
}
