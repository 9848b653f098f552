import type { StoredFile } from './files.ts';
import { snapshotOfDocuments } from './folder.ts';
import type { Snapshot, TaskRows } from './rows.ts';

/** The task in a folder of such files: as it is, or as it will be, by the same rules. */
export function taskIn({ tasks }: Snapshot, id: string): TaskRows {
  return tasks.get(id) ?? { id, unassigned: false, rows: [], latest: { basis: 'none' } };
}

export function taskAfter(files: readonly StoredFile[], id: string): TaskRows {
  return taskIn(snapshotOfDocuments(files), id);
}
