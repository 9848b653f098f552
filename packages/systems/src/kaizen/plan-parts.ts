import type { PlannedView } from '@checkpoint-inspector/core';
import type { KeyObject } from 'node:crypto';
import type { PlanBasis } from '../folder/index.ts';
import type { StoredFile } from './files.ts';
import { snapshotOf, type Snapshot, type TaskRows } from './rows.ts';

/** What a copy is made from. */
export interface CopyBasis extends PlanBasis<Snapshot> {
  /** Of the encrypted files that are open in this session. */
  readonly keys: readonly KeyObject[];
}

/** A task as it will be; without rows when the change empties it. */
export type TaskAfter = Pick<TaskRows, 'rows' | 'latest'>;

/** The task's rules are asked about the folder after the change. */
export function taskAfter(
  snapshot: Snapshot,
  task: string,
  change: { readonly add?: StoredFile; readonly remove?: ReadonlySet<StoredFile> },
): TaskAfter {
  const kept = snapshot.folder.files.filter((file) => !change.remove?.has(file));
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
