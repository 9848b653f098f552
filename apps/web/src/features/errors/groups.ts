/** Groups of failures as rows of one list. */
import type { Coverage, ErrorGroup, FailedTask } from '../../lib/triage-queries.ts';
import { formatCount, plural } from '../../lib/format.ts';

export type ErrorRow =
  | { readonly kind: 'group'; readonly key: string; readonly group: ErrorGroup }
  | { readonly kind: 'task'; readonly key: string; readonly group: ErrorGroup; readonly task: FailedTask }
  | { readonly kind: 'more'; readonly key: string; readonly group: ErrorGroup; readonly count: number };

const SHOWN = 5;

/** Names a group in an address: a message itself may be a secret, and stays out of it. */
export function groupId(key: string): string {
  let hash = 0x811c9dc5;
  for (const char of key) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(36);
}

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

/** `3 failed groups`, of those at which a task stands now. */
export const groupsHeadline = (groups: readonly ErrorGroup[]): string =>
  plural(standing(groups).length, 'failed group');

/** Groups at which some task stands now. */
export const standing = (groups: readonly ErrorGroup[]): readonly ErrorGroup[] =>
  groups.filter(({ current }) => current > 0);

export const groupCounts = ({ count, tasks }: ErrorGroup): string =>
  `${plural(count, 'failure')} in ${plural(tasks.length, 'task')}`;

/** A few checkpoints that were just saved are caught up with before anyone could read so. */
const JUST_SAVED = 50;

export const isBehind = ({ n, of, complete }: Coverage): boolean => !complete && of - n > JUST_SAVED;

/** What the words are about: nothing is claimed of checkpoints that were not looked at. */
export function coverageWords({ n, of, unreadable, complete }: Coverage): string {
  const looked = complete
    ? `${formatCount(of)} checkpoints looked through`
    : `${formatCount(n)} of ${formatCount(of)} checkpoints looked through so far`;
  return unreadable === 0 ? looked : `${looked}; ${formatCount(unreadable)} cannot be read, so it is not known of them`;
}
