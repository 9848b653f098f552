import type { Receipt, ShownRequest } from '@checkpoint-inspector/core';
import { limitOf, LIMIT_OPTION } from '../limit.ts';
import { print, table, whole } from '../output.ts';
import { belongsHere, receiptsOf } from '../receipts.ts';
import type { Kept } from '../receipts.ts';
import type { Run } from '../workspace.ts';
import { withStores } from '../verbs.ts';
import type { Common, Verbs } from '../verbs.ts';

interface ReceiptsOptions extends Common {
  readonly limit?: string;
}

export function addReceipts(verbs: Verbs): void {
  verbs
    .overStores('receipts', {
      group: 'change',
      about: 'list what was changed, newest first, and what can be undone; -s narrows to a store',
      examples: ['receipts', 'receipts -s ./checkpoints.sqlite', 'receipts --limit 5 --json'],
    })
    .option(...LIMIT_OPTION)
    .action((options: ReceiptsOptions) =>
      withStores(verbs, { ...options, readOnly: false, recover: false, mayBeEmpty: true }, (run) =>
        receipts(run, options),
      ),
    );
}

/** `receipts`: every change that was made from here. */
async function receipts({ workspace, output }: Run, options: ReceiptsOptions): Promise<void> {
  const limit = limitOf(output, options.limit);
  const kept: Kept[] = [];
  let more = false;
  for (const one of receiptsOf(workspace.journal)) {
    if (options.store !== undefined && !belongsHere(workspace, one)) continue;
    more = kept.length >= limit;
    if (more) break;
    kept.push(one);
  }
  const items: Receipt[] = [];
  for (const { receipt } of kept) items.push((await workspace.changes.receipt(receipt.id)) ?? receipt);
  print(output, { items }, () => [
    ...(items.length === 0 ? ['Nothing was changed yet.'] : []),
    ...(items.length === 0 ? [] : table(COLUMNS, items.map(cells), output.terminal)),
    ...(more ? ['There are older ones: --limit <n>, or --limit all'] : []),
  ]);
}

const COLUMNS = [whole('RECEIPT'), 'WHEN', 'WHAT', 'STORE', 'TASK', 'DONE', 'UNDO', 'NEXT'];

const cells = (receipt: Receipt): string[] => [
  receipt.id,
  receipt.appliedAt,
  what(receipt.request),
  receipt.store,
  receipt.targetTask ?? receipt.task,
  doneWords(receipt),
  undoWords(receipt),
  receipt.next ?? '',
];

function what(request: ShownRequest): string {
  if (request.kind === 'undo') return `undo ${request.receiptId}`;
  if (request.kind === 'prune') return 'prune';
  if (request.kind !== 'delete') return `${request.kind} ${request.ref.id}`;
  const [first, ...others] = request.refs;
  return `delete ${first?.id ?? ''}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

function doneWords({ written, removed, failed }: Receipt): string {
  const parts = [
    [written.length, 'written'],
    [removed.length, 'removed'],
    [failed.length, 'failed'],
  ] as const;
  const words = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return words.length === 0 ? 'nothing' : words.join(', ');
}

function undoWords({ undoneBy, undoable }: Receipt): string {
  if (undoneBy !== undefined) return `undone by ${undoneBy}`;
  return undoable === true ? 'yes' : `no: ${undoable}`;
}
