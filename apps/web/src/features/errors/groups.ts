/** Groups of failures: their names, figures and words. */
import type { Address, Task } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { errorsQuery } from '../../lib/queries.ts';
import type { Coverage, ErrorGroup } from '../../lib/api.ts';
import { formatCount, plural } from '../../lib/format.ts';

/** Names a group in an address: a message itself may be a secret, and stays out of it. */
export function groupId(key: string): string {
  let hash = 0x811c9dc5;
  for (const char of key) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** `3 different errors`: the groups with a current failure. */
export const groupsHeadline = (groups: readonly ErrorGroup[]): string =>
  plural(standing(groups).length, 'error', 'different errors');

/** `1 more recovered`: the groups without one. */
export function recoveredWords(groups: readonly ErrorGroup[]): string | undefined {
  const past = groups.length - standing(groups).length;
  return past === 0 ? undefined : `${formatCount(past)} more recovered`;
}

/** `6 times`, where it is more than once. */
export const timesWords = (count: number): string | undefined =>
  count > 1 ? `${formatCount(count)} times` : undefined;

/** Groups with at least one current failure. */
export const standing = (groups: readonly ErrorGroup[]): readonly ErrorGroup[] =>
  groups.filter(({ current }) => current > 0);

/** Only what is about these tasks. When the failures happened is known of a group as a whole: a part of it has no hours. */
export const groupsOf = (groups: readonly ErrorGroup[], isListed: (task: string) => boolean): readonly ErrorGroup[] =>
  groups.flatMap((group) => {
    const tasks = group.tasks.filter(({ store, task }) => isListed(`${store}/${task}`));
    if (tasks.length === group.tasks.length) return [group];
    const count = tasks.reduce((sum, task) => sum + task.count, 0);
    return tasks.length === 0
      ? []
      : [{ ...group, tasks, count, current: tasks.filter(({ current }) => current).length, hours: [] }];
  });

/** Groups and tasks as they were, with the figures of now: what came since has no place yet. */
export const keptGroups = (before: readonly ErrorGroup[], now: readonly ErrorGroup[]): readonly ErrorGroup[] =>
  before.map((old) => {
    const group = now.find(({ key }) => key === old.key);
    if (group === undefined) return old;
    const known = new Map(group.tasks.map((task) => [`${task.store}/${task.task}`, task]));
    return { ...group, tasks: old.tasks.map((task) => known.get(`${task.store}/${task.task}`) ?? task) };
  });

export const groupCounts = ({ outcome, count, tasks }: ErrorGroup): string =>
  `${plural(count, outcome === undefined ? 'failure' : 'failed check')} in ${plural(tasks.length, 'task')}`;

/** A few checkpoints that were just saved are caught up with before anyone could read so. */
const JUST_SAVED = 50;

export const isBehind = ({ n, of, complete }: Coverage): boolean => !complete && of - n > JUST_SAVED;

/** What the words are about: nothing is claimed of checkpoints that were not looked at. */
export function coverageWords(coverage: Coverage): string {
  const { n, of, unreadable } = coverage;
  const looked = isBehind(coverage)
    ? `${formatCount(n)} of ${formatCount(of)} checkpoints searched so far`
    : `${formatCount(n)} checkpoints searched`;
  return unreadable === 0 ? looked : `${looked}; ${formatCount(unreadable)} unreadable, not counted`;
}

/** The failed checkpoint of a task: the one it is at now, else its newest. */
export function useFailedCheckpoint(): (task: Pick<Task, 'store' | 'id'>) => Address | undefined {
  const { data } = useQuery(errorsQuery());
  return ({ store, id }) => {
    const failed = (data?.items ?? []).flatMap(({ tasks }) =>
      tasks.filter((task) => task.store === store && task.task === id),
    );
    const newest = failed.toSorted((a, b) => Date.parse(b.time ?? '') - Date.parse(a.time ?? ''));
    return (failed.find(({ current }) => current) ?? newest[0])?.failed;
  };
}
