import type {
  ChangeRequest,
  NewCheckpoint,
  CheckpointRef,
  Difference,
  Page,
  PlanView,
  Receipt,
  StoreId,
} from '@checkpoint-inspector/core';
import type { Image } from '@checkpoint-inspector/io';
import type { AgentRecords } from './agents.ts';
import type { TrashedChange } from './trash.ts';

export interface NewIntent {
  /** Also the id of the receipt it ends in. */
  readonly id: string;
  readonly store: StoreId;
  readonly plan: PlanView;
  /** The engine that changes the store, and the place it knows it by. */
  readonly engine: string;
  readonly place: string;
  /** Where the store is, to tell stores of one name apart. */
  readonly location?: string;
  /** Revision of the latest before the change: what an undo must read back. */
  readonly headHash?: string;
  /** The proposal that it applies: both are decided in one transaction. */
  readonly proposal?: string;
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
  /** Where that store is: it may have had another name, and another store its name. */
  readonly place?: StorePlace;
}

export interface SidecarEdge {
  readonly child: CheckpointRef;
  readonly parent: CheckpointRef;
}

/** What the user wrote about a checkpoint. */
export interface Annotation {
  readonly ref: CheckpointRef;
  /** By code units; `bookmark` marks a checkpoint that is to be kept. */
  readonly labels: readonly string[];
  readonly note?: string;
  /** When the note was written, ISO 8601 UTC. */
  readonly writtenAt?: string;
}

/** What a store says it is; where earlier versions kept its words under other places, those after it. */
export type StorePlace = string | readonly [string, ...string[]];

/**
 * Labels and notes, kept by the place of a store (its location, the same whatever the store is called), task,
 * namespace and id. A checkpoint that is deleted and put back has them again.
 */
export interface Annotations {
  /** Of the checkpoints of a task that have any. */
  ofTask(place: StorePlace, task: string): readonly Annotation[];
  ofPlace(place: StorePlace): readonly Annotation[];
  hasLabels(place: StorePlace): boolean;
  /** Of one checkpoint; without labels and note where there are none. */
  of(place: StorePlace, ref: CheckpointRef): Annotation;
  /** @throws InspectorError invalid_input */
  addLabel(place: StorePlace, ref: CheckpointRef, label: string): Annotation;
  removeLabel(place: StorePlace, ref: CheckpointRef, label: string): Annotation;
  /** A blank note takes it away. @throws InspectorError invalid_input */
  setNote(place: StorePlace, ref: CheckpointRef, note: string): Annotation;
}

/** What a person may be asked to do for an agent; how each kind is planned and applied is in the inspector. */
export type ProposedRequest = ChangeRequest | SaveRequest;

/** A save to a task that isn't the client's own. */
export interface SaveRequest extends NewCheckpoint {
  readonly kind: 'save';
  readonly client: string;
}

export interface NewProposal {
  readonly store: StoreId;
  /** Where the store is, as in an intent. */
  readonly location?: string;
  readonly request: ProposedRequest;
  /** The client, as it calls itself. */
  readonly by: { readonly name: string; readonly version?: string };
  /** The agent's own words: nobody has checked them. */
  readonly reason?: string;
  /** Of an edit: the values that it changes. */
  readonly edits?: readonly Difference[];
  /** What it would have done when it was proposed. */
  readonly plan: PlanView;
}

/** Without its request, which may hold a whole state. */
export interface ProposalRecord extends Omit<NewProposal, 'request'> {
  readonly id: string;
  /** ISO 8601 UTC, as the other times. */
  readonly at: string;
  readonly expiresAt: string;
  readonly outcome: 'open' | 'applied' | 'dismissed' | 'expired';
  readonly receiptId?: string;
  readonly decidedAt?: string;
}

export interface ProposalRecords {
  /** @throws InspectorError busy (too many of this client are open) */
  add(proposal: NewProposal): ProposalRecord;
  /** Newest first. */
  list(): readonly ProposalRecord[];
  get(id: string): ProposalRecord | undefined;
  ofReceipt(receiptId: string): ProposalRecord | undefined;
  /** Of an open one. */
  request(id: string): ProposedRequest | undefined;
  /** @throws InspectorError not_found | invalid_input (it was decided already) */
  dismiss(id: string): ProposalRecord;
  /** Decides for one that no change of the journal applies: `done` or `giveBack` follows. @throws InspectorError as `dismiss` */
  take(id: string): void;
  /** `receiptId` of what made room for it. */
  done(id: string, receiptId: string | undefined): ProposalRecord;
  /** Nothing came of it, so it is open again. */
  giveBack(id: string): void;
}

/** Everything is durable when a call returns. Two processes may share one journal. */
export interface Journal {
  readonly path: string;
  /**
   * Keeps what a change is about to do. @throws InspectorError busy (another change of the same place is not
   * finished) | undo_conflict (already undone) | disk_full
   */
  begin(intent: NewIntent, images: readonly Image[]): void;
  /** Ends an intent in its receipt, with trash and sidecar edges; marks what it undid. */
  finish(id: string, end: Finish): void;
  /** Ends an intent that changed nothing; its images go. */
  abandon(id: string, reason: string): void;
  openIntents(): readonly Intent[];
  intent(id: string): Intent | undefined;
  /** Where the store of a change is; `undefined` where nobody knows. */
  location(id: string): string | undefined;
  /** What the change did, with the content before. */
  images(id: string): readonly Image[];
  /** The same without content: cheap. */
  marks(id: string): readonly unknown[];
  /** Newest first; `undoneBy` as of now. */
  receipts(query?: JournalQuery): Page<Receipt>;
  receipt(id: string): Receipt | undefined;
  /** Newest first; not what is already put back, nor what was purged. */
  trash(query?: JournalQuery): Page<TrashRow>;
  /** The same by change, with what is kept for it. */
  trashed(): readonly TrashedChange[];
  /** Empties the trash of these changes for good: they cannot be undone any longer. Returns what was purged. */
  purge(ids: readonly string[]): readonly TrashedChange[];
  /** When the trash of this change was purged. */
  purgedAt(id: string): string | undefined;
  /** How long the trash is meant to be kept; default 30 days. Nothing is purged by itself. */
  trashDays(): number;
  /** @throws InspectorError invalid_input */
  setTrashDays(days: number): void;
  /** A child has one parent: a later edge replaces an earlier one. */
  addSidecar(place: StorePlace, edges: readonly SidecarEdge[]): void;
  /** @param name under which earlier versions kept them */
  sidecar(place: StorePlace, name: StoreId): readonly SidecarEdge[];
  readonly annotations: Annotations;
  readonly proposals: ProposalRecords;
  readonly agents: AgentRecords;
  /** One text by its name; it outlives `clear`. */
  setting(name: string): string | undefined;
  setSetting(name: string, value: string): void;
  /** The text of this name, made now where there is none; of two processes that make it, one wins. */
  settingOnce(name: string, make: () => string): string;
  /** Forgets every change, label and note: the reset of the demo. */
  clear(): void;
  close(): void;
}
