import { print, printable, size, table } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import { wholeNumber } from '../session.ts';
import type { Run } from '../session.ts';

export interface ListOptions {
  readonly limit?: string;
  readonly cursor?: string;
}

/** `list <task>`: its checkpoints, the latest first. */
export async function list({ session, output }: Run, task: string, options: ListOptions): Promise<void> {
  const source = await resolveTask(session, task);
  const limit = wholeNumber('--limit', options.limit ?? '100', { from: 1, to: 1000 });
  const page = await source.checkpoints(task, {
    limit,
    ...(options.cursor === undefined ? {} : { cursor: options.cursor }),
  });
  const { note } = page.items.length === 0 ? await source.latest(task) : {};
  print(output, page, () => [
    ...(note === undefined ? [] : [printable(note)]),
    ...table(
      ['', 'STEP', 'STATUS', 'ID', 'PARENT', 'TIME', 'SIZE', 'WHAT'],
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
    ),
    ...(page.cursor === undefined ? [] : [`More: --cursor ${page.cursor}`]),
  ]);
}
