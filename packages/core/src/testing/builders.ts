import type { NewCheckpoint } from '../contract.ts';
import type { CheckpointMeta, CheckpointRef, LineageRow, Page } from '../model.ts';

/** A lineage row; `parent` names a checkpoint of the same task. */
export function lineageRow(
  task: string,
  id: string,
  seq: number,
  parent?: string,
  more: Partial<LineageRow> = {},
): LineageRow {
  return {
    id,
    seq,
    ...(parent === undefined ? {} : { parent: { task, id: parent } }),
    kind: parent === undefined ? 'none' : 'recorded',
    status: 'running',
    isLatest: false,
    ...more,
  };
}

/** A checkpoint whose state tells it apart. */
export function checkpoint(task: string, id: string, more: Partial<NewCheckpoint> = {}): NewCheckpoint {
  return { task, id, text: `{"task": ${JSON.stringify(task)}, "id": ${JSON.stringify(id)}}`, ...more };
}

export function refOf(meta: CheckpointMeta): CheckpointRef {
  return { task: meta.taskId, ...(meta.namespace === undefined ? {} : { namespace: meta.namespace }), id: meta.id };
}

/** Every item of a paged list, in its order. */
export async function allPages<T>(load: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<T> = await load(cursor);
    items.push(...page.items);
    if (page.cursor !== undefined && page.cursor === cursor) throw new Error('The list gave the same cursor twice.');
    cursor = page.cursor;
  } while (cursor !== undefined);
  return items;
}

/** All of an async sequence. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
