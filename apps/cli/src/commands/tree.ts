import { readLanes, treeText } from '@checkpoint-inspector/inspector';
import { laneTitle } from '@checkpoint-inspector/core';
import type { LineageRow } from '@checkpoint-inspector/core';
import { statusColumn } from '../table.ts';
import { coloured, ids, limitOf, LIMIT_OPTION, print, printable, table } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import type { Run } from '../workspace.ts';
import { reading, type Listing, type Verbs } from '../verbs.ts';

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
