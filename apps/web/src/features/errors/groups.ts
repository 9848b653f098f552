/** Groups of failures as rows of one list. */
import { refAt } from '../../lib/address.ts';
import { type Address, type CheckpointRef, type LineageRow, refKey, type Task } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { errorsQuery } from '../../lib/queries.ts';
import type { Coverage, ErrorGroup, FailedTask } from '../../lib/api.ts';
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

/** `3 causes`: the groups with a current failure. */
export const groupsHeadline = (groups: readonly ErrorGroup[]): string => plural(standing(groups).length, 'cause');

/** Groups with at least one current failure. */
export const standing = (groups: readonly ErrorGroup[]): readonly ErrorGroup[] =>
  groups.filter(({ current }) => current > 0);

/** Groups and tasks as they were, with the figures of now: what came since has no place yet. */
export const keptGroups = (before: readonly ErrorGroup[], now: readonly ErrorGroup[]): readonly ErrorGroup[] =>
  before.map((old) => {
    const group = now.find(({ key }) => key === old.key);
    if (group === undefined) return old;
    const known = new Map(group.tasks.map((task) => [`${task.store}/${task.task}`, task]));
    return { ...group, tasks: old.tasks.map((task) => known.get(`${task.store}/${task.task}`) ?? task) };
  });

export const groupCounts = ({ count, tasks }: ErrorGroup): string =>
  `${plural(count, 'failure')} in ${plural(tasks.length, 'task')}`;

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

// Where `e` and `E` lead in the history of a task.

interface Shown {
  /** Rows that are loaded, in the order of the view. */
  readonly rows: readonly { readonly id: string; readonly namespace?: string; readonly seq: number }[];
  /** Every row of the task; absent while the tree is read. */
  readonly all: readonly LineageRow[] | undefined;
  readonly task: string;
}

/**
 * The next failed checkpoint down the list from `from` (`by` 1) or up (-1); from the end it begins again. Rows between
 * are skipped, and those that are not loaded count by their place in save order.
 */
export function nextError(shown: Shown, from: CheckpointRef | undefined, by: 1 | -1): CheckpointRef | undefined {
  const { task, all = [] } = shown;
  const refOf = (row: { readonly id: string; readonly namespace?: string }): CheckpointRef =>
    refAt(task, row.id, row.namespace);
  const loaded = new Map(shown.rows.map((row, index) => [refKey(refOf(row)), index]));
  const newestLoaded = shown.rows.reduce((most, { seq }) => Math.max(most, seq), 0);
  const placeOf = (row: { readonly seq: number }, key: string): number => {
    const index = loaded.get(key);
    if (index !== undefined) return index;
    // Above the loaded rows, or below all of them; the newer the higher.
    return row.seq > newestLoaded && shown.rows.length > 0 ? -row.seq : BELOW - row.seq;
  };
  const fromKey = from && refKey(from);
  const failed = all
    .filter(({ status }) => status === 'failed')
    .map((row) => ({ ref: refOf(row), place: placeOf(row, refKey(refOf(row))) }))
    .sort((a, b) => (a.place - b.place) * by);
  const start = all.find((row) => refKey(refOf(row)) === fromKey);
  if (start === undefined || fromKey === undefined) return failed[0]?.ref;
  const place = placeOf(start, fromKey);
  return (failed.find((one) => (one.place - place) * by > 0) ?? failed[0])?.ref;
}

/** No task has so many rows. */
const BELOW = 1e12;

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
