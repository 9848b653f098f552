import { createChangeService } from '@checkpoint-inspector/api';
import type { TrashBin } from '@checkpoint-inspector/api';
import { InspectorError } from '@checkpoint-inspector/core';
import { journalFolder, openJournal } from '@checkpoint-inspector/journal';
import { ask, print, printable, size, table } from '../output.ts';
import type { Output } from '../output.ts';
import { wholeNumber } from '../session.ts';

export interface PurgeOptions {
  readonly expired?: boolean;
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** `trash`: what changes put into it, by change. */
export function trash(output: Output): void {
  withBin(true, (bin) => {
    const summary = bin.summary();
    const { changes } = bin.preview({});
    print(output, { ...summary, items: changes }, () => [
      ...changeTable(changes),
      `${summary.checkpoints} checkpoints, ${size(summary.bytes)}; kept for ${summary.keepDays} days, then offered for purging: \`trash purge --expired\``,
      'Put back with: checkpoint-inspector undo <change>',
    ]);
  });
}

/** `trash purge [change…]`: empties the trash of what the plan names, for good. */
export async function purge(output: Output, receiptIds: readonly string[], options: PurgeOptions): Promise<void> {
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
        ...changeTable(plan.changes),
        `${plan.checkpoints} checkpoints, ${size(plan.bytes)}; nothing was purged.`,
      ]);
      return;
    }
    if (!options.yes) {
      for (const line of changeTable(plan.changes)) output.note(line);
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
export function keep(output: Output, days: string): void {
  withBin(false, (bin) => {
    bin.keepFor(wholeNumber('<days>', days, { from: 1, to: 36_500 }));
    const summary = bin.summary();
    print(output, summary, () => [
      `kept for ${summary.keepDays} days; ${summary.expired.checkpoints} checkpoints are expired`,
    ]);
  });
}

function changeTable(changes: ReturnType<TrashBin['preview']>['changes']): string[] {
  if (changes.length === 0) return [];
  return table(
    ['CHANGE', 'STORE', 'CHECKPOINTS', 'SIZE', 'DELETED', 'KEPT UNTIL', 'TASK'],
    changes.map((change) => [
      change.receiptId,
      change.store,
      String(change.checkpoints),
      size(change.bytes),
      change.deletedAt.slice(0, 10),
      change.expiresAt.slice(0, 10),
      printable(change.task),
    ]),
  );
}

/** The journal alone: the trash may hold what came from stores elsewhere. */
function withBin<T>(readOnly: boolean, work: (bin: TrashBin) => T): T {
  const journal = openJournal({ folder: journalFolder(process.env, process.platform) });
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
