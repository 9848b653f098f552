import { createChangeService, journalFolder, openJournalWhenNeeded } from '@checkpoint-inspector/changes';
import type { TrashBin } from '@checkpoint-inspector/changes';
import { InspectorError } from '@checkpoint-inspector/core';
import { limited, LIMIT_OPTION, ask, print, size, table, whole } from '../output.ts';
import type { Output } from '../output.ts';
import { wholeNumber } from '../workspace.ts';
import { examplesOf } from '../verbs.ts';
import type { Verbs } from '../verbs.ts';

interface PurgeOptions {
  readonly expired?: boolean;
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export function addTrash(verbs: Verbs): void {
  const { output } = verbs;
  const bin = verbs
    .add('trash', {
      group: 'keep',
      about: 'list what is in the trash, by change',
      examples: ['trash', 'trash purge --expired --dry-run', 'trash keep 90'],
    })
    .option('--json', 'print JSON')
    .option(...LIMIT_OPTION)
    .action(({ limit }: { limit?: string }) => trash(output, limit));
  bin
    .command('purge [change...]')
    .description('empty the trash for good: named changes, --expired, or --all')
    .option('--expired', 'what is kept longer than `trash keep` says')
    .option('--all', 'everything')
    .option('-y, --yes', 'purge without asking')
    .option('--dry-run', 'show what would go and purge nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', examplesOf(['trash purge --expired --dry-run', 'trash purge --all --yes']))
    .action((changes: string[], options: PurgeOptions) => purge(output, changes, options));
  bin
    .command('keep <days>')
    .description('set after how many days the trash is offered for purging; nothing is purged by itself')
    .option('--json', 'print JSON')
    .addHelpText('after', examplesOf(['trash keep 30']))
    .action((days: string) => keep(output, days));
}

/** `trash`: what changes put into it, by change. */
function trash(output: Output, limit: string | undefined): void {
  withBin(true, (bin) => {
    const summary = bin.summary();
    const { changes } = bin.preview({});
    const { items, of, more } = limited(output, changes, limit);
    print(output, { ...summary, items, of }, () => [
      ...changeTable(items, output),
      ...more,
      `${summary.checkpoints} checkpoints, ${size(summary.bytes)}; kept for ${summary.keepDays} days, then offered for purging: \`trash purge --expired\``,
      'Put back with: checkpoint-inspector undo <change>',
    ]);
  });
}

/** `trash purge [change…]`: empties the trash of what the plan names, for good. */
async function purge(output: Output, receiptIds: readonly string[], options: PurgeOptions): Promise<void> {
  const ways = [receiptIds.length > 0, options.expired === true, options.all === true].filter(Boolean);
  if (ways.length !== 1) {
    throw new InspectorError('invalid_input', 'Say what to purge: changes by their id, --expired, or --all.');
  }
  await withBin(options.dryRun ?? false, async (bin) => {
    const plan = bin.preview({
      ...(receiptIds.length > 0 ? { receiptIds } : {}),
      ...(options.expired ? { expired: true } : {}),
    });
    if (options.dryRun || plan.changes.length === 0) {
      print(output, plan, () => [
        ...changeTable(plan.changes, output),
        `${plan.checkpoints} checkpoints, ${size(plan.bytes)}; nothing was purged.`,
      ]);
      return;
    }
    if (!options.yes) {
      for (const line of changeTable(plan.changes, output)) output.note(line);
      await ask(`Purge ${plan.checkpoints} checkpoints for good? There is no undo. [y/N] `);
    }
    const purged = bin.purge(plan.id);
    print(output, purged, () => [
      `purged ${purged.checkpoints} checkpoints of ${purged.changes} changes, ${size(purged.bytes)}`,
      ...purged.left.map((id) => `left as it is: ${id}`),
    ]);
  });
}

/** `trash keep <days>`: from when on its items are offered for purging. */
function keep(output: Output, days: string): void {
  withBin(false, (bin) => {
    bin.keepFor(wholeNumber('<days>', days, { from: 1, to: 36_500 }));
    const summary = bin.summary();
    print(output, summary, () => [
      `kept for ${summary.keepDays} days; ${summary.expired.checkpoints} checkpoints are expired`,
    ]);
  });
}

function changeTable(changes: ReturnType<TrashBin['preview']>['changes'], { terminal }: Output): string[] {
  if (changes.length === 0) return [];
  return table(
    [whole('CHANGE'), 'STORE', 'CHECKPOINTS', 'SIZE', 'DELETED', 'KEPT UNTIL', 'TASK'],
    changes.map((change) => [
      change.receiptId,
      change.store,
      String(change.checkpoints),
      size(change.bytes),
      change.deletedAt.slice(0, 10),
      change.expiresAt.slice(0, 10),
      change.task,
    ]),
    terminal,
  );
}

/** The journal alone: the trash may hold what came from stores elsewhere. */
function withBin<T>(readOnly: boolean, work: (bin: TrashBin) => T): T {
  const journal = openJournalWhenNeeded({ folder: journalFolder(process.env, process.platform) });
  const sources = (): never => {
    throw new InspectorError('no_store', 'No store is open.');
  };
  const end = () => journal.close();
  let result: T;
  try {
    result = work(createChangeService({ journal, sources, readOnly }).bin);
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) result.then(end, end);
  else end();
  return result;
}
