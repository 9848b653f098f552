import { treeText } from '@checkpoint-inspector/inspector';
import type { LineageRow } from '@checkpoint-inspector/core';
import { LIMIT_OPTION, limitOf, coloured, print, printable } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import type { Run } from '../workspace.ts';
import { reading, taskNamed } from '../verbs.ts';
import type { Common, Verbs } from '../verbs.ts';

interface TreeOptions extends Common {
  readonly limit?: string;
}

export function addTree(verbs: Verbs): void {
  taskNamed(
    verbs.overStores('tree <task>', {
      group: 'look',
      about: 'draw the fork tree of a task',
      examples: ['tree report', 'tree report --limit all | less', 'tree report --json'],
    }),
  )
    .option(...LIMIT_OPTION)
    .action((task: string, options: TreeOptions) => reading(verbs, options, (run) => tree(run, task, options)));
}

/** `tree <task>`: the fork tree, children below their parent, one indent per lane. */
async function tree({ workspace, output }: Run, name: string, options: TreeOptions): Promise<void> {
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
