import { statusColumn } from '../cell.ts';
import { print, size, table } from '../output.ts';
import { wholeNumber } from '../workspace.ts';
import type { Run } from '../workspace.ts';
import { reading } from '../verbs.ts';
import type { Common, Verbs } from '../verbs.ts';

interface TasksOptions extends Common {
  readonly limit?: string;
  readonly cursor?: string;
}

export function addTasks(verbs: Verbs): void {
  verbs
    .overStores('tasks', {
      group: 'look',
      about: 'list every task, failed first',
      examples: ['tasks', 'tasks -s ./checkpoints.sqlite', 'tasks --json'],
    })
    .option('--limit <n>', 'tasks per page, 1 to 1000')
    .option('--cursor <cursor>', 'the page after')
    .action((options: TasksOptions) => reading(verbs, options, (run) => tasks(run, options)));
}

/** `tasks`: every task of the open stores, failed first. */
async function tasks({ workspace, output }: Run, { limit = '1000', cursor }: TasksOptions): Promise<void> {
  const page = await workspace.stores.tasks({
    limit: wholeNumber('--limit', limit, { from: 1, to: 1000 }),
    ...(cursor === undefined ? {} : { cursor }),
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
