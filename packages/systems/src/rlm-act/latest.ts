import type { Latest } from '@checkpoint-inspector/core';
import type { InOriginal } from './document.ts';
import { noteOf, type FolderRow } from '../folder/index.ts';
import type { StoredFile } from './files.ts';

/** The greatest readable timestamp as text (rows oldest first); the note tells where the pipeline answers otherwise. */
export function latestOf(rows: readonly FolderRow<StoredFile>[]): Latest {
  const notes = fileNotes(rows.map((row) => row.file));
  const top = rows.at(-1);
  const facts = top?.file.facts;
  if (!top || !facts) return { basis: 'none', ...noteOf(notes) };
  const tied = rows.filter((row) => row.file.facts?.timestamp === facts.timestamp).length;
  if (tied > 1) {
    notes.push(
      `${tied} checkpoints have exactly this timestamp: the pipeline picks the first one in the folder's order.`,
    );
  }
  if (facts.pythonFails !== undefined) notes.push(`The Python pipeline can't load it: ${facts.pythonFails}.`);
  return { ref: top.ref, basis: tied > 1 ? 'tie' : 'rule', ...noteOf(notes) };
}

/** What files that are not compared here do to the pipeline. */
export function fileNotes(files: readonly StoredFile[]): string[] {
  const crashing = namesOf(files, 'crashes');
  const read = namesOf(files, 'read');
  const notes: string[] = [];
  if (crashing) notes.push(`The Python pipeline's resume and status fail while this is in the folder: ${crashing}.`);
  if (read) notes.push(`The pipeline also considers this, but it can't be read here: ${read}.`);
  return notes;
}

/** The files that the pipeline treats so, in words; empty for none. */
export function namesOf(files: readonly StoredFile[], inOriginal: InOriginal): string {
  const names = files.filter((file) => file.problem?.inOriginal === inOriginal).map((file) => file.entry.name);
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return names.slice(0, 3).join(', ') + more;
}
