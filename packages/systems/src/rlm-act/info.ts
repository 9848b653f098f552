import type { Capability } from '@checkpoint-inspector/core';
import type { FolderInfo, StoreNames } from '../folder/index.ts';
import { fileNotes, namesOf } from './latest.ts';
import type { Snapshot } from './rows.ts';

export const NO_FORK =
  'The pipeline has no branches: it always resumes from the newest timestamp, so a fork would be the same as a restore. Restore instead.';

/** What there is to say about a folder. `writable` false where this user may not write into it. */
export function infoOf(names: StoreNames, snapshot: Snapshot, writable: boolean): FolderInfo {
  const change: Capability = writable || "This user doesn't have permission to write to the folder.";
  const notes = notesOf(snapshot);
  return {
    ...names,
    system: 'rlm-act',
    retention: 'Keeps everything until its own cleanup by age runs.',
    latestRule: 'last timestamp in text order, whatever its time zone',
    volatilePaths: ['$.id', '$.timestamp'],
    capabilities: { restore: change, fork: NO_FORK, edit: change, delete: change },
    ...(notes.length > 0 ? { notes } : {}),
  };
}

function notesOf({ files }: Snapshot): string[] {
  const notes = fileNotes(files);
  const skipped = namesOf(files, 'skipped');
  if (skipped) notes.push(`The pipeline skips what it can't read: ${skipped}.`);
  if (files.some((file) => file.facts?.timestamp && file.facts.utc === undefined)) {
    notes.push('Python writes local times with a Z suffix, so these times are shown as stored, not as UTC.');
  }
  return notes;
}
