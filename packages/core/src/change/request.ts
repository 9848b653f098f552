import { sha256Hex } from '../hash.ts';
import type { CheckpointRef } from '../model.ts';
import { createPause } from '../pause.ts';
import type { RetentionPolicy } from '../retention/match.ts';

export type ChangeRequest =
  | {
      readonly kind: 'restore';
      readonly ref: CheckpointRef;
      /** Copy into this new task instead of moving the head of the own one. */
      readonly targetTask?: string;
    }
  | {
      readonly kind: 'fork';
      readonly ref: CheckpointRef;
      readonly id?: string;
      readonly targetTask?: string;
      /** With all that led to it; only where the store leaves the choice (`forkHistory`). */
      readonly history?: boolean;
    }
  /** Saves `text` as a child of `ref`; the original stays as it is. */
  | {
      readonly kind: 'edit';
      readonly ref: CheckpointRef;
      /** The whole new state as JSON text, as `state(ref)` would give it. */
      readonly text: string;
      readonly reason?: string;
      readonly author?: string;
      readonly targetTask?: string;
    }
  | { readonly kind: 'delete'; readonly refs: readonly CheckpointRef[] }
  /** What a policy names in one task; ChangeService turns it into a delete. */
  | { readonly kind: 'prune'; readonly task: string; readonly policy: RetentionPolicy }
  /** Undoes a receipt; made by ChangeService. */
  | { readonly kind: 'undo'; readonly receiptId: string };

export type EditRequest = Extract<ChangeRequest, { kind: 'edit' }>;

/**
 * A request as plans and receipts carry it. The text of an edit is kept in the store and nowhere else: it may be
 * large, and may be of a store that had to be unlocked.
 */
export type ShownRequest =
  | Exclude<ChangeRequest, EditRequest>
  | (Omit<EditRequest, 'text'> & {
      /** sha256 of the text as it was asked for. */
      readonly textHash: string;
      /** In UTF-8. */
      readonly textBytes: number;
    })
  | ShownSave;

/** What an agent would save to a task of others, and a person decides about. */
export interface ShownSave {
  readonly kind: 'save';
  readonly task: string;
  readonly description?: string;
  readonly textHash: string;
  readonly textBytes: number;
}

/** @example await shownRequest({ kind: 'edit', ref, text: '{}' }) // { kind: 'edit', ref, textHash: '44136f…', textBytes: 2 } */
export async function shownRequest(request: ChangeRequest): Promise<ShownRequest> {
  if (request.kind !== 'edit') return request;
  const { text, ...rest } = request;
  // A text may be of many MB: others have their turn before each look at all of it.
  const pause = createPause(0);
  await pause();
  const bytes = new TextEncoder().encode(text);
  await pause();
  return { ...rest, textHash: await sha256Hex(bytes), textBytes: bytes.length };
}

/**
 * What a system is asked to plan; ChangeService makes the others out of these.
 * @example const request: SystemRequest = { kind: 'fork', ref, targetTask: 'run-1-b' }
 */
export type SystemRequest = Exclude<ChangeRequest, { kind: 'undo' | 'prune' }>;
