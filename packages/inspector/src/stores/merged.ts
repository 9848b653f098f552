import { isSince, pageLimit, type CheckpointSource, type StoreId, type Task } from '@checkpoint-inspector/core';
import type { StoreTasks } from './store-tasks.ts';
import { askEach, type TaskLists } from './task-lists.ts';
import {
  cursorAfter,
  cursorFrom,
  pageOf,
  partsOf,
  taskCursor,
  type Lists,
  type Parts,
  type TaskCursor,
} from './task-pages.ts';
import type { MergedTaskQuery, TaskList, TasksRead } from './types.ts';

/** A page that has nothing yet is waited for this long. */
const PATIENCE_MS = 400;

/** A page of the tasks of these stores. */
export async function listTasks(
  lists: TaskLists,
  sources: readonly CheckpointSource[],
  query: MergedTaskQuery,
): Promise<TaskList> {
  const limit = pageLimit(query.limit);
  const text = query.text === '' ? undefined : query.text;
  const isWanted = wantedBy(query);
  let at: TaskCursor = query.cursor === undefined ? {} : taskCursor(query.cursor);
  const began = Date.now();
  for (;;) {
    const { from, to, after } = at;
    const asked = from === undefined ? sources : sources.filter(({ info }) => Object.hasOwn(from, info.id));
    const { answers, failures } = await askEach(asked, async (source) => {
      const [name, part] = (to ?? from)?.[source.info.id] ?? [];
      const beyond = name === undefined ? undefined : ([name, after ? undefined : part] as const);
      const list = await lists.read(source, { text, limit, isWhole: query.whole === true, beyond });
      return [source.info.id, list] as const;
    });
    const known: Lists = new Map(answers);
    const page: TaskCursor = { ...at, to: to ?? partsOf(known) };
    const { items, more } = pageOf(known, page, isWanted, limit);
    const reading = readingOf(answers);
    const list = { items, failures, ...(reading.length > 0 ? { reading } : {}) };
    const last = items.at(-1);
    if (more && last) return { ...list, cursor: cursorAfter(last, page) };
    const rest = restOf(page.to ?? {}, known);
    if (Object.keys(rest).length === 0) return list;
    if (items.length > 0 || Date.now() - began > PATIENCE_MS) return { ...list, cursor: cursorFrom(rest) };
    at = { from: rest };
  }
}

/** Stores that have answered, and whose tasks were not all known when this part was begun. */
function restOf(to: Parts, known: Lists): Parts {
  return Object.fromEntries(Object.entries(to).filter(([store]) => known.has(store)));
}

function wantedBy({ status, since, text }: MergedTaskQuery): (task: Task) => boolean {
  const words = text?.toLowerCase() ?? '';
  const has = (said: string): boolean => said.toLowerCase().includes(words);
  return (task) =>
    (status === undefined || task.status === status) &&
    isSince(task.updatedAt, since) &&
    (words === '' || has(task.id) || has(task.title));
}

function readingOf(answers: readonly (readonly [StoreId, StoreTasks])[]): TasksRead[] {
  return answers.flatMap(([store, { coverage }]) => (coverage ? [{ store, ...coverage }] : []));
}
