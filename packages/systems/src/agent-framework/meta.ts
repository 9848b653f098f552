import { listingBy } from '../folder/index.ts';
import type { StoredFile } from './files.ts';
import type { PlacedRow, Snapshot } from './rows.ts';

const MAX_TYPES = 5;

export const listing = listingBy<StoredFile, Snapshot>({
  system: 'agent-framework',
  titles: { unassigned: 'Files without a readable workflow', empty: '(empty workflow name)' },
  naiveIsLocal: true,
  labels: labelsOf,
  ofRow: ({ file: { facts } }) => ({
    trigger: facts?.status === 'failed' ? 'error' : undefined,
    graphSignature: facts?.graphSignature,
  }),
});

function labelsOf({ note, file }: PlacedRow): string[] {
  const { notLoaded, typesToAllow = [], shape } = file.facts ?? {};
  const labels = note === undefined ? [] : [note];
  if (notLoaded !== undefined && shape === 'python') labels.push(notLoaded);
  if (typesToAllow.length > 0) labels.push(`needs allowed types: ${typesToAllow.slice(0, MAX_TYPES).join(', ')}`);
  return labels;
}
