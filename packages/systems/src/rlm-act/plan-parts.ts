import { emptyPlanLists, type ChangeRequest, type StoreId } from '@checkpoint-inspector/core';
import type { Snapshot } from './rows.ts';

/** What a plan is made from. */
export interface PlanBasis {
  readonly store: StoreId;
  readonly folder: string;
  readonly snapshot: Snapshot;
  readonly now: Date;
}

/** Both write a checkpoint that sorts last; an edit one with another text. */
export type RestoreRequest = Extract<ChangeRequest, { kind: 'restore' | 'edit' }>;
export type DeleteRequest = Extract<ChangeRequest, { kind: 'delete' }>;

/** The parts that all plans share, with empty lists. The pipeline evicts nothing by itself. */
export function frame({ store, folder, snapshot }: PlanBasis, request: ChangeRequest) {
  return {
    request,
    store,
    task: snapshot.task,
    latestBefore: snapshot.latest,
    ...emptyPlanLists(),
    bytesFreed: 0,
    target: { kind: 'folder', path: folder } as const,
    checks: [],
  };
}
