import { readLanes, treeText } from '@checkpoint-inspector/inspector';
import { compact, laneTitle, type LineageRow } from '@checkpoint-inspector/core';
import { statusColumn } from '../table.ts';
import { coloured, ids, limitOf, LIMIT_OPTION, print, printable, size, table } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import { wholeNumber, type Run } from '../workspace.ts';
import { reading, type Listing, type Verbs } from '../verbs.ts';

export function addTasks(verbs: Verbs): void {
  verbs
    .overStores('tasks', {
      group: 'look',
      about: 'list all tasks, failed ones first',
      examples: ['tasks', 'tasks -s ./checkpoints.sqlite', 'tasks --json'],
    })
    .option('--limit <n>', 'tasks per page, 1 to 1000')
    .option('--cursor <cursor>', 'the next page')
    .action((options: Listing) => reading(verbs, options, (run) => tasks(run, options)));
}

async function tasks({ workspace, output }: Run, { limit = '1000', cursor }: Listing): Promise<void> {
  const page = await workspace.stores.tasks({
    limit: wholeNumber('--limit', limit, { from: 1, to: 1000 }),
    whole: true,
    ...compact({ cursor }),
  });
  print(output, page, () => [
    ...table(
      [statusColumn('STATUS'), 'TASK', 'STORE', 'SYSTEM', 'CHECKPOINTS', 'SIZE', 'UPDATED'],
      page.items.map((task) => [
        task.status,
        task.title,
        task.store,
        task.system,
        task.unreadable > 0 ? `${task.checkpointCount} (${task.unreadable} unreadable)` : String(task.checkpointCount),
        size(task.sizeBytes),
        task.updatedAt ?? '',
      ]),
      output.terminal,
    ),
    ...page.failures.map(({ store, error }) => `${store}: ${error.message}`),
    ...(page.cursor === undefined ? [] : [`More: --cursor ${page.cursor}`]),
  ]);
}

export function addList(verbs: Verbs): void {
  verbs
    .overTask('list <task>', {
      group: 'look',
      about: "list a task's checkpoints, latest first",
      examples: ['list report', 'list prod/report --limit 20', 'list report --json'],
    })
    .option('--limit <n>', 'rows per page, 1 to 1000; default: 100')
    .option('--cursor <cursor>', 'the next page')
    .action((task: string, options: Listing) => reading(verbs, options, (run) => list(run, task, options)));
}

const LATEST = { title: '', style: (cell: string) => (cell === 'latest' ? ('green' as const) : undefined) };

async function list({ workspace, output }: Run, name: string, options: Listing): Promise<void> {
  const { source, task } = await resolveTask(workspace, name);
  const limit = wholeNumber('--limit', options.limit ?? '100', { from: 1, to: 1000 });
  const page = await source.checkpoints(task, { limit, ...compact({ cursor: options.cursor }) });
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

export function addTree(verbs: Verbs): void {
  verbs
    .overTask('tree <task>', {
      group: 'look',
      about: "draw a task's fork tree",
      examples: ['tree report', 'tree report --lanes', 'tree report --limit all | less', 'tree report --json'],
    })
    .option('--lanes', 'list the lanes: how each differs, its outcome, steps, cost and time')
    .option(...LIMIT_OPTION)
    .action((task: string, options: TreeOptions) =>
      reading(verbs, options, (run) => (options.lanes ? lanes : tree)(run, task, options)),
    );
}

interface TreeOptions extends Listing {
  readonly lanes?: boolean;
}

async function lanes({ workspace, output }: Run, name: string, options: Listing): Promise<void> {
  const limit = limitOf(output, options.limit);
  const { source, task } = await resolveTask(workspace, name);
  const { items } = await readLanes(source, task);
  const shown = items.slice(0, limit);
  print(output, { items: shown, of: items.length }, () => [
    ...table(
      ['LANE', 'DIFFERS', statusColumn('STATUS'), 'STEPS', 'COST', 'TOKENS', 'TIME', ids('FROM'), ids('TIP')],
      shown.map((lane) => [
        lane.lane,
        laneTitle(lane, lane.from?.id),
        lane.status,
        String(lane.steps),
        lane.costUsd === undefined ? '' : `$${lane.costUsd}`,
        lane.tokens ?? '',
        lane.durationMs === undefined ? '' : `${lane.durationMs} ms`,
        lane.from?.id ?? '',
        lane.tip.id,
      ]),
      output.terminal,
    ),
    ...(items.length > shown.length
      ? [
          `${shown.length.toLocaleString('en')} of ${items.length.toLocaleString('en')} shown: --limit <n>, or --limit all`,
        ]
      : []),
  ]);
}

async function tree({ workspace, output }: Run, name: string, options: Listing): Promise<void> {
  const limit = limitOf(output, options.limit);
  const { source, task } = await resolveTask(workspace, name);
  const rows: LineageRow[] = [];
  for await (const row of source.lineage(task)) rows.push(row);
  const left = rows.length - limit;
  print(output, { items: left > 0 ? rows.slice(left) : rows, of: rows.length }, () => [
    ...treeText(task, rows, limit).map((line) => {
      const text = printable(line);
      return line.endsWith('← latest') ? coloured(output, 'green', text) : text;
    }),
    ...(left > 0
      ? [`${limit.toLocaleString('en')} of ${rows.length.toLocaleString('en')} shown: --limit <n>, or --limit all`]
      : []),
  ]);
}
