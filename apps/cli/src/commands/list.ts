import { ids, print, printable, size, table } from '../output.ts';
import { statusColumn } from '../cell.ts';
import { resolveTask } from '../resolve.ts';
import { wholeNumber } from '../workspace.ts';
import type { Run } from '../workspace.ts';
import { reading, taskNamed } from '../verbs.ts';
import type { Common, Verbs } from '../verbs.ts';

interface ListOptions extends Common {
  readonly limit?: string;
  readonly cursor?: string;
}

export function addList(verbs: Verbs): void {
  taskNamed(
    verbs.overStores('list <task>', {
      group: 'look',
      about: 'list the checkpoints of a task, the latest first',
      examples: ['list report', 'list prod/report --limit 20', 'list report --json'],
    }),
  )
    .option('--limit <n>', 'rows per page, 1 to 1000; default: 100')
    .option('--cursor <cursor>', 'the page after')
    .action((task: string, options: ListOptions) => reading(verbs, options, (run) => list(run, task, options)));
}

const LATEST = { title: '', style: (cell: string) => (cell === 'latest' ? ('green' as const) : undefined) };

/** `list <task>`: its checkpoints, the latest first. */
async function list({ workspace, output }: Run, name: string, options: ListOptions): Promise<void> {
  const { source, task } = await resolveTask(workspace, name);
  const limit = wholeNumber('--limit', options.limit ?? '100', { from: 1, to: 1000 });
  const page = await source.checkpoints(task, {
    limit,
    ...(options.cursor === undefined ? {} : { cursor: options.cursor }),
  });
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
