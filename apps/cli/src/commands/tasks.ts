import { compact, outcomeOf } from '@checkpoint-inspector/core';
import { createOutcomes } from '@checkpoint-inspector/inspector/outcomes';
import type { Task } from '@checkpoint-inspector/core';
import { OUTCOMES, SINCE_OPTION, sinceOf, statusOption } from '../filter.ts';
import { statusColumn } from '../table.ts';
import { print, size, table } from '../output.ts';
import { WATCH_OPTION, watched } from '../watched.ts';
import { TO_THE_END, wholeNumber, type Run } from '../workspace.ts';
import { reading, type Listing, type Verbs } from '../verbs.ts';

export function addTasks(verbs: Verbs): void {
  verbs
    .overStores('tasks', {
      group: 'look',
      about: 'list all tasks, failed ones first',
      examples: [
        'tasks',
        'tasks --status failed --since 24h',
        'tasks --status check_failed',
        'tasks -s ./checkpoints.sqlite --watch',
        'tasks --json',
      ],
    })
    .option('--limit <n>', 'tasks per page, 1 to 1000')
    .option('--cursor <cursor>', 'the next page')
    .addOption(statusOption(OUTCOMES))
    .option(...SINCE_OPTION)
    .option(...WATCH_OPTION)
    .action((options: Listing) => reading(verbs, options, (run) => watched(run, options, tasks)));
}

/** "12+" where there may be more. */
function countOf({ checkpointCount, atLeast, unreadable }: Task): string {
  const count = `${checkpointCount}${atLeast ? '+' : ''}`;
  return unreadable > 0 ? `${count} (${unreadable} unreadable)` : count;
}

async function tasks({ workspace, output }: Run, { limit = '1000', cursor, status, since }: Listing): Promise<void> {
  const outcomes = createOutcomes(workspace.stores, TO_THE_END, TO_THE_END);
  const page = await outcomes.tasks({
    limit: wholeNumber('--limit', limit, { from: 1, to: 1000 }),
    whole: true,
    ...compact({ cursor, status, since: sinceOf(since) }),
  });
  outcomes.close();
  print(output, page, () => [
    ...table(
      [statusColumn('STATUS'), 'TASK', 'STORE', 'SYSTEM', 'CHECKPOINTS', 'SIZE', 'UPDATED'],
      page.items.map((task) => [
        outcomeOf(task),
        task.title,
        task.store,
        task.system,
        countOf(task),
        size(task.sizeBytes),
        task.updatedAt ?? '',
      ]),
      output.terminal,
    ),
    ...page.failures.map(({ store, error }) => `${store}: ${error.message}`),
    ...(page.cursor === undefined ? [] : [`More: --cursor ${page.cursor}`]),
  ]);
}
