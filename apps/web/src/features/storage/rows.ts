/** The storage report as the rows of one list. */
import { formatCount, formatDay } from '../../lib/format.ts';
import type { CheckpointRef } from '@checkpoint-inspector/core';
import type { Storage } from '../../lib/api.ts';

export type StoreUse = Storage['stores'][number];
export type TaskUse = StoreUse['tasks'][number];
export type UnreadableRow = Storage['unreadable'][number];

export type StorageRow =
  | { readonly kind: 'store'; readonly key: string; readonly store: StoreUse }
  | { readonly kind: 'task'; readonly key: string; readonly task: TaskUse }
  | { readonly kind: 'own'; readonly key: string; readonly report: Storage }
  | { readonly kind: 'head'; readonly key: string; readonly title: string; readonly note: string }
  | { readonly kind: 'unreadable'; readonly key: string; readonly row: UnreadableRow };

const refText = ({ task, namespace = '', id }: CheckpointRef): string => `${task} ${namespace} ${id}`;

/** Stores with their tasks, most bytes first; then what the inspector keeps itself; then what cannot be read. */
export function storageRows(report: Storage): readonly StorageRow[] {
  const used = report.stores.flatMap((store): StorageRow[] => [
    { kind: 'store', key: `store ${store.store}`, store },
    ...store.tasks.map((task): StorageRow => ({ kind: 'task', key: `task ${task.store} ${task.id}`, task })),
  ]);
  const unreadable = report.unreadable.map((row): StorageRow => ({
    kind: 'unreadable',
    key: `unreadable ${row.store} ${refText(row.ref)}`,
    row,
  }));
  const more = report.unreadableCount - report.unreadable.length;
  const head: StorageRow = {
    kind: 'head',
    key: 'unreadable',
    title: 'Cannot be read',
    note:
      more > 0
        ? `the first ${formatCount(report.unreadable.length)} of ${formatCount(report.unreadableCount)}`
        : formatCount(report.unreadableCount),
  };
  return [...used, { kind: 'own', key: 'own', report }, ...(unreadable.length === 0 ? [] : [head, ...unreadable])];
}

/** The most bytes that one task takes up: the whole of a bar. */
export function mostBytes(report: Storage): number {
  return Math.max(0, ...report.stores.flatMap(({ tasks }) => tasks.map(({ bytes }) => bytes)));
}

/** Sizes of states lie far apart: below this a bar grows evenly, above it by powers. */
const EVEN_BYTES = 512;

/** How much of its bar a task fills, on a logarithmic scale: one large task must not make all others alike. */
export function barShare(bytes: number, most: number): number {
  if (bytes <= 0 || most <= 0) return 0;
  return Math.min(1, Math.log1p(bytes / EVEN_BYTES) / Math.log1p(most / EVEN_BYTES));
}

/** Oldest to newest as days, in UTC where the times are; a local time is said to be one. */
export function spanText({ oldest, newest }: Pick<TaskUse, 'oldest' | 'newest'>): string {
  if (oldest === undefined || newest === undefined) return 'no times';
  const [from, to] = [formatDay(oldest.text), formatDay(newest.text)];
  return `${from === to ? from : `${from} to ${to}`}${oldest.utc ? '' : ' (local time)'}`;
}
