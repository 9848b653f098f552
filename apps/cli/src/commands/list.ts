import { compact, isSince } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource, Page } from '@checkpoint-inspector/core';
import { SINCE_OPTION, sinceOf, statusOption } from '../filter.ts';
import { statusColumn } from '../table.ts';
import { ids, print, printable, size, table } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import { WATCH_OPTION, watched } from '../watched.ts';
import { wholeNumber, type Run } from '../workspace.ts';
import { reading, type Listing, type Verbs } from '../verbs.ts';

export function addList(verbs: Verbs): void {
  verbs
    .overTask('list <task>', {
      group: 'look',
      about: "list a task's checkpoints, latest first",
      examples: [
        'list report',
        'list prod/report --limit 20',
        'list report --status failed --since 7d',
        'list report --watch --jsonl',
      ],
    })
    .option('--limit <n>', 'rows per page, 1 to 1000; default: 100')
    .option('--cursor <cursor>', 'the next page')
    .addOption(statusOption())
    .option(...SINCE_OPTION)
    .option(...WATCH_OPTION)
    .action((task: string, options: Listing) =>
      reading(verbs, options, (run) => watched(run, options, (at) => list(at, task, options))),
    );
}

const LATEST = { title: '', style: (cell: string) => (cell === 'latest' ? ('green' as const) : undefined) };

async function list({ workspace, output }: Run, name: string, options: Listing): Promise<void> {
  const { source, task } = await resolveTask(workspace, name);
  const limit = wholeNumber('--limit', options.limit ?? '100', { from: 1, to: 1000 });
  const since = sinceOf(options.since);
  const isWanted = ({ status, createdAt }: CheckpointMeta): boolean =>
    (options.status === undefined || status === options.status) && isSince(createdAt, since);
  const page = await wantedRows({ source, task, isWanted }, limit, options.cursor);
  const { note } = page.items.length === 0 ? await source.latest(task) : {};
  print(output, page, () => [
    ...(note === undefined ? [] : [printable(note)]),
    ...table(
      [LATEST, 'STEP', statusColumn('STATUS'), ids('ID'), ids('PARENT'), 'TIME', 'SIZE', 'WHAT'],
      page.items.map((row) => [
        row.isLatest ? 'latest' : '',
        row.stepIndex === undefined ? '' : String(row.stepIndex),
        row.problem?.code ?? row.status,
        row.namespace ? `${row.namespace} ${row.id}` : row.id,
        row.parentId === undefined ? '' : `${row.parentId} (${row.lineage})`,
        row.createdAt ?? `${row.createdAtText ?? ''}${row.timeBasis === 'local' ? ' (local time)' : ''}`,
        size(row.sizeBytes),
        row.problem?.message ?? row.description ?? '',
      ]),
      output.terminal,
    ),
    ...(page.cursor === undefined ? [] : [`More: --cursor ${page.cursor}`]),
  ]);
}

interface Wanted {
  readonly source: CheckpointSource;
  readonly task: string;
  readonly isWanted: (row: CheckpointMeta) => boolean;
}

/** A page of the rows that are wanted, however many pages of the task that takes. */
async function wantedRows(
  { source, task, isWanted }: Wanted,
  limit: number,
  from: string | undefined,
): Promise<Page<CheckpointMeta>> {
  const items: CheckpointMeta[] = [];
  let cursor = from;
  do {
    const read = (most: number) => source.checkpoints(task, { limit: most, ...compact({ cursor }) });
    let page = await read(limit);
    const last = page.items.filter(isWanted)[limit - items.length - 1];
    // A page ends at its last item: the cursor behind it is that of a page as long.
    if (last !== undefined && last !== page.items.at(-1)) page = await read(page.items.indexOf(last) + 1);
    items.push(...page.items.filter(isWanted));
    ({ cursor } = page);
  } while (cursor !== undefined && items.length < limit);
  return { items, ...compact({ cursor }) };
}
