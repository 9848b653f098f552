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
    notes.push(`${tied} checkpoints have this very time; the order of the folder decides which one is resumed.`);
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
    notes.push('This name was made for one build of an unnamed workflow: a new build has another. Resume by id.');
  }
  const raises = whyRaises(best);
  if (raises !== undefined) return [...notes, raises];
  const answer = newest(best);
  if (answer !== top?.ref.id)
    notes.push(`get_latest of Agent Framework answers ${words(answer)}. ${reasons(rows)}`.trim());
  const strict = listedRows(rows, false);
  const types = [...new Set(best.flatMap((row) => row.file.facts?.typesToAllow ?? []))];
  if (newest(strict) !== answer && types.length > 0) {
    const names = types.slice(0, 5).join(', ');
    notes.push(`Without allowed_checkpoint_types for ${names} get_latest answers ${words(newest(strict))}.`);
  }
  return notes;
}

function whyRaises(listed: readonly Row[]): string | undefined {
  const bad = listed.find((row) => !row.file.facts?.time);
  if (bad) return `get_latest of Agent Framework raises ValueError: the timestamp of ${bad.ref.id} is no time.`;
  if (!hasMixedTimes(listed)) return undefined;
  const naive = listed.filter((row) => row.file.facts?.time?.naive).length;
  return `get_latest of Agent Framework raises TypeError: ${naive} of ${listed.length} times have no offset.`;
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
    return facts?.shape === 'document' ? "The TypeScript interface's documents are not its own." : facts?.notLoaded;
  });
  return [...new Set(found.filter((reason) => reason !== undefined))].slice(0, 3).join(' ');
}
