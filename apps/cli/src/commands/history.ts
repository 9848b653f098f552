import { openHistory } from '@checkpoint-inspector/api';
import { InspectorError } from '@checkpoint-inspector/core';
import type { HistoryLine, SentHistoryRow } from '@checkpoint-inspector/core';
import { print, printable, table } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import type { Run } from '../session.ts';

export interface HistoryOptions {
  readonly cp?: string;
  readonly ns?: string;
}

type Done = Extract<HistoryLine, { kind: 'done' }>;

const SHOWN = 48;

/** `history <task> <path>`: every checkpoint of the branch in which the value at the path changed, newest first. */
export async function history(
  { session, output }: Run,
  task: string,
  path: string,
  options: HistoryOptions,
): Promise<void> {
  const source = await resolveTask(session, task);
  const items: SentHistoryRow[] = [];
  let done: Done | undefined;
  for await (const line of await openHistory(source, { task, path, cp: options.cp, ns: options.ns })) {
    if (line.kind === 'error') throw new InspectorError(line.error.code, line.error.message, line.error);
    if (line.kind === 'done') done = line;
    else if (line.kind !== 'progress') items.push(line);
  }
  const { examined = 0, of = 0, readable = 0 } = done ?? {};
  print(output, { items, examined, of, readable }, () => [
    ...(items.length === 0 ? [`No checkpoint of this branch has a value at ${path}.`] : tableOf(items)),
    `${items.length} ${items.length === 1 ? 'row' : 'rows'}, ${examined} of ${of} checkpoints examined${
      readable < examined ? `, ${examined - readable} not readable` : ''
    }`,
  ]);
}

function tableOf(items: readonly SentHistoryRow[]): string[] {
  return table(
    ['STEP', 'ID', 'KIND', 'VALUE', 'AGENT', 'TIME', 'WHAT'],
    items.map((row) => [
      String(row.stepIndex ?? row.seq ?? ''),
      row.ref.namespace === undefined ? row.ref.id : `${row.ref.namespace} ${row.ref.id}`,
      row.kind,
      valueOf(row),
      row.agentId ?? '',
      row.time ?? '',
      row.description ?? '',
    ]),
  );
}

function valueOf({ kind, before, after, from, to, gap }: SentHistoryRow): string {
  if (gap !== undefined) return gapWords(gap);
  if (kind === 'moved') return from === undefined ? `${short(before)} to ${to ?? '?'}` : `${short(after)} from ${from}`;
  if (kind === 'set') return short(after);
  return kind === 'removed' ? short(before) : `${short(before)} → ${short(after)}`;
}

function gapWords({ count, sides, message }: NonNullable<SentHistoryRow['gap']>): string {
  const what = { same: 'same value on both sides', differ: 'changed somewhere between', unknown: 'not known' }[sides];
  return `${count} not readable, ${what}: ${message}`;
}

/** A value on one line; a secret of a known shape is masked. */
function short(text: string | undefined): string {
  const shown = printable(text ?? '');
  return shown.length <= SHOWN ? shown : `${shown.slice(0, SHOWN - 1)}…`;
}
