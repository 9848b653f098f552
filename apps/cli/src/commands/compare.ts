import {
  compareRuns,
  type ComparedRun,
  type RunComparison,
  type RunRow,
  type RunStep,
} from '@checkpoint-inspector/inspector';
import { InspectorError, noDifference, oneLineJson, sameRows, type Measured } from '@checkpoint-inspector/core';
import { coloured, limited, LIMIT_OPTION, masked, maskedAt, printable, type Output } from '../output.ts';
import { resolveCheckpoint, resolveTask, type Narrow } from '../resolve.ts';
import { table } from '../table.ts';
import { reading, type Listing, type Verbs } from '../verbs.ts';
import type { Run, Workspace } from '../workspace.ts';
import { line } from './diff.ts';

interface CompareOptions extends Listing, Narrow {}

export function addCompare(verbs: Verbs): void {
  verbs
    .overCheckpoint('compare <a> <b>', {
      group: 'look',
      about: 'compare two runs step by step: tasks, or branches by their last checkpoint',
      examples: [
        'compare report report-retry',
        'compare report/latest report/ckpt_07',
        'compare report report-retry --json',
      ],
    })
    .option(...LIMIT_OPTION)
    .action((a: string, b: string, options: CompareOptions) =>
      reading(verbs, options, (run) => compare(run, a, b, options)),
    );
}

async function compare({ workspace, output }: Run, a: string, b: string, options: CompareOptions): Promise<void> {
  const [left, right] = [await runOf(workspace, a, options), await runOf(workspace, b, options)];
  const found = await compareRuns(left, right);
  if (output.json) return output.line(masked(JSON.stringify(found)));
  for (const text of linesOf(found, output, options)) output.line(text);
}

/** A task by its name, else the branch that ends at a checkpoint. @throws InspectorError not_found | ambiguous_id */
export async function runOf(workspace: Workspace, text: string, narrow: Narrow): Promise<ComparedRun> {
  try {
    const { source, task } = await resolveTask(workspace, text);
    return { source, query: { task } };
  } catch (error) {
    if (!InspectorError.is(error) || error.code !== 'not_found') throw error;
  }
  const { source, ref } = await resolveCheckpoint(workspace, text, narrow);
  return { source, query: { task: ref.task, cp: ref.id, ns: ref.namespace ?? '' } };
}

function linesOf(found: RunComparison, output: Output, { limit }: CompareOptions): string[] {
  const { rows, first, end, examined } = found;
  const same = sameRows(rows);
  const { items, more } = limited(output, rows.slice(same), limit);
  return [
    ...totals(found, output),
    '',
    ...(same > 0 ? [`${steps(found.before + same)} the same in both.`] : []),
    ...(first === undefined ? [noDifference(rows, 'Nothing differs.')] : []),
    ...items.flatMap((row, at) => rowLines(row, output, first?.row === same + at ? first : undefined)),
    ...more,
    ...(found.after > 0 ? [`${found.after} later rows are left out.`] : []),
    ...(end === undefined ? [] : endLines(end)),
    ...examined.gaps
      .slice(0, 5)
      .map(({ side, ref, reason }) => printable(`Not compared: ${side} ${ref.id}: ${reason}`)),
    ...(examined.gaps.length > 5 ? [`Not compared: ${examined.gaps.length - 5} more.`] : []),
  ];
}

const steps = (count: number): string => (count === 1 ? '1 step' : `${count} steps`);

const NOT_REPORTED = 'not reported';
const said = (measured: Measured | undefined): string => measured?.value ?? NOT_REPORTED;

function totals({ a, b }: RunComparison, output: Output): string[] {
  const rows = [a, b].map((side, at) => [
    at === 0 ? 'a' : 'b',
    `${side.store}/${side.task}`,
    side.lane,
    side.status,
    String(side.steps),
    side.durationMs === undefined ? NOT_REPORTED : `${Number(side.durationMs.value) / 1000} s`,
    said(side.tokens),
    side.costUsd === undefined ? NOT_REPORTED : `$${side.costUsd.value}`,
    side.error ?? '',
  ]);
  return table(['', 'TASK', 'LANE', 'OUTCOME', 'STEPS', 'TIME', 'TOKENS', 'COST', 'ERROR'], rows, output.terminal);
}

const VERDICTS: Record<RunRow['verdict'], string> = {
  same: 'same',
  'same-change': 'same change',
  differs: 'differs',
  'only-a': 'only in a',
  'only-b': 'only in b',
  unknown: 'not compared',
};

function rowLines(row: RunRow, output: Output, first: RunComparison['first']): string[] {
  const { verdict, differ, of, outcome, a, b } = row;
  const counts = differ === undefined ? '' : `: ${differ}${of === undefined ? '' : ` of ${of}`}`;
  const head = [a, b].map((step) => (step === undefined ? '' : numberOf(step))).join(' | ');
  const words = `${head}  ${nameOf(a ?? b)}  ${VERDICTS[verdict]}${counts}${outcome ? ', different outcome' : ''}`;
  const { path, before = 'nothing', after = 'nothing' } = first?.difference ?? {};
  const value = (json: string): string => oneLineJson(maskedAt(path ?? '$', json));
  const where = path === undefined ? '' : ` ${path}: a has ${value(before)}, b has ${value(after)}`;
  return [
    ...(first === undefined ? [] : [coloured(output, 'bold', printable(`First difference${where}`))]),
    printable(words),
    ...stepLines('a', a),
    ...stepLines('b', b),
  ];
}

function stepLines(side: 'a' | 'b', step: RunStep | undefined): string[] {
  if (step === undefined) return [];
  const { changes = [], changed = 0, error } = step;
  const left = changed - changes.length;
  return [
    ...(error === undefined ? [] : [printable(`  ${side}  failed: ${error}`)]),
    ...changes.map((one) => `  ${side}  ${line(one)}`),
    ...(left > 0 ? [`  ${side}  and ${left} more`] : []),
  ];
}

const numberOf = ({ seq, stepIndex = seq }: RunStep): string => `#${String(stepIndex).padStart(2, '0')}`;
const nameOf = (step: RunStep | undefined): string => step?.description ?? step?.trigger ?? step?.ref.id ?? '';

function endLines({ summary, equal, items }: NonNullable<RunComparison['end']>): string[] {
  const { added, removed, changed, moved } = summary;
  const count = added + removed + changed + moved;
  const same = equal === undefined ? '' : `, ${equal} are equal`;
  return [
    '',
    `At the end ${count === 1 ? '1 value differs' : `${count} values differ`}${same}.`,
    ...items.map(line),
    ...(count > items.length ? ['`diff` of the two ends shows all of them.'] : []),
  ];
}
