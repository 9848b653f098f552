/** Groups of failures as rows of one list. */
import type { ErrorGroup, FailedTask } from '../../lib/api.ts';
import { groupId } from './groups.ts';

export type ErrorRow =
  | { readonly kind: 'group'; readonly key: string; readonly group: ErrorGroup }
  | { readonly kind: 'task'; readonly key: string; readonly group: ErrorGroup; readonly task: FailedTask }
  | { readonly kind: 'more'; readonly key: string; readonly group: ErrorGroup; readonly count: number };

const SHOWN = 5;

/** Each group is followed by its tasks: five, or all where it is unfolded. */
export function errorRows(groups: readonly ErrorGroup[], unfolded: ReadonlySet<string>): readonly ErrorRow[] {
  return groups.flatMap((group): ErrorRow[] => {
    const id = groupId(group.key);
    const shown = unfolded.has(id) ? group.tasks : group.tasks.slice(0, SHOWN);
    const hidden = group.tasks.length - shown.length;
    return [
      { kind: 'group', key: id, group },
      ...shown.map((task): ErrorRow => ({ kind: 'task', key: `${id} ${task.store}/${task.task}`, group, task })),
      ...(hidden > 0 ? [{ kind: 'more' as const, key: `${id} more`, group, count: hidden }] : []),
    ];
  });
}
