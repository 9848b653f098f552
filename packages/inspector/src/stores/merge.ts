/** One task list over many stores. */
import { DEFAULT_LIMIT, InspectorError, MAX_LIMIT } from '@checkpoint-inspector/core';
import type { CheckpointSource, Page, Task } from '@checkpoint-inspector/core';

/** Every task of a source. */
export async function allTasks(source: CheckpointSource, text: string | undefined): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<Task> = await source.tasks({
      limit: MAX_LIMIT,
      ...(text === undefined ? {} : { text }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    tasks.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return tasks;
}

/** A task's place in the merged list: failed first, then newest, ties by store and id. */
type Place = readonly [rank: number, updatedAt: string, store: string, id: string];

function placeOf(task: Task): Place {
  return [task.status === 'failed' ? 0 : 1, task.updatedAt ?? '', task.store, task.id];
}

function compare(a: Place, b: Place): number {
  return a[0] - b[0] || order(b[1], a[1]) || order(a[2], b[2]) || order(a[3], b[3]);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** One page in merged order. @throws InspectorError invalid_input for a cursor that is not ours */
export function pageOfTasks(tasks: readonly Task[], query: { limit?: number; cursor?: string }): Page<Task> {
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  const rest = tasks
    .map((task) => ({ task, place: placeOf(task) }))
    .filter(({ place }) => after === undefined || compare(place, after) > 0)
    .toSorted((a, b) => compare(a.place, b.place));
  const shown = rest.slice(0, query.limit ?? DEFAULT_LIMIT);
  const last = shown.at(-1);
  const items = shown.map(({ task }) => task);
  return last === undefined || shown.length === rest.length ? { items } : { items, cursor: encodeCursor(last.place) };
}

function encodeCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function decodeCursor(cursor: string): Place {
  const value = parse(Buffer.from(cursor, 'base64url').toString());
  if (!isPlace(value)) throw new InspectorError('invalid_input', 'This cursor is not one of this list.');
  return value;
}

function isPlace(value: unknown): value is Place {
  return (
    Array.isArray(value) &&
    value.length === 4 &&
    value.every((part, at) => typeof part === (at === 0 ? 'number' : 'string'))
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
