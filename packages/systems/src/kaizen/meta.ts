import type { Trigger } from '@checkpoint-inspector/core';
import { listingBy } from '../folder/index.ts';
import type { StoredFile } from './files.ts';
import type { PlacedRow, Snapshot } from './rows.ts';

export const listing = listingBy<StoredFile, Snapshot>({
  system: 'kaizen',
  titles: { unassigned: 'Files without a readable agent', empty: '(empty agent id)' },
  naiveIsLocal: false,
  labels: ({ note }) => (note ? [note] : []),
  ofRow: (row, snapshot) => ({
    trigger: triggerOf(row, snapshot),
    agentId: row.file.facts?.agentId,
    costUsd: row.file.facts?.costUsd,
  }),
  ofTask: ({ id, unassigned }) => ({ agentId: unassigned ? undefined : id }),
});

/** Kaizen stores no trigger. A fork keeps its parent's time; a failed state was saved because of the error. */
function triggerOf(row: PlacedRow, snapshot: Snapshot): Trigger | undefined {
  const { facts } = row.file;
  if (facts?.status === 'failed') return 'error';
  if (row.lineage !== 'recorded' || !row.parent) return undefined;
  const parents = snapshot.byId.get(row.parent.id) ?? [];
  return parents.some((parent) => parent.file.facts?.time?.text === facts?.time?.text) ? 'fork' : undefined;
}
