import { openHistory } from '@checkpoint-inspector/inspector';
import {
  fromWhereTheyDiffer,
  InspectorError,
  oneLineJson,
  type EntriesChange,
  type HistoryLine,
  type SentHistoryRow,
} from '@checkpoint-inspector/core';
import { limitOf, many, LIMIT_OPTION, ids, maskedAt, print, printable, table, type Output } from '../output.ts';
import { assertNarrows, resolveCheckpoint, resolveTask } from '../resolve.ts';
import type { Run } from '../workspace.ts';
import { reading, type Listing, type Verbs } from '../verbs.ts';

interface HistoryOptions extends Listing {
  readonly cp?: string;
  readonly ns?: string;
}

type Done = Extract<HistoryLine, { kind: 'done' }>;

const SHOWN = 48;

export function addHistory(verbs: Verbs): void {
  verbs
    .overTask('history <task> <path>', {
      group: 'look',
      about: 'show every checkpoint in which the value at a path changed, newest first',
      examples: [
        "history report '$.context.revenue'",
        "history report '$.messages[0].content' --limit all",
        "history report '$.status' --cp ckpt_07 --json",
      ],
    })
    .option('--cp <checkpoint>', 'the end of the branch; default: the latest')
    .option('--ns <namespace>', 'namespace of --cp')
    .option(...LIMIT_OPTION)
    .action((task: string, path: string, options: HistoryOptions) =>
      reading(verbs, options, (run) => history(run, task, path, options)),
    );
}

async function history(run: Run, name: string, path: string, options: HistoryOptions): Promise<void> {
  assertNarrows(options);
  const { cp, ns, limit: given } = options;
  const { workspace, output } = run;
  const limit = limitOf(output, given);
  const { source, task } = await resolveTask(workspace, name);
  const end = cp === undefined ? {} : await endOf(run, cp, { task: name, ns });
  const items: SentHistoryRow[] = [];
  let done: Done | undefined;
  for await (const line of await openHistory(source, { task, path, ...end })) {
    if (line.kind === 'error') throw new InspectorError(line.error.code, line.error.message, line.error);
    if (line.kind === 'done') done = line;
    // One more than is shown: there is more. What comes before it is not read.
    else if (line.kind !== 'progress' && items.push(line) > limit) break;
  }
  const shown = items.slice(0, limit);
  print(output, { items: shown, ...countsOf(done) }, () => [
    ...(shown.length === 0 ? [`No checkpoint of this branch has a value at ${path}.`] : tableOf(shown, path, output)),
    footOf(shown.length, done),
  ]);
}

/** `--cp` as any checkpoint is named. @throws InspectorError not_found | ambiguous_id */
async function endOf({ workspace }: Run, cp: string, narrow: { task: string; ns: string | undefined }) {
  const { ref } = await resolveCheckpoint(workspace, cp, narrow);
  return { cp: ref.id, ns: ref.namespace ?? '' };
}

/** `complete` is false where `--limit` ended the search: how much there is was not looked at then. */
function countsOf(done: Done | undefined) {
  if (done === undefined) return { complete: false };
  const { examined, of, readable } = done;
  return { examined, of, readable, complete: true };
}

function footOf(rows: number, done: Done | undefined): string {
  const count = `${rows} ${rows === 1 ? 'row' : 'rows'}`;
  if (done === undefined) return `${count}; more with --limit <n> or --limit all`;
  const { examined, of, readable } = done;
  const rest = readable < examined ? `, ${examined - readable} not readable` : '';
  return `${count}, ${examined.toLocaleString('en')} of ${many(of)} examined${rest}`;
}

function tableOf(items: readonly SentHistoryRow[], path: string, { terminal }: Output): string[] {
  return table(
    ['STEP', ids('ID'), 'KIND', 'VALUE', 'AGENT', 'TIME', 'WHAT'],
    items.map((row) => [
      String(row.stepIndex ?? row.seq ?? ''),
      row.ref.namespace === undefined ? row.ref.id : `${row.ref.namespace} ${row.ref.id}`,
      row.kind,
      valueOf(row, path),
      row.agentId ?? '',
      row.time ?? '',
      row.writtenBy?.join(', ') ?? row.description ?? '',
    ]),
    terminal,
  );
}

function valueOf(row: SentHistoryRow, path: string): string {
  const { kind, before, after, from, to, gap, within } = row;
  if (gap !== undefined) return gapWords(gap);
  if (within !== undefined) return withinWords(within, path, after);
  if (kind === 'moved')
    return from === undefined ? `${short(path, before)} to ${to ?? '?'}` : `${short(path, after)} from ${from}`;
  if (kind === 'set') return short(path, after);
  return kind === 'removed' ? short(path, before) : bothWords(row, path);
}

/** `3 items → 4 items`, or what became of one of them: both values begin alike as a rule. */
function withinWords({ before, after, differences = 1, first }: EntriesChange, path: string, text = ''): string {
  const words = (count: number): string => many(count, text.startsWith('[') ? 'item' : 'key');
  if (before !== after || first === undefined) return `${words(before)} → ${words(after)}`;
  const more = differences === 1 ? '' : `, and ${differences - 1} more`;
  return `${printable(first.path.replace(/^\$\.?/, ''))} ${differenceWords(first, path + first.path.slice(1))}${more}`;
}

function differenceWords(first: NonNullable<EntriesChange['first']>, path: string): string {
  const { kind, after } = first;
  if (kind === 'moved' || kind === 'removed') return kind;
  return kind === 'added' ? `added ${short(path, after)}` : bothWords(first, path);
}

function gapWords({ count, sides, message }: NonNullable<SentHistoryRow['gap']>): string {
  const what = { same: 'same value on both sides', differ: 'changed in between', unknown: 'unknown' }[sides];
  return `${count} not readable, ${what}: ${message}`;
}

function bothWords(sent: Parameters<typeof fromWhereTheyDiffer>[0], path: string): string {
  const [old, now] = fromWhereTheyDiffer(sent, (json) => shown(path, json));
  return `${cut(old)} → ${cut(now)}`;
}

/** A value on one line, its secrets masked. */
const short = (path: string, text = ''): string => cut(shown(path, text));

const shown = (path: string, json: string): string => printable(oneLineJson(maskedAt(path, json)));

function cut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1)}…`;
}
