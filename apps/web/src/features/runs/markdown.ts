/** Two runs as Markdown, for an issue or a chat. */
import { noDifference, sameRows } from '@checkpoint-inspector/core';
import type { RunComparison, RunRow, RunSide, RunStep } from '../../lib/api.ts';
import { plural, previewJson, showId, stepNumber } from '../../lib/format.ts';
import type { Shown } from '../../lib/masking.ts';
import { code, plain } from '../copy/markdown.ts';
import { totalsOf, verdictOf } from './words.ts';

const ROWS = 50;
const VALUE = 120;

interface Told {
  readonly link: string;
  /** Of text and of JSON; secrets stay masked in what is passed on, unless they are revealed. */
  readonly shown: Shown;
  readonly shownJson: Shown;
}

/** @example runsMarkdown(found, { link, shown, shownJson }).split('\n')[0] // '### A: run-1 · B: run-2' */
export function runsMarkdown(found: RunComparison, { link, shown, shownJson }: Told): string {
  const { a, b, rows, first, end } = found;
  const value = (json: string | undefined, path: string): string =>
    json === undefined ? 'nothing' : code(previewJson(shownJson(json, path), VALUE));
  const same = sameRows(rows);
  const told = rows.slice(same);
  const left = told.length - ROWS + found.after;
  const difference = first?.difference;
  return [
    `### A: ${nameOf(a, shown)} · B: ${nameOf(b, shown)}`,
    '',
    `${a.status} and ${b.status}. [Open](<${link.replaceAll('>', '%3E')}>)`,
    '',
    '| | A | B |',
    '|---|---|---|',
    ...totalsOf(found).map(({ name, a: left, b: right }) => `| ${name} | ${left} | ${right} |`),
    '',
    ...(first === undefined ? [noDifference(rows, 'Nothing differs in their steps.'), ''] : []),
    ...(difference
      ? [
          `First difference: ${code(shown(difference.path))}, A has ${value(difference.before, difference.path)}, B has ${value(difference.after, difference.path)}.`,
          '',
        ]
      : []),
    ...(same + found.before > 0 ? [`${plural(same + found.before, 'step')} the same in both.`, ''] : []),
    ...(told.length === 0 ? [] : ['| A | | B |', '|---|---|---|']),
    ...told.slice(0, ROWS).map((row) => rowOf(row, shown)),
    ...(left > 0 ? ['', `${left} more.`] : []),
    ...(end && end.items.length > 0 ? ['', 'At the end:', '', '| Path | A | B |', '|---|---|---|'] : []),
    ...(end?.items ?? []).map(({ path, before, after }) =>
      cells([code(shown(path)), value(before, path), value(after, path)]),
    ),
    '',
  ].join('\n');
}

const nameOf = ({ task, lane }: RunSide, shown: Shown): string => `${plain(shown(showId(task)))} (${plain(lane)})`;

const cells = (texts: readonly string[]): string =>
  `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;

const rowOf = (row: RunRow, shown: Shown): string =>
  `| ${stepOf(row.a, shown)} | ${verdictOf(row).words} | ${stepOf(row.b, shown)} |`;

function stepOf(step: RunStep | undefined, shown: Shown): string {
  if (step === undefined) return 'no such step';
  const name = plain(shown(step.description ?? step.trigger ?? step.ref.id));
  const error = step.error === undefined ? '' : `: ${plain(shown(step.error))}`;
  return `${stepNumber(step)} ${name}, ${step.status}${error}`;
}
