import { emptyPlanLists, type SystemRequest, type Latest, type StoreId } from '@checkpoint-inspector/core';
import type { StoredFile } from './files.ts';
import { snapshotOfDocuments } from './folder.ts';
import type { Snapshot, TaskRows } from './rows.ts';

/** What a plan is made from; only folders of documents can be changed. */
export interface PlanBasis {
  readonly store: StoreId;
  readonly folder: string;
  readonly snapshot: Snapshot;
  readonly now: Date;
}

export type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' | 'edit' }>;
export type DeleteRequest = Extract<SystemRequest, { kind: 'delete' }>;

/** The parts that all plans share, with empty lists. Nothing is ever evicted: this store has no retention. */
export function frame(basis: PlanBasis, request: SystemRequest, task: string, latestBefore: Latest) {
  return {
    request,
    store: basis.store,
    task,
    latestBefore,
    ...emptyPlanLists(),
    bytesFreed: 0,
  };
}

/** The task in a folder of such files: as it is, or as it will be, by the same rules. */
export function taskIn({ tasks }: Snapshot, id: string): TaskRows {
  return tasks.get(id) ?? { id, unassigned: false, rows: [], latest: { basis: 'none' } };
}

export function taskAfter(files: readonly StoredFile[], id: string): TaskRows {
  return taskIn(snapshotOfDocuments(files), id);
}
