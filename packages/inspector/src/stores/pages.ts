/** Lists of a source from their first page to their last. */
import { MAX_LIMIT } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource, Page, PageQuery, Task } from '@checkpoint-inspector/core';

export const everyTask = (source: CheckpointSource): AsyncGenerator<Task> => everyPage((query) => source.tasks(query));

export const everyRow = (source: CheckpointSource, task: string): AsyncGenerator<CheckpointMeta> =>
  everyPage((query) => source.checkpoints(task, query));

async function* everyPage<T>(read: (query: PageQuery) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page = await read({ limit: MAX_LIMIT, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
