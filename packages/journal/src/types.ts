import type { CheckpointRef, Page, PlanTarget, PlanView, Receipt, StoreId } from '@checkpoint-inspector/core';
import type { Image, Mark } from '@checkpoint-inspector/io';

/** A target as it can be kept: tables in memory go with their process. */
export type StoredTarget = Exclude<PlanTarget, { kind: 'memory' }> | { readonly kind: 'memory' };

export interface NewIntent {
  /** Also the id of the receipt it ends in. */
  readonly id: string;
  readonly store: StoreId;
  readonly plan: PlanView;
  readonly target: StoredTarget;
  /** Where the store is, to tell stores of one name apart. */
  readonly location?: string;
  /** State hash of the latest before the change: what an undo must read back. */
  readonly headHash?: string;
}

export interface Intent extends NewIntent {
  readonly state: 'open' | 'finished' | 'abandoned';
  /** ISO 8601 UTC. */
  readonly begunAt: string;
  /** Whether the process that began it still runs, or it is this one's own. */
  readonly owner: 'here' | 'elsewhere' | 'gone';
}

/** Something a change took out of a store. */
export interface TrashEntry {
  readonly ref: CheckpointRef;
  readonly what: string;
  readonly sizeBytes?: number;
}

export interface TrashRow extends TrashEntry {
  readonly receiptId: string;
  readonly store: StoreId;
  /** ISO 8601 UTC. */
  readonly deletedAt: string;
}

export interface Finish {
  readonly receipt: Receipt;
  /** Indexes of images that did not happen. */
  readonly skipped: readonly number[];
  readonly trash: readonly TrashEntry[];
  /** Parent edges that the store itself cannot hold. */
  readonly sidecar: readonly SidecarEdge[];
}

export interface JournalQuery {
  /** 1..1000, default 100. */
  readonly limit?: number;
  readonly cursor?: string;
  readonly store?: StoreId;
}

export interface SidecarEdge {
  readonly child: CheckpointRef;
  readonly parent: CheckpointRef;
}

/** Everything is durable when a call returns. Two processes may share one journal. */
export interface Journal {
  readonly path: string;
  /**
   * Keeps what a change is about to do. @throws InspectorError busy (another change of the same target is not
   * finished) | undo_conflict (already undone) | disk_full
   */
  begin(intent: NewIntent, images: readonly Image[]): void;
  /** Ends an intent in its receipt, with trash and sidecar edges; marks what it undid. */
  finish(id: string, end: Finish): void;
  /** Ends an intent that changed nothing; its images go. */
  abandon(id: string, reason: string): void;
  openIntents(): readonly Intent[];
  intent(id: string): Intent | undefined;
  /** What the change did, with the content before. */
  images(id: string): readonly Image[];
  /** The same without content: cheap. */
  marks(id: string): readonly Mark[];
  /** Newest first; `undoneBy` as of now. */
  receipts(query?: JournalQuery): Page<Receipt>;
  receipt(id: string): Receipt | undefined;
  /** Newest first; not what is already put back. */
  trash(query?: JournalQuery): Page<TrashRow>;
  /** A child has one parent: a later edge replaces an earlier one. */
  addSidecar(store: StoreId, edges: readonly SidecarEdge[]): void;
  sidecar(store: StoreId): readonly SidecarEdge[];
  close(): void;
}
