import type { Latest } from '@checkpoint-inspector/core';
import { hasMixedTimes, noteOf, timeOf } from '../folder/index.ts';
import type { Row, StoredFile } from './files.ts';
import { isEncrypted } from './names.ts';

/** What Kaizen resumes; a tie always says what it means. */
export type KaizenLatest =
  | (Latest & { readonly basis: 'rule' | 'none' })
  | (Latest & { readonly basis: 'tie'; readonly note: string });

/** The newest time that can be read (rows oldest first); the note tells what Kaizen answers where that differs. */
export function latestOf(
  task: string,
  rows: readonly Row[],
  all: () => readonly Row[],
  unassigned: boolean,
): KaizenLatest {
  const readable = rows.filter((row) => row.readable);
  const top = readable.at(-1);
  if (!top) return { basis: 'none', ...noteOf(unassigned ? lockedNotes(rows) : []) };
  const tied = new Set(readable.filter((row) => timeOf(row) === timeOf(top)).map((row) => row.ref.id));
  const listed = listedByKaizen(readable);
  const notes = [...encryptedNotes(top, listed), ...mixedNotes(listed), ...loadNotes(top)];
  if (task === '') notes.push(...anyAgentNotes(top, listedByKaizen(all())));
  if (tied.size === 1) return { ref: top.ref, basis: 'rule', ...noteOf(notes) };
  notes.push(`${tied.size} checkpoints have exactly this time: Kaizen picks the first one in the folder's order.`);
  return { ref: top.ref, basis: 'tie', note: notes.join(' ') };
}

/** What Kaizen itself lists, and so resumes from and removes: encrypted files never. */
export function listedByKaizen<T extends Row>(rows: readonly T[]): T[] {
  return rows.filter((row) => row.readable && !isEncrypted(row.file.variant));
}

function encryptedNotes(top: Row, listed: readonly Row[]): string[] {
  if (!isEncrypted(top.file.variant)) return [];
  const answer = listed.at(-1);
  return [
    'Kaizen itself never lists encrypted files: ' +
      (answer ? `its resume_from_latest picks ${answer.ref.id}.` : "its resume_from_latest won't find these."),
  ];
}

/** Said where times with and without an offset are together, else nothing. */
export function mixedNotes(listed: readonly Row[]): string[] {
  if (!hasMixedTimes(listed)) return [];
  const naive = listed.filter((row) => row.file.facts?.time?.naive).length;
  return [
    `Kaizen itself lists none of these checkpoints and would start from scratch: ${naive} of ${listed.length} times ` +
      "have no UTC offset, so it can't compare them with the others.",
  ];
}

function loadNotes(top: Row): string[] {
  const notes = top.note ? [top.note] : [];
  const unknown = unknownKeysOf(top.file);
  if (unknown) notes.push(`Kaizen can't load it because it doesn't know ${unknown}.`);
  return notes;
}

/** Keys that Kaizen does not know, in words; of an encrypted file only how many. */
export function unknownKeysOf({ variant, facts }: StoredFile): string | undefined {
  const unknown = facts?.unknownKeys ?? [];
  if (unknown.length === 0) return undefined;
  return isEncrypted(variant) ? `${unknown.length} of the keys` : `the keys ${unknown.join(', ')}`;
}

/** An empty agent id means "any agent" to Kaizen. */
function anyAgentNotes(top: Row, listed: readonly Row[]): string[] {
  const newest = listed.reduce((best, row) => (timeOf(row) > timeOf(best) ? row : best), top);
  if (newest === top) return [];
  return [`Kaizen treats an empty agent id as any agent: it resumes ${newest.ref.id} of "${newest.ref.task}".`];
}

function lockedNotes(rows: readonly Row[]): string[] {
  if (!rows.some((row) => row.file.problem?.code === 'locked')) return [];
  return ["Kaizen never lists encrypted files: only load_checkpoint(id) finds them, resume_from_latest doesn't."];
}
