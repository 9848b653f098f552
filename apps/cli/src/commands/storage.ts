import { readStorage } from '@checkpoint-inspector/api';
import { maskSecrets } from '@checkpoint-inspector/core';
import { print, size, table } from '../output.ts';
import type { Run } from '../session.ts';

/** `storage`: what stores, journal and trash take up, and what cannot be read. */
export async function storage({ session, output }: Run): Promise<void> {
  const report = await readStorage(session.stores, session.changes.bin);
  const { trash, journal } = report;
  print(output, report, () => [
    ...table(
      ['STORE', 'TASK', 'CHECKPOINTS', 'UNREADABLE', 'LOCKED', 'SIZE', 'OLDEST', 'NEWEST'],
      report.stores.flatMap((store) =>
        store.tasks.map((task) => [
          store.store,
          maskSecrets(task.id),
          String(task.checkpoints),
          task.unreadable === 0 ? '' : String(task.unreadable),
          task.locked === 0 ? '' : String(task.locked),
          size(task.bytes),
          task.oldest?.text.slice(0, 10) ?? '',
          task.newest?.text.slice(0, 10) ?? '',
        ]),
      ),
    ),
    '',
    ...report.stores.map((store) => `${store.store}: ${size(store.bytes)}. ${store.retention ?? ''}`.trimEnd()),
    `journal: ${size(journal.bytes)}, cache: ${size(journal.cacheBytes)}, ${journal.path}`,
    `trash: ${trash.checkpoints} checkpoints, ${size(trash.bytes)}, of which ${trash.expired.checkpoints} are kept longer than ${trash.keepDays} days`,
    ...report.unreadable.map(
      ({ store, ref, problem }) => `cannot be read: ${store} ${ref.id}: ${maskSecrets(problem.message)}`,
    ),
    ...report.failures.map(({ store, error }) => `failed: ${store}: ${error.message}`),
  ]);
}
