/** The lists of a store from what its system says of its tasks and rows: paging, places, lineage, the latest. */
import {
  noCheckpoint,
  sameRef,
  sortedPage,
  type CheckpointMeta,
  type CheckpointRef,
  type LineageRow,
  type StoreId,
  type Task,
} from '@checkpoint-inspector/core';
import type { SqliteRules } from '@checkpoint-inspector/io';
import { defined } from '../folder/document.ts';
import { compare } from '../folder/rows.ts';

type May<T> = T | Promise<T>;
type Given = 'store' | 'taskId' | 'seq' | 'isLatest' | 'lineage' | 'parentId' | 'parentTaskId';

/** A checkpoint as its row has it. */
export interface ListedRow extends Partial<Omit<CheckpointMeta, Given>> {
  readonly id: string;
  /** Bytes. */
  readonly sizeBytes: number;
  /** As recorded; absent: the row before it is taken for the parent. */
  readonly parent?: CheckpointRef | 'none' | undefined;
  /** Where a parent that is named follows from an order. */
  readonly lineage?: 'inferred';
}

/** A task as its rows have it; what is absent follows from them. */
export interface ListedTask extends Partial<Omit<Task, 'store' | 'system'>> {
  readonly id: string;
  /** Equal as long as nothing of the task changed: then its rows aren't read again for a list of tasks. */
  readonly unchanged?: string;
}

/** What a system says of what it keeps. `R` is what one reading of the store is made through. */
export interface ListRules<R> {
  readonly store: StoreId;
  readonly system: string;
  readonly tasks: (reading: R) => May<readonly ListedTask[]>;
  /** In the order in which they were saved, oldest first; none of an unknown task. */
  readonly rows: (reading: R, task: string) => May<readonly ListedRow[]>;
  /** What the system resumes from. Default: the newest that can be read. */
  readonly latest?: (rows: readonly ListedRow[]) => ListedRow | undefined;
  /** What only the task itself has, asked for those on a page. */
  readonly more?: (reading: R, task: string) => May<Partial<Task>>;
}

export type Lists<R> = Pick<SqliteRules<R & object>, 'checkpoints' | 'meta' | 'latest' | 'tasks'> & {
  readonly lineage: (reading: R, task: string) => Promise<LineageRow[]>;
};

/**
 * @example listed({ store, system: 'crewai', tasks: (db) => flowsOf(db), rows: (db, task) => statesOf(db, task) })
 */
export function listed<R>(rules: ListRules<R>): Lists<R> {
  const metasOf = async (reading: R, task: string): Promise<CheckpointMeta[]> =>
    toMetas(rules, task, await rules.rows(reading, task));
  const known = new Map<string, { readonly key: string; readonly task: Task }>();
  const taskOf = async (reading: R, { unchanged: key, ...task }: ListedTask): Promise<Task> => {
    const before = known.get(task.id);
    if (key !== undefined && before?.key === key) return before.task;
    // Where the system counts its rows itself, none is read.
    const rows = task.checkpointCount === undefined ? await rules.rows(reading, task.id) : [];
    const made = { ...toTask(rules, task, rows), ...(await rules.more?.(reading, task.id)) };
    if (key !== undefined) known.set(task.id, { key, task: made });
    return made;
  };
  /** Tasks are listed by their times: one that isn't told is that of the newest row. */
  const dated = async (reading: R, task: ListedTask): Promise<ListedTask> =>
    task.updatedAt === undefined
      ? defined({ ...task, updatedAt: newestTime(await rules.rows(reading, task.id)) })
      : task;
  return {
    tasks: async (reading, { text = '', limit, cursor }) => {
      const wanted = text.toLowerCase();
      const all = await rules.tasks(reading);
      const found = (await Promise.all(all.map((task) => dated(reading, task))))
        .filter(({ id, title = '' }) => `${id}\n${title}`.toLowerCase().includes(wanted))
        .toSorted(byTime);
      const page = sortedPage(found, {
        limit,
        cursor,
        placeOf: ({ id, updatedAt = '' }) => [id, updatedAt],
        isAfter: (task, [id = '', updatedAt = '']) => byTime(task, { id, updatedAt }) > 0,
      });
      const items: Task[] = [];
      for (const task of page.items) items.push(await taskOf(reading, task));
      return { ...page, items, of: found.length };
    },
    checkpoints: async (reading, task, { limit, cursor, around }) => {
      const newestFirst = (await metasOf(reading, task)).toReversed();
      const at = around && newestFirst.findIndex((meta) => sameRef(refOf(meta), around));
      if (around && at === -1) throw noCheckpoint(around);
      return sortedPage(newestFirst, {
        limit,
        cursor,
        around: at,
        placeOf: ({ id, namespace = '', seq }) => [id, namespace, String(seq)],
        isAfter: ({ seq }, [, , before]) => seq < Number(before),
      });
    },
    lineage: async (reading, task) => (await metasOf(reading, task)).map(toLineage),
    meta: async (reading, ref) => (await metasOf(reading, ref.task)).find((meta) => sameRef(refOf(meta), ref)),
    latest: async (reading, task) => {
      const latest = (await metasOf(reading, task)).find(({ isLatest }) => isLatest);
      return latest ? { ref: refOf(latest), basis: 'rule' } : { basis: 'none' };
    },
  };
}

const newestTime = (rows: readonly ListedRow[]): string | undefined =>
  rows.map(({ createdAt = '' }) => createdAt).reduce((a, b) => (b > a ? b : a), '') || undefined;

const byTime = (a: Pick<Task, 'id' | 'updatedAt'>, b: Pick<Task, 'id' | 'updatedAt'>): number =>
  compare(b.updatedAt ?? '', a.updatedAt ?? '') || compare(a.id, b.id);

export const refOf = ({ taskId: task, namespace, id }: CheckpointMeta): CheckpointRef =>
  defined({ task, namespace, id });

function toMetas<R>({ store, latest = newestReadable }: ListRules<R>, task: string, rows: readonly ListedRow[]) {
  const newest = latest(rows);
  return rows.map(({ parent: recorded, lineage, ...row }, at): CheckpointMeta => {
    const before = rows[at - 1];
    const parent = recorded === 'none' ? undefined : (recorded ?? (before && defined({ task, ...placeOf(before) })));
    return defined({
      store,
      taskId: task,
      seq: at + 1,
      lineage: parent === undefined ? 'none' : (lineage ?? (recorded === undefined ? 'inferred' : 'recorded')),
      parentId: parent?.id,
      parentTaskId: parent?.task === task ? undefined : parent?.task,
      labels: [],
      timeBasis: 'none' as const,
      status: 'unknown' as const,
      ...row,
      isLatest: row.id === newest?.id && row.namespace === newest.namespace,
    });
  });
}

const placeOf = ({ namespace, id }: ListedRow): Pick<ListedRow, 'namespace' | 'id'> => defined({ namespace, id });

const newestReadable = (rows: readonly ListedRow[]): ListedRow | undefined => rows.findLast(({ problem }) => !problem);

function toTask<R>(
  { store, system, latest = newestReadable }: ListRules<R>,
  task: ListedTask,
  rows: readonly ListedRow[],
): Task {
  const newest = latest(rows);
  return defined({
    store,
    system,
    title: task.id,
    checkpointCount: rows.length,
    unreadable: rows.filter(({ problem }) => problem).length,
    latestId: newest?.id,
    latestNamespace: newest?.namespace,
    status: newest?.status ?? ('unknown' as const),
    sizeBytes: rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    ...task,
  });
}

export function toLineage(meta: CheckpointMeta): LineageRow {
  const { id, namespace, status, seq, stepIndex, createdAt: time, description, isLatest, lineage: kind } = meta;
  const parent =
    meta.parentId === undefined ? undefined : { task: meta.parentTaskId ?? meta.taskId, id: meta.parentId };
  return defined({
    id,
    namespace,
    parent,
    kind,
    time,
    status,
    seq,
    stepIndex,
    description,
    isLatest,
    problem: meta.problem?.code,
  });
}
