import type { Difference } from '../diff/types.ts';
import type { WireError } from '../errors.ts';
import type { Path } from '../json/path.ts';
import type { CheckpointRef, CheckpointStatus, State } from '../model.ts';

/** One checkpoint of a branch, as a row of a history names it. */
export interface HistoryPoint {
  readonly ref: CheckpointRef;
  /** Place on the branch, 0 = its root. */
  readonly position: number;
  readonly seq?: number;
  readonly stepIndex?: number;
  readonly description?: string;
  readonly agentId?: string;
  /** ISO 8601 UTC. */
  readonly time?: string;
  readonly status?: CheckpointStatus;
}

/** A checkpoint whose state may be asked for; it is not read where `revision` says that it is the one before. */
export interface HistorySource {
  readonly point: HistoryPoint;
  readonly revision?: string;
  /** `undefined` where it is gone. @throws InspectorError: such a state becomes a gap */
  readonly read: () => Promise<Pick<State, 'text' | 'revision'> | undefined>;
  /** The value at the path alone. `undefined` where the state has to be read for it. @throws InspectorError as `read` */
  readonly readValue?: (path: Path) => Promise<StateValue | undefined>;
}

/** A value of a state. */
export interface StateValue {
  /** JSON text as stored; absent where the state has no such value. */
  readonly value?: string;
  /** Of the whole state. */
  readonly revision: string;
}

/** States that could not be read, one after another. */
export interface HistoryGap {
  readonly count: number;
  /** The oldest of them; the row's own ref is the newest. */
  readonly oldest: CheckpointRef;
  /** Why the newest of them could not be read: an error code and its words. */
  readonly code: string;
  readonly message: string;
  /** Of the values on both sides; `unknown` where one side cannot be looked at. */
  readonly sides: 'same' | 'differ' | 'unknown';
}

export type HistoryKind = 'set' | 'changed' | 'type-changed' | 'removed' | 'moved' | 'gap';

/** A checkpoint in which the value at the path is another one than in the checkpoint before. */
export interface HistoryRow extends HistoryPoint {
  readonly kind: HistoryKind;
  /** JSON text as stored; absent where there was no value. */
  readonly before?: string;
  readonly after?: string;
  /** Where several nodes ran in this step: those that wrote to this part of the state, as far as the store tells. */
  readonly writtenBy?: readonly string[];
  /** Only `moved`: the value came from here … */
  readonly from?: string;
  /** … or went there. */
  readonly to?: string;
  /** Only `gap`. */
  readonly gap?: HistoryGap;
}

/** A row as it is sent: of a value longer than `VALUE_SHOWN` the beginning, and its whole length. */
export interface SentHistoryRow extends HistoryRow {
  readonly beforeLength?: number;
  readonly afterLength?: number;
  /** Only of a list or an object that changed: what became of its entries. */
  readonly within?: EntriesChange;
}

/** How many entries a list or an object had and has; where these are as many, how they differ. */
export interface EntriesChange {
  readonly before: number;
  readonly after: number;
  readonly differences?: number;
  /** The difference that tells most; its path begins at the value. */
  readonly first?: Difference & Pick<SentHistoryRow, 'beforeLength' | 'afterLength'>;
}

/** What a history answers with, one line after another; `done` or `error` is the last one. */
export type HistoryLine =
  | SentHistoryRow
  | { readonly kind: 'progress'; readonly examined: number; readonly of: number }
  | {
      readonly kind: 'done';
      readonly done: true;
      /** Checkpoints looked at, of those on the branch. */
      readonly examined: number;
      readonly of: number;
      /** Those whose state could be read. */
      readonly readable: number;
      readonly rows: number;
    }
  | ({ readonly kind: 'error' } & WireError);
