import { print, size, table } from '../output.ts';
import type { Run } from '../session.ts';

/** `tasks`: every task of the open stores, failed first. */
export async function tasks({ session, output }: Run): Promise<void> {
  const page = await session.stores.tasks({ limit: 1000 });
  print(output, page, () => [
    ...table(
      ['STATUS', 'TASK', 'STORE', 'SYSTEM', 'CHECKPOINTS', 'SIZE', 'UPDATED'],
      page.items.map((task) => [
        task.status,
        task.title,
        task.store,
        task.system,
        task.unreadable > 0 ? `${task.checkpointCount} (${task.unreadable} unreadable)` : String(task.checkpointCount),
        size(task.sizeBytes),
        task.updatedAt ?? '',
      ]),
    ),
    ...page.failures.map(({ store, error }) => `${store}: ${error.message}`),
    ...(page.cursor === undefined ? [] : ['More tasks than shown; use --json with a narrower store.']),
  ]);
}
