import { compact, InspectorError, proofDifference } from '@checkpoint-inspector/core';
import type { ChangeRequest, PlanView, Receipt, StoreId } from '@checkpoint-inspector/core';
import { planLines as linesOf } from '@checkpoint-inspector/inspector';
import { commandLine, type CommandLine } from '../command-line.ts';
import { ask, print, printable } from '../output.ts';
import { resolveCheckpoint, type Narrow } from '../resolve.ts';
import { changing, type Common, type Verbs } from '../verbs.ts';
import { tellLogOf, type Run } from '../workspace.ts';

export interface ChangeOptions extends Common, Narrow {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly to?: string;
  readonly history?: boolean;
}

/** Plans, shows, asks and applies. `about` comes below the plan: what people should see before they say yes. */
export async function change(
  run: Run,
  store: StoreId,
  request: ChangeRequest,
  options: ChangeOptions,
  about: readonly string[] = [],
): Promise<void> {
  const { changes } = await run.workspace.inspector();
  const plan = await changes.preview(store, request);
  if (options.dryRun) {
    print(run.output, plan, () => [...planLines(plan), ...about]);
    return;
  }
  if (!options.yes) await confirmPlans(run, [plan], about);
  printReceipt(run, await changes.apply(plan.id));
}

/** Shows the plans and asks. @throws InspectorError invalid_input unless the answer is yes */
export async function confirmPlans(run: Run, plans: readonly PlanView[], about: readonly string[] = []): Promise<void> {
  for (const line of [...plans.flatMap(planLines), ...about]) run.output.note(line);
  await ask(plans.length === 1 ? 'Apply this plan? [y/N] ' : `Apply these ${plans.length} plans? [y/N] `);
}

export const planLines = (plan: PlanView): string[] => linesOf(plan).map(printable);

/** @example "The latest isn't the planned one; check it before you continue, or undo the change." */
function proofLine(receipt: Receipt): string {
  if (receipt.proof === 'same') return 'Verified: the store now returns this state.';
  if (receipt.proof === 'none') return printable(receipt.latestNow.note ?? '');
  const words = differenceOf(receipt);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}; check it before you continue, or undo the change.`;
}

const differenceOf = (receipt: Receipt): string => proofDifference(receipt) ?? 'the store did not return this state';

/** A receipt for people. */
export function receiptLines(receipt: Receipt, command: CommandLine = commandLine()): string[] {
  const { failed } = receipt;
  const done = receipt.request.kind === 'prune' ? [prunedLine(receipt)] : receipt.done.map(printable);
  return [
    ...done,
    ...failed.map(({ what, reason }) => printable(`failed: ${what}: ${reason}`)),
    proofLine(receipt),
    printable(`latest now: ${receipt.latestNow.ref?.id ?? 'none'}`),
    printable(`undo: ${command('undo', receipt.id)}`),
    ...(receipt.next === undefined ? [] : [printable(`resume with: ${receipt.next}`)]),
  ].filter((line) => line !== '');
}

const prunedLine = ({ removed, failed }: Receipt): string =>
  `${removed.length} deleted${failed.length === 0 ? '' : `, ${failed.length} failed`}`;

export const tellLog = ({ workspace, output }: Run, store: StoreId): void =>
  tellLogOf(output, workspace.stores.source(store).info.identity);

export function printReceipt(run: Run, receipt: Receipt): void {
  print(run.output, receipt, () => receiptLines(receipt, run.command));
  tellLog(run, receipt.store);
  if (receipt.proof === 'different')
    throw new InspectorError('proof_failed', `Receipt ${receipt.id}: ${differenceOf(receipt)}.`);
}

export function addRestore(verbs: Verbs): void {
  verbs.planned
    .overCheckpoint('restore <checkpoint>', {
      group: 'change',
      about: 'make an older checkpoint the latest',
      examples: ['restore ckpt_07 --dry-run', 'restore report/latest~1', 'restore ckpt_07 --to report-again --yes'],
    })
    .option('--to <task>', 'copy into this new task instead')
    .action((id: string, options: ChangeOptions) =>
      changing(verbs, options, (run) => copy(run, 'restore', id, options)),
    );
  verbs.planned
    .overCheckpoint('fork <checkpoint>', {
      group: 'change',
      about: 'start a new branch at a checkpoint, if its system has branches',
      examples: ['fork ckpt_07 --dry-run', 'fork report/latest --to report-b', 'fork ckpt_07 --yes --json'],
    })
    .option('--to <task>', 'start it in this new task; some systems can only fork this way')
    .option('--history', 'copy all that led to it too, where the system leaves the choice')
    .action((id: string, options: ChangeOptions) => changing(verbs, options, (run) => copy(run, 'fork', id, options)));
  verbs.planned
    .overCheckpoint('delete <checkpoint...>', {
      group: 'change',
      about: 'move checkpoints to the trash',
      examples: ['delete ckpt_07 --dry-run', 'delete ckpt_07 ckpt_08 --yes', 'delete prod/report/ckpt_07'],
    })
    .action((ids: string[], options: ChangeOptions) => changing(verbs, options, (run) => remove(run, ids, options)));
}

async function copy(run: Run, kind: 'restore' | 'fork', id: string, options: ChangeOptions): Promise<void> {
  const { source, ref } = await resolveCheckpoint(run.workspace, id, options);
  const request = { kind, ref, ...compact({ targetTask: options.to, history: options.history }) };
  await change(run, source.info.id, request, options);
}

async function remove(run: Run, ids: readonly string[], options: ChangeOptions): Promise<void> {
  const found = [];
  for (const id of ids) found.push(await resolveCheckpoint(run.workspace, id, options));
  const stores = new Set(found.map(({ source }) => source.info.id));
  const [store] = stores;
  if (store === undefined || stores.size > 1) {
    throw new InspectorError('invalid_input', 'These checkpoints are in several stores.', {
      remedy: 'Delete from one store at a time.',
    });
  }
  await change(run, store, { kind: 'delete', refs: found.map(({ ref }) => ref) }, options);
}
