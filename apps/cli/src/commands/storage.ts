import { readStorage } from '@checkpoint-inspector/inspector';
import { maskSecrets } from '@checkpoint-inspector/core';
import { limited, LIMIT_OPTION, print, size, table } from '../output.ts';
import type { Run } from '../workspace.ts';
import { reading } from '../verbs.ts';
import type { Common, Verbs } from '../verbs.ts';

interface StorageOptions extends Common {
  readonly limit?: string;
}

export function addStorage(verbs: Verbs): void {
  verbs
    .overStores('storage', {
      group: 'keep',
      about: 'show what stores, journal and trash take up, and what cannot be read',
      examples: ['storage', 'storage -s ./checkpoints.sqlite --json'],
    })
    .option(...LIMIT_OPTION)
    .action((options: StorageOptions) => reading(verbs, options, (run) => storage(run, options)));
}

/** `storage`: what stores, journal and trash take up, and what cannot be read. */
async function storage({ workspace, output }: Run, options: StorageOptions): Promise<void> {
  const report = await readStorage(workspace.stores, workspace.changes.bin);
  const { trash, journal } = report;
  const rows = report.stores.flatMap(({ tasks }) => tasks);
  const [shown, unread] = [limited(output, rows, options.limit), limited(output, report.unreadable, options.limit)];
  print(output, report, () => [
    ...table(
      ['STORE', 'TASK', 'CHECKPOINTS', 'UNREADABLE', 'LOCKED', 'SIZE', 'OLDEST', 'NEWEST'],
      shown.items.map((task) => [
        task.store,
        task.id,
        String(task.checkpoints),
        task.unreadable === 0 ? '' : String(task.unreadable),
        task.locked === 0 ? '' : String(task.locked),
        size(task.bytes),
        task.oldest?.text.slice(0, 10) ?? '',
        task.newest?.text.slice(0, 10) ?? '',
      ]),
      output.terminal,
    ),
    ...shown.more,
    '',
    ...report.stores.map((store) => `${store.store}: ${size(store.bytes)}. ${store.retention ?? ''}`.trimEnd()),
    `journal: ${size(journal.bytes)}, cache: ${size(journal.cacheBytes)}, ${journal.path}`,
    `trash: ${trash.checkpoints} checkpoints, ${size(trash.bytes)}, of which ${trash.expired.checkpoints} are kept longer than ${trash.keepDays} days`,
    ...unread.items.map(
      ({ store, ref, problem }) => `cannot be read: ${store} ${ref.id}: ${maskSecrets(problem.message)}`,
    ),
    ...unread.more,
    ...report.failures.map(({ store, error }) => `failed: ${store}: ${error.message}`),
  ]);
}
