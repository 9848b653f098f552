import type { Capability, StoreInfo } from '@checkpoint-inspector/core';
import type { StoreNames } from '../folder/index.ts';
import { fileNotes, namesOf } from './latest.ts';
import type { Snapshot } from './rows.ts';

export const NO_FORK =
  'The pipeline has no branches: it always resumes from the newest timestamp, so a fork would be a restore. Restore instead.';

/** What there is to say about a folder. `writable` false where this user may not write into it. */
export function infoOf(names: StoreNames, snapshot: Snapshot, writable: boolean): StoreInfo {
  const { files } = snapshot;
  const change: Capability = writable || 'This user may not write into the folder.';
  const notes = notesOf(snapshot);
  return {
    ...names,
    system: 'rlm-act',
    retention: 'Keeps everything until its own cleanup by age is called.',
    latestRule: 'greatest timestamp by string order, whatever zone it was written in',
    volatilePaths: ['$.id', '$.timestamp'],
    indexed: { n: files.length, of: files.length },
    capabilities: { restore: change, fork: NO_FORK, edit: change, delete: change },
    ...(notes.length > 0 ? { notes } : {}),
  };
}

function notesOf({ files }: Snapshot): string[] {
  const notes = fileNotes(files);
  const skipped = namesOf(files, 'skipped');
  if (skipped) notes.push(`The pipeline passes over what it cannot read: ${skipped}.`);
  if (files.some((file) => file.facts?.timestamp && file.facts.utc === undefined)) {
    notes.push('Python stamps its local time and writes Z behind it: these times are shown as they stand, not as UTC.');
  }
  return notes;
}
