import {
  emptyPlanLists,
  type SystemRequest,
  type Latest,
  type PlannedView,
  type StoreId,
} from '@checkpoint-inspector/core';
import type { KeyObject } from 'node:crypto';
import type { StoredFile } from './files.ts';
import { snapshotOf, type Snapshot, type TaskRows } from './rows.ts';

/** What a plan is made from. */
export interface PlanBasis {
  readonly store: StoreId;
  readonly folder: string;
  readonly snapshot: Snapshot;
  readonly now: Date;
  /** Of the encrypted files that are open in this session. */
  readonly keys: readonly KeyObject[];
}

export type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' | 'edit' }>;
export type DeleteRequest = Extract<SystemRequest, { kind: 'delete' }>;

/** The parts that all plans share, with empty lists. */
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

export function latestIn(snapshot: Snapshot, task: string): Latest {
  return snapshot.tasks.get(task)?.latest ?? { basis: 'none' };
}

/** A task as it will be; without rows when the change empties it. */
export type TaskAfter = Pick<TaskRows, 'rows' | 'latest'>;

/** The task's rules are asked about the folder after the change. */
export function taskAfter(
  snapshot: Snapshot,
  task: string,
  change: { readonly add?: StoredFile; readonly remove?: ReadonlySet<string> },
): TaskAfter {
  const kept = snapshot.folder.files.filter((file) => !change.remove?.has(file.name));
  const files = change.add ? [...kept, change.add] : kept;
  return snapshotOf({ ...snapshot.folder, files }).tasks.get(task) ?? { rows: [], latest: { basis: 'none' } };
}

/** The plan's `latestAfter`, where something is left to resume from. */
export function resumesFrom({ latest }: TaskAfter): Pick<PlannedView, 'latestAfter'> {
  return latest.ref ? { latestAfter: latest.ref } : {};
}

export function count(n: number): string {
  return n === 1 ? '1 checkpoint' : `${n} checkpoints`;
}
