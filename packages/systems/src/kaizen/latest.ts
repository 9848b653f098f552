import type { Latest } from '@checkpoint-inspector/core';
import { noteOf, timeOf } from '../folder/index.ts';
import type { Row, StoredFile } from './files.ts';
import { isEncrypted } from './names.ts';
import { isListed, isMixed, type Totals } from './totals.ts';

/** What Kaizen resumes; a tie always says what it means. */
export type KaizenLatest =
  | (Latest & { readonly basis: 'rule' | 'none' })
  | (Latest & { readonly basis: 'tie'; readonly note: string });

/** What the rule is asked about. */
interface LatestBasis {
  readonly task: string;
  readonly newestFirst: Iterable<Row>;
  readonly totals: Totals;
  /** The rows of all tasks. */
  readonly all: () => readonly Row[];
  readonly unassigned: boolean;
}

/** The newest time that can be read; the note tells what Kaizen answers where that differs. */
export function latestOf({ task, newestFirst, totals, all, unassigned }: LatestBasis): KaizenLatest {
  const tied = newestTies(newestFirst);
  const [top] = tied;
  if (!top) return { basis: 'none', ...noteOf(unassigned ? lockedNotes(newestFirst) : []) };
  const notes = [...encryptedNotes(top, newestFirst, totals), ...mixedNotes(totals), ...loadNotes(top)];
  if (task === '') notes.push(...anyAgentNotes(top, all().filter(isListed)));
  const { size } = new Set(tied.map((row) => row.ref.id));
  if (size === 1) return { ref: top.ref, basis: 'rule', ...noteOf(notes) };
  notes.push(`${size} checkpoints have exactly this time: Kaizen picks the first one in the folder's order.`);
  return { ref: top.ref, basis: 'tie', note: notes.join(' ') };
}

/** The newest row and those of the same time. What can't be read is older than all others, so it ends them. */
function newestTies(newestFirst: Iterable<Row>): readonly Row[] {
  const tied: Row[] = [];
  for (const row of newestFirst) {
    if (!row.readable || (tied[0] && timeOf(row) !== timeOf(tied[0]))) break;
    tied.push(row);
  }
  return tied;
}

function firstListed(rows: Iterable<Row>): Row | undefined {
  for (const row of rows) if (isListed(row)) return row;
  return undefined;
}

function encryptedNotes(top: Row, newestFirst: Iterable<Row>, { listed }: Totals): string[] {
  if (!isEncrypted(top.file.variant)) return [];
  const answer = listed.all > 0 ? firstListed(newestFirst) : undefined;
  return [
    'Kaizen itself never lists encrypted files: ' +
      (answer ? `its resume_from_latest picks ${answer.ref.id}.` : "its resume_from_latest won't find these."),
  ];
}

/** Said where times with and without an offset are together, else nothing. */
export function mixedNotes({ listed }: Totals): string[] {
  if (!isMixed(listed)) return [];
  return [
    `Kaizen itself lists none of these checkpoints and would start from scratch: ${listed.naive} of ${listed.all} times ` +
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

function lockedNotes(rows: Iterable<Row>): string[] {
  if (![...rows].some((row) => row.file.problem?.code === 'locked')) return [];
  return ["Kaizen never lists encrypted files: only load_checkpoint(id) finds them, resume_from_latest doesn't."];
}
