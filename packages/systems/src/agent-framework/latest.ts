import type { Latest } from '@checkpoint-inspector/core';
import { hasMixedTimes, noteOf, timeOf } from '../folder/index.ts';
import type { Row } from './rows.ts';

/** Unnamed workflows get such a name at each build. */
const BUILD_NAME = /^WorkflowBuilder-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The newest readable time (rows oldest first); the note tells what `get_latest` answers where that differs. */
export function latestOf(rows: readonly Row[]): Latest {
  const readable = rows.filter((row) => row.readable);
  const top = readable.at(-1);
  const python = rows.some((row) => row.file.facts?.shape !== 'document');
  const notes = python ? originalNotes(rows, top) : [];
  if (!top) return { basis: 'none', ...noteOf(notes) };
  const tied = readable.filter((row) => timeOf(row) === timeOf(top)).length;
  if (tied > 1) {
    notes.push(`${tied} checkpoints have exactly this time; the folder's order decides which one is resumed.`);
  }
  return { ref: top.ref, basis: tied > 1 ? 'tie' : 'rule', ...noteOf(notes) };
}

/** Rows that `list_checkpoints` of Agent Framework decodes; with or without types that an application must allow. */
export function listedRows(rows: readonly Row[], allowed: boolean): readonly Row[] {
  return rows.filter(({ file: { facts } }) => {
    return facts?.shape === 'python' && facts.notLoaded === undefined && (allowed || facts.typesToAllow.length === 0);
  });
}

function originalNotes(rows: readonly Row[], top: Row | undefined): string[] {
  const task = rows[0]?.ref.task ?? '';
  const best = listedRows(rows, true);
  const notes: string[] = [];
  if (BUILD_NAME.test(task)) {
    notes.push(
      'This name belongs to one build of an unnamed workflow; a new build gets a different name. Resume by id.',
    );
  }
  const raises = whyRaises(best);
  if (raises !== undefined) return [...notes, raises];
  const answer = newest(best);
  if (answer !== top?.ref.id)
    notes.push(`Agent Framework's get_latest returns ${words(answer)}. ${reasons(rows)}`.trim());
  const strict = listedRows(rows, false);
  const types = [...new Set(best.flatMap((row) => row.file.facts?.typesToAllow ?? []))];
  if (newest(strict) !== answer && types.length > 0) {
    const names = types.slice(0, 5).join(', ');
    notes.push(`Without allowed_checkpoint_types for ${names} get_latest returns ${words(newest(strict))}.`);
  }
  return notes;
}

function whyRaises(listed: readonly Row[]): string | undefined {
  const bad = listed.find((row) => !row.file.facts?.time);
  if (bad) return `Agent Framework's get_latest raises ValueError: the timestamp of ${bad.ref.id} isn't a valid time.`;
  if (!hasMixedTimes(listed)) return undefined;
  const naive = listed.filter((row) => row.file.facts?.time?.naive).length;
  return `Agent Framework's get_latest raises TypeError: ${naive} of ${listed.length} times have no UTC offset.`;
}

function newest(rows: readonly Row[]): string | undefined {
  return rows.reduce<Row | undefined>((best, row) => (best && timeOf(best) > timeOf(row) ? best : row), undefined)?.ref
    .id;
}

function words(id: string | undefined): string {
  return id === undefined ? 'none of these' : `"${id}"`;
}

/** Why rows are passed over, each reason once. */
function reasons(rows: readonly Row[]): string {
  const found = rows.map(({ file: { facts } }) => {
    return facts?.shape === 'document' ? "It doesn't read files from the TypeScript interface." : facts?.notLoaded;
  });
  return [...new Set(found.filter((reason) => reason !== undefined))].slice(0, 3).join(' ');
}
