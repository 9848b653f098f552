import { treeText } from '@checkpoint-inspector/api';
import type { LineageRow } from '@checkpoint-inspector/core';
import { print, printable } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import type { Run } from '../session.ts';

/** `tree <task>`: the fork tree, children below their parent, one indent per lane. */
export async function tree({ session, output }: Run, task: string): Promise<void> {
  const source = await resolveTask(session, task);
  const rows: LineageRow[] = [];
  for await (const row of source.lineage(task)) rows.push(row);
  print(output, { items: rows }, () => treeText(task, rows).map(printable));
}
