/** Answers of the HTTP surface that are no types of core. */
import type { Capability, CheckpointMeta, CheckpointRef, Diff, StoreId, Part } from '@checkpoint-inspector/core';

/** A row of the history: with one line on what changed since its parent, and how many differences there are. */
export type CheckpointRow = CheckpointMeta & { readonly summary?: string; readonly changes?: number };

export interface StoreFailure {
  readonly store: string;
  readonly error: { readonly code: string; readonly message: string; readonly remedy: string };
}

export type DiffAnswer = Diff & { readonly ignoreRules: readonly string[] };

/** Some of a state, and the hash of all of it. */
export type PartAnswer = Part & { readonly hash: string };

export interface StateAnswer {
  readonly text: string;
  readonly hash: string;
  /** How the text was assembled, where it is no exact slice of the store. */
  readonly derived?: string;
}

/** What an export will hold, and the secrets it will mask, by shape. */
export interface ExportPreview {
  readonly checkpoints: number;
  readonly sizeBytes: number;
  readonly masked: readonly { readonly name: string; readonly count: number }[];
  readonly leftOut: readonly string[];
}

export interface TrashItem {
  readonly receiptId: string;
  readonly store: StoreId;
  readonly ref: CheckpointRef;
  readonly what: string;
  /** Absent where it was not known when it was deleted. */
  readonly sizeBytes?: number;
  readonly deletedAt: string;
  /** From then on it is offered for purging. */
  readonly expiresAt: string;
  readonly restorable: Capability;
}

/** Why a checkpoint that a link names is not there. */
export type GoneAnswer =
  | { readonly state: 'here'; readonly ref: CheckpointRef }
  | { readonly state: 'trash'; readonly item: Pick<TrashItem, 'receiptId' | 'deletedAt' | 'restorable'> }
  | { readonly state: 'deleted'; readonly receiptId: string; readonly at: string; readonly byUndo: boolean }
  | { readonly state: 'evicted'; readonly rule?: string; readonly child?: CheckpointRef; readonly receiptId?: string }
  | { readonly state: 'never' };

type Answer<Call extends (...asked: never[]) => Promise<unknown>> = Awaited<ReturnType<Call>>;

/** What is kept beside a checkpoint. */
export type BesideAnswer = Answer<typeof import('./api.ts').api.beside>;
/** What stores, journal and trash take up. */
export type Storage = Answer<typeof import('./api.ts').api.storage>;
export type TrashSummary = Answer<typeof import('./api.ts').api.trashSummary>;
export type PurgePlan = Answer<typeof import('./api.ts').api.planPurge>;
export type SearchAnswer = Answer<typeof import('./api.ts').api.search>;
export type SearchItem = SearchAnswer['items'][number];
export type SearchCoverage = SearchAnswer['coverage'][number];
