import { InspectorError } from '@checkpoint-inspector/core';
import type { Receipt } from '@checkpoint-inspector/core';
import { belongsHere, receiptsOf } from './receipts.ts';
import type { Kept } from './receipts.ts';
import type { Run } from '../workspace.ts';
import { changing, planned } from '../verbs.ts';
import type { Verbs } from '../verbs.ts';
import { change, printReceipt } from './change.ts';
import type { ChangeOptions } from './change.ts';

export function addUndo(verbs: Verbs): void {
  planned(
    verbs.overStores('undo [receipt]', {
      group: 'change',
      about: 'undo a change; by default the last one of the open stores',
      examples: ['undo -s ./checkpoints.sqlite', 'undo --dry-run', 'undo r-0123456789'],
    }),
  ).action((receipt: string | undefined, options: ChangeOptions) =>
    changing(verbs, options, (run) => undo(run, receipt, options)),
  );
}

/** `undo [receipt]`: undoes that change, or the last one of the stores that are open. */
async function undo(run: Run, receiptId: string | undefined, options: ChangeOptions): Promise<void> {
  const kept = receiptId === undefined ? lastIn(run) : named(run, receiptId);
  assertOpen(run, kept);
  const { receipt } = kept;
  if (options.dryRun) {
    await change(run, receipt.store, { kind: 'undo', receiptId: receipt.id }, options);
    return;
  }
  printReceipt(run, await run.workspace.changes.undo(receipt.id));
}

/** @throws InspectorError not_found */
function lastIn({ workspace }: Run): Kept {
  for (const kept of receiptsOf(workspace.journal)) {
    if (belongsHere(workspace, kept) && canBeUndone(kept.receipt)) return kept;
  }
  const stores = workspace.stores.list().map(({ id }) => id);
  throw new InspectorError('not_found', `There is no change to undo in ${stores.join(', ')}.`, {
    data: { stores },
    remedy: 'List all changes with `receipts`, and undo one by its id.',
  });
}

const canBeUndone = ({ undoneBy, request, done }: Receipt): boolean =>
  undoneBy === undefined && request.kind !== 'undo' && done.length > 0;

/** @throws InspectorError not_found */
function named({ workspace: { journal } }: Run, id: string): Kept {
  const receipt = journal.receipt(id);
  if (receipt === undefined) {
    throw new InspectorError('not_found', `There is no receipt "${id}".`, { remedy: 'List them with `receipts`.' });
  }
  const location = journal.intent(id)?.location;
  return { receipt, ...(location === undefined ? {} : { location }) };
}

/** @throws InspectorError no_store, with the option that opens it */
function assertOpen({ workspace }: Run, { receipt: { id, store }, location }: Kept): void {
  if (workspace.stores.list().some((info) => info.id === store)) return;
  throw new InspectorError('no_store', `Receipt ${id} is of the store "${store}", which is not open by this name.`, {
    remedy: `Run: checkpoint-inspector undo ${id} -s ${store}=${location ?? '<path>'}`,
  });
}
