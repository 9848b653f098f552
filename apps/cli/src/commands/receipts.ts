import { isAbsolute } from 'node:path';
import { compact, InspectorError, type Receipt, type ShownRequest, type StoreId } from '@checkpoint-inspector/core';
import { commandLine } from '../command-line.ts';
import { limitOf, LIMIT_OPTION, print, printable, table, whole } from '../output.ts';
import { interruptedLine, recoveredLine } from '../interrupted.ts';
import { tellIn, type Run, type Workspace } from '../workspace.ts';
import { withStores, type Listing, type Verbs } from '../verbs.ts';
import { sourceOf, type Journal, type RecoveredIntent } from '@checkpoint-inspector/changes';
import { change, type ChangeOptions } from './change.ts';

export function addReceipts(verbs: Verbs): void {
  verbs
    .overStores('receipts', {
      group: 'change',
      about: 'list changes, newest first, and whether they can be undone; -s limits the list to one store',
      examples: ['receipts', 'receipts -s ./checkpoints.sqlite', 'receipts --limit 5 --json'],
    })
    .option(...LIMIT_OPTION)
    .action((options: Listing) =>
      withStores(verbs, { ...options, readOnly: false, recover: false, mayBeEmpty: true }, (run) =>
        receipts(run, options),
      ),
    );
}

async function receipts({ workspace, output }: Run, options: Listing): Promise<void> {
  const limit = limitOf(output, options.limit);
  const kept: Kept[] = [];
  let more = false;
  for (const one of receiptsOf(workspace.journal)) {
    if (options.store !== undefined && storeOf(workspace, one.receipt.store, one.location) === undefined) continue;
    more = kept.length >= limit;
    if (more) break;
    kept.push(one);
  }
  const { changes } = await workspace.inspector();
  const interrupted = (await changes.interrupted()).filter(
    ({ store, location }) => options.store === undefined || storeOf(workspace, store, location) !== undefined,
  );
  const items: Receipt[] = [];
  for (const { receipt } of kept) items.push((await changes.receipt(receipt.id)) ?? receipt);
  print(output, { items, ...(interrupted.length === 0 ? {} : { interrupted }) }, () => [
    ...interrupted.map(interruptedLine),
    ...(items.length === 0 && interrupted.length === 0 ? ['No changes yet.'] : []),
    ...(items.length === 0 ? [] : table(COLUMNS, items.map(cells), output.terminal)),
    ...(more ? ['Show older ones with --limit <n> or --limit all'] : []),
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

export function what(request: ShownRequest): string {
  if (request.kind === 'undo') return `undo ${request.receiptId}`;
  if (request.kind === 'prune' || request.kind === 'save') return request.kind;
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

/** A receipt with the place of its store. */
interface Kept {
  readonly receipt: Receipt;
  readonly location?: string;
}

/** All that the journal keeps, newest first. */
function* receiptsOf(journal: Journal): Generator<Kept> {
  let cursor: string | undefined;
  do {
    const page = journal.receipts(compact({ limit: 1000, cursor }));
    for (const receipt of page.items) yield compact({ receipt, location: journal.intent(receipt.id)?.location });
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** The store of a change, if it is open: under whatever name. */
export function storeOf({ stores }: Workspace, store: StoreId, location: string | undefined): StoreId | undefined {
  const open = () => stores.list().map(({ id }) => id);
  return sourceOf({ sources: (name) => stores.source(name), open }, compact({ store, location }))?.info.id;
}

export function addUndo(verbs: Verbs): void {
  verbs.planned
    .overStores('undo [receipt]', {
      group: 'change',
      about: 'undo a change; default: the last one in the open stores',
      examples: ['undo -s ./checkpoints.sqlite', 'undo --dry-run', 'undo 4eadca4f-77cd-422a-a0fa-2cdc5d6ad0e7 --yes'],
    })
    .action((receipt: string | undefined, options: ChangeOptions) =>
      withStores(verbs, { ...options, readOnly: options.dryRun ?? false, recover: false }, (run) =>
        undo(run, receipt, options),
      ),
    );
}

async function undo(run: Run, receiptId: string | undefined, options: ChangeOptions): Promise<void> {
  const cut = await (options.dryRun ? showInterrupted(run, receiptId) : undoInterrupted(run, receiptId));
  if (cut === 'ended') return;
  const id = cut?.undoOf ?? receiptId;
  const kept = id === undefined ? lastIn(run) : named(run, id);
  const store = openStoreOf(run, kept);
  const { receipt } = kept;
  await change(run, store, { kind: 'undo', receiptId: receipt.id }, options, [aboutUndo(receipt)]);
}

/** @example 'this undoes: restore ckpt_07, applied 2026-01-01T00:00:00.000Z, receipt 0123' */
const aboutUndo = ({ id, request, appliedAt }: Receipt): string =>
  printable(`this undoes: ${what(request)}, applied ${appliedAt}, receipt ${id}`);

/** Where nothing is left to do, or the receipt whose undo was cut off and has to be made again. */
type Cut = 'ended' | { readonly undoOf: string } | undefined;

/** An interrupted change is what would be undone, and nothing else. */
async function showInterrupted({ workspace, output }: Run, receiptId: string | undefined): Promise<Cut> {
  const interrupted = (await (await workspace.inspector()).changes.interrupted()).filter(
    (one) => isMeant(one, receiptId) && storeOf(workspace, one.store, one.location) !== undefined,
  );
  if (interrupted.length > 0) print(output, { interrupted }, () => interrupted.map(interruptedLine));
  return interrupted.length > 0 ? 'ended' : undefined;
}

/** Who wants an interrupted change undone, or its undo continued, must not lose the change before it. */
async function undoInterrupted({ workspace, output }: Run, receiptId: string | undefined): Promise<Cut> {
  const recovered = await (await workspace.inspector()).changes.recover();
  for (const one of recovered) tellIn(output, recoveredLine(one));
  const meant = recovered.filter((one) => isMeant(one, receiptId));
  const ended = meant.filter(
    ({ request, outcome }) => outcome === (request.kind === 'undo' ? 'completed' : 'rolled-back'),
  );
  for (const { receipt } of ended) if (receipt && output.json) output.line(JSON.stringify(receipt));
  if (ended.length > 0) return 'ended';
  const [undoOf] = meant.flatMap(({ request, outcome }) =>
    request.kind === 'undo' && outcome === 'rolled-back' ? [request.receiptId] : [],
  );
  return undoOf === undefined ? undefined : { undoOf };
}

/** The change itself, or its undo. */
const isMeant = ({ id, request }: Pick<RecoveredIntent, 'id' | 'request'>, receiptId: string | undefined): boolean =>
  receiptId === undefined || id === receiptId || (request.kind === 'undo' && request.receiptId === receiptId);

/** @throws InspectorError not_found */
function lastIn({ workspace }: Run): Kept {
  for (const kept of receiptsOf(workspace.journal)) {
    if (!canBeUndone(kept.receipt)) continue;
    if (storeOf(workspace, kept.receipt.store, kept.location) !== undefined) return kept;
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
  return compact({ receipt, location: journal.intent(id)?.location });
}

/** @throws InspectorError no_store, with the option that opens it */
function openStoreOf({ workspace }: Run, kept: Kept): StoreId {
  const { receipt, location } = kept;
  const store = storeOf(workspace, receipt.store, location);
  if (store !== undefined) return store;
  throw new InspectorError(
    'no_store',
    `Receipt ${receipt.id} belongs to a store that isn't open: ${location ?? receipt.store}.`,
    {
      remedy: `Run: ${opening(location, 'undo', receipt.id)}`,
    },
  );
}

/** A command that opens the store at this place. */
export function opening(location: string | undefined, ...words: readonly string[]): string {
  const isPath = location !== undefined && isAbsolute(location);
  return `${commandLine(isPath ? { store: [location] } : {})(...words)}${isPath ? '' : ' -s <store>'}`;
}
