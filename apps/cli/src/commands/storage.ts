import { readStorage } from '@checkpoint-inspector/inspector';
import { createChangeService, journalFolder, openJournalWhenNeeded } from '@checkpoint-inspector/changes';
import type { TrashBin } from '@checkpoint-inspector/changes';
import { compact, InspectorError } from '@checkpoint-inspector/core';
import { ask, limited, LIMIT_OPTION, many, print, printable, size, table, whole, type Output } from '../output.ts';
import { wholeNumber, type Run } from '../workspace.ts';
import { collect, examplesOf, reading, type Listing, type Verbs } from '../verbs.ts';
import { storeOf } from './receipts.ts';

export function addStorage(verbs: Verbs): void {
  verbs
    .overStores('storage', {
      group: 'keep',
      about: "show how much space stores, journal and trash use, and what can't be read",
      examples: ['storage', 'storage -s ./checkpoints.sqlite --json'],
    })
    .option(...LIMIT_OPTION)
    .action((options: Listing) => reading(verbs, options, (run) => storage(run, options)));
}

async function storage({ workspace, output }: Run, options: Listing): Promise<void> {
  const report = await readStorage(workspace.stores, (await workspace.inspector()).changes.bin);
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
    `trash: ${many(trash.checkpoints)}, ${size(trash.bytes)}, including ${trash.expired.checkpoints} older than ${trash.keepDays} days`,
    ...unread.items.map(({ store, ref, problem }) =>
      printable(`can't be read: ${store} ${ref.id}: ${problem.message}`),
    ),
    ...unread.more,
    ...report.failures.map(({ store, error }) => printable(`failed: ${store}: ${error.message}`)),
  ]);
}

type TrashedUntil = ReturnType<TrashBin['preview']>['changes'][number];
type TrashSummary = ReturnType<TrashBin['summary']>;

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
      examples: ['trash', 'trash -s ./checkpoints.sqlite', 'trash purge --expired --dry-run', 'trash keep 90'],
    })
    .option('-s, --store <path>', 'only what changes of this store deleted; repeatable', collect)
    .option('--json', 'print JSON')
    .option(...LIMIT_OPTION)
    .action((options: Listing) =>
      options.store === undefined
        ? trash(output, options.limit)
        : reading(verbs, options, (run) => trashOf(run, options.limit)),
    );
  bin
    .command('purge [change...]')
    .description('permanently empty the trash: the given changes, --expired, or --all')
    .option('--expired', 'everything older than `trash keep` allows')
    .option('--all', 'everything')
    .option('-y, --yes', 'purge without asking')
    .option('--dry-run', 'show what would be purged, without purging')
    .option('--json', 'print JSON')
    .addHelpText('after', examplesOf(['trash purge --expired --dry-run', 'trash purge --all --yes']))
    .action((changes: string[], options: PurgeOptions) => purge(output, changes, options));
  bin
    .command('keep <days>')
    .description('set after how many days trash can be purged with --expired; nothing is purged automatically')
    .option('--json', 'print JSON')
    .addHelpText('after', examplesOf(['trash keep 30']))
    .action((days: string) => keep(output, days));
}

function trash(output: Output, limit: string | undefined): void {
  withBin(true, (bin) => listTrash(output, limit, bin.summary(), bin.preview({}).changes));
}

async function trashOf({ workspace, output }: Run, limit: string | undefined): Promise<void> {
  const { bin } = (await workspace.inspector()).changes;
  const isOf = ({ store, receiptId }: TrashedUntil) =>
    storeOf(workspace, store, workspace.journal.intent(receiptId)?.location) !== undefined;
  const changes = bin.preview({}).changes.filter(isOf);
  const now = new Date().toISOString();
  const expired = sizeOf(changes.filter(({ expiresAt }) => expiresAt <= now));
  listTrash(output, limit, { ...sizeOf(changes), expired, keepDays: bin.summary().keepDays }, changes);
}

const sizeOf = (changes: readonly TrashedUntil[]): TrashSummary['expired'] => ({
  changes: changes.length,
  checkpoints: changes.reduce((sum, { checkpoints }) => sum + checkpoints, 0),
  bytes: changes.reduce((sum, { bytes }) => sum + bytes, 0),
});

function listTrash(
  output: Output,
  limit: string | undefined,
  summary: TrashSummary,
  changes: readonly TrashedUntil[],
): void {
  const { items, of, more } = limited(output, changes, limit);
  print(output, { ...summary, items, of }, () => [
    ...changeTable(items, output),
    ...more,
    `${many(summary.checkpoints)}, ${size(summary.bytes)}; kept for ${summary.keepDays} days, then offered for purging: \`trash purge --expired\``,
    'Restore with: checkpoint-inspector undo <change>',
  ]);
}

async function purge(output: Output, receiptIds: readonly string[], options: PurgeOptions): Promise<void> {
  const ways = [receiptIds.length > 0, options.expired === true, options.all === true].filter(Boolean);
  if (ways.length !== 1) {
    throw new InspectorError('invalid_input', 'Choose what to purge: changes by id, --expired, or --all.');
  }
  await withBin(options.dryRun ?? false, async (bin) => {
    const named = receiptIds.length > 0 ? receiptIds : undefined;
    const plan = bin.preview(compact({ receiptIds: named, expired: options.expired || undefined }));
    if (options.dryRun || plan.changes.length === 0) {
      print(output, plan, () => [
        ...changeTable(plan.changes, output),
        `${many(plan.checkpoints)}, ${size(plan.bytes)}; nothing was purged.`,
      ]);
      return;
    }
    if (!options.yes) {
      for (const line of changeTable(plan.changes, output)) output.note(line);
      await ask(`Purge ${many(plan.checkpoints)} permanently? This can't be undone. [y/N] `);
    }
    const purged = bin.purge(plan.id);
    print(output, purged, () => [
      `purged ${many(purged.checkpoints)} of ${many(purged.changes, 'change')}, ${size(purged.bytes)}`,
      ...purged.left.map((id) => `not purged: ${id}`),
    ]);
  });
}

function keep(output: Output, days: string): void {
  withBin(false, (bin) => {
    bin.keepFor(wholeNumber('<days>', days, { from: 1, to: 36_500 }));
    const summary = bin.summary();
    print(output, summary, () => [
      `kept for ${many(summary.keepDays, 'day')}; ${many(summary.expired.checkpoints)} ${summary.expired.checkpoints === 1 ? 'is' : 'are'} expired`,
    ]);
  });
}

function changeTable(changes: readonly TrashedUntil[], { terminal }: Output): string[] {
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
