import type { Latest } from '@checkpoint-inspector/core';
import type { Row } from './rows.ts';

/**
 * The newest timestamp among the rows (oldest first) that can be read, and in the note what Kaizen itself
 * answers where its defects make that differ.
 */
export function latestOf(task: string, rows: readonly Row[], all: readonly Row[], unassigned: boolean): Latest {
  const readable = rows.filter((row) => row.readable);
  const top = readable.at(-1);
  if (!top) return { basis: 'none', ...noteOf(unassigned ? lockedNotes(rows) : []) };
  const tied = new Set(readable.filter((row) => timeOf(row) === timeOf(top)).map((row) => row.ref.id));
  const notes = [...mixedNotes(readable), ...loadNotes(top), ...anyAgentNotes(task, top, all)];
  if (tied.size > 1) {
    notes.push(`${tied.size} checkpoints have this very time: Kaizen takes the one that the folder lists first.`);
  }
  return { ref: top.ref, basis: tied.size > 1 ? 'tie' : 'rule', ...noteOf(notes) };
}

/** True where Kaizen lists nothing: it cannot compare times with and without an offset. */
export function hasMixedTimes(readable: readonly Row[]): boolean {
  const naive = readable.filter((row) => row.file.facts?.time?.naive).length;
  return naive > 0 && naive < readable.length;
}

function mixedNotes(readable: readonly Row[]): string[] {
  if (!hasMixedTimes(readable)) return [];
  const naive = readable.filter((row) => row.file.facts?.time?.naive).length;
  return [
    `Kaizen itself lists none of these checkpoints and would start afresh: ${naive} of ${readable.length} times ` +
      'have no offset, and it cannot compare them with the others.',
  ];
}

function loadNotes(top: Row): string[] {
  const notes = top.note ? [top.note] : [];
  const unknown = top.file.facts?.unknownKeys ?? [];
  if (unknown.length > 0) notes.push(`Kaizen fails to load it: it does not know the keys ${unknown.join(', ')}.`);
  return notes;
}

/** An empty agent id means "any agent" to Kaizen. */
function anyAgentNotes(task: string, top: Row, all: readonly Row[]): string[] {
  if (task !== '') return [];
  const newest = all.reduce((best, row) => (row.readable && timeOf(row) > timeOf(best) ? row : best), top);
  if (newest === top) return [];
  return [`Kaizen takes an empty agent id for any agent: it resumes ${newest.ref.id} of "${newest.ref.task}".`];
}

export function timeOf(row: Row): bigint {
  return row.file.facts?.time?.micros ?? 0n;
}

function lockedNotes(rows: readonly Row[]): string[] {
  if (!rows.some((row) => row.file.problem?.code === 'locked')) return [];
  return ['Kaizen never lists encrypted files: resume_from_latest finds none of them, only load_checkpoint(id) does.'];
}

function noteOf(notes: readonly string[]): { note?: string } {
  return notes.length > 0 ? { note: notes.join(' ') } : {};
}
