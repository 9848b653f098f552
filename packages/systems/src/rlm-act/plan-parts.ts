import { emptyPlanLists, type SystemRequest, type StoreId } from '@checkpoint-inspector/core';
import type { Snapshot } from './rows.ts';

/** What a plan is made from. */
export interface PlanBasis {
  readonly store: StoreId;
  readonly folder: string;
  readonly snapshot: Snapshot;
  readonly now: Date;
}

/** Both write a checkpoint that sorts last; an edit one with another text. */
export type RestoreRequest = Extract<SystemRequest, { kind: 'restore' | 'edit' }>;
export type DeleteRequest = Extract<SystemRequest, { kind: 'delete' }>;

/** The parts that all plans share, with empty lists. The pipeline evicts nothing by itself. */
export function frame({ store, snapshot }: PlanBasis, request: SystemRequest) {
  return {
    request,
    store,
    task: snapshot.task,
    latestBefore: snapshot.latest,
    ...emptyPlanLists(),
    bytesFreed: 0,
  };
}
