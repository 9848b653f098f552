import { compact, InspectorError, planRetention, policyText } from '@checkpoint-inspector/core';
import type { CheckpointStatus, PlanView, Receipt, RetentionPolicy } from '@checkpoint-inspector/core';
import { ageOf, STATUSES } from '../filter.ts';
import { print, printable, size } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import { wholeNumber, type Run } from '../workspace.ts';
import { changing, collect, type Verbs } from '../verbs.ts';
import { confirmPlans, planLines, printReceipt, receiptLines, tellLog, type ChangeOptions } from './change.ts';

interface PruneOptions extends ChangeOptions {
  readonly olderThan?: string;
  readonly keepLast?: string;
  readonly status?: readonly string[];
  readonly text?: string;
}

export function addPrune(verbs: Verbs): void {
  verbs.planned
    .overTask('prune <task...>', {
      group: 'change',
      about: 'move checkpoints that match every condition to the trash',
      examples: [
        'prune report --keep-last 10 --dry-run',
        'prune report --older-than 30d --status failed',
        'prune a/report b/report --keep-last 5 --yes',
      ],
    })
    .option('--older-than <age>', 'older than this: 30d, 12h, 4w')
    .option('--keep-last <n>', 'always keep the newest n of each task')
    .option('--status <status>', 'only with this status, repeatable', collect)
    .option('--text <text>', 'only with this text in the id or description')
    .action((names: string[], options: PruneOptions) => changing(verbs, options, (run) => prune(run, names, options)));
}

async function prune(run: Run, names: readonly string[], options: PruneOptions): Promise<void> {
  const policy = policyOf(options);
  const { changes } = await run.workspace.inspector();
  const plans: PlanView[] = [];
  for (const name of new Set(names)) {
    const { source, task } = await resolveTask(run.workspace, name);
    plans.push(await changes.preview(source.info.id, { kind: 'prune', task, policy }));
  }
  const work = plans.filter(({ removes }) => removes.count > 0);
  if (options.dryRun || work.length === 0) {
    printPlans(run, plans, policy);
    return;
  }
  if (!options.yes) await confirmPlans(run, plans);
  const receipts: Receipt[] = [];
  for (const plan of work) receipts.push(await changes.apply(plan.id));
  printReceipts(run, receipts, names.length > 1);
}

function printPlans({ output }: Run, plans: readonly PlanView[], policy: RetentionPolicy): void {
  const [only] = plans;
  const value = plans.length === 1 && only ? only : { items: plans };
  print(output, value, () => [
    ...plans.flatMap((plan) => [...planLines(plan), '']),
    summaryLine(plans, policy),
    'Nothing was changed.',
  ]);
}

/** @example 'older than 30 days: 41 would be deleted from 2 tasks (120.4 kB), 6 are protected, 1 is unreadable and skipped.' */
function summaryLine(plans: readonly PlanView[], policy: RetentionPolicy): string {
  const sum = (of: (plan: PlanView) => number) => plans.reduce((total, plan) => total + of(plan), 0);
  const where = plans.length === 1 ? '' : ` from ${plans.length} tasks`;
  const skipped = sum((plan) => plan.leftOut?.skipped ?? 0);
  return [
    `${policyText(policy)}: ${sum((plan) => plan.removes.count)} would be deleted${where} (${size(sum((plan) => plan.bytesFreed))})`,
    `${sum((plan) => plan.protected.count)} protected`,
    ...(skipped === 0 ? [] : [`${skipped} unreadable and skipped`]),
  ].join(', ');
}

function printReceipts(run: Run, receipts: readonly Receipt[], several: boolean): void {
  const [only] = receipts;
  if (!several && only) {
    printReceipt(run, only);
    return;
  }
  print(run.output, { items: receipts }, () => [
    ...receipts.flatMap((receipt) => [
      printable(`${receipt.task}:`),
      ...receiptLines(receipt, run.command).map((line) => `  ${line}`),
    ]),
    totalLine(receipts),
  ]);
  for (const store of new Set(receipts.map((receipt) => receipt.store))) tellLog(run, store);
}

function totalLine(receipts: readonly Receipt[]): string {
  const gone = receipts.reduce((sum, { removed }) => sum + removed.length, 0);
  const failed = receipts.reduce((sum, receipt) => sum + receipt.failed.length, 0);
  const end = failed === 0 ? '' : `, ${failed} failed`;
  return `${gone} deleted in ${receipts.length} tasks${end}; each task has its own receipt and undo.`;
}

/** @throws InspectorError invalid_input */
function policyOf({ olderThan, keepLast, status, text }: PruneOptions): RetentionPolicy {
  const policy: RetentionPolicy = {
    ...(olderThan === undefined ? {} : { olderThanDays: daysIn(olderThan) }),
    ...(keepLast === undefined ? {} : { beyondNewest: wholeNumber('--keep-last', keepLast, { from: 0, to: 1e9 }) }),
    ...compact({ status: status?.map(statusIn), text }),
  };
  // An empty policy is refused before any store is asked.
  planRetention([], policy, { now: new Date() });
  return policy;
}

const DAY_MS = 86_400_000;

function daysIn(text: string): number {
  const age = ageOf(text);
  if (age !== undefined) return age / DAY_MS;
  throw new InspectorError('invalid_input', `--older-than must be an age such as 30d, 12h or 4w, not "${text}".`);
}

function statusIn(text: string): CheckpointStatus {
  const status = STATUSES.find((one) => one === text);
  if (status) return status;
  throw new InspectorError('invalid_input', `--status must be one of ${STATUSES.join(', ')}, not "${text}".`);
}
