/** Why a checkpoint that a link names is missing: in the trash, deleted, evicted by the store's own limit, or never there. */
import { compact, everyPage, refIn } from '@checkpoint-inspector/core';
import type { CheckpointRef, CheckpointSource, Page, Receipt } from '@checkpoint-inspector/core';
import type { ChangeService, TrashItem } from '@checkpoint-inspector/changes';

interface GoneQuery {
  readonly id: string;
  /** Absent: any task. */
  readonly task?: string | undefined;
  /** '' is the default namespace; absent: any. */
  readonly ns?: string | undefined;
}

export type Gone =
  /** It is there after all. */
  | { readonly state: 'here'; readonly ref: CheckpointRef }
  | { readonly state: 'trash'; readonly item: TrashItem }
  /** A change made here removed it, and its trash is gone as well or it was undone. */
  | { readonly state: 'deleted'; readonly receiptId: string; readonly at: string; readonly byUndo: boolean }
  /** It was there: a child names it, or a receipt does. `rule`: the limit of the store, in its words. */
  | { readonly state: 'evicted'; readonly rule?: string; readonly child?: CheckpointRef; readonly receiptId?: string }
  | { readonly state: 'never' };

const PAGES = 20;

type Changes = Pick<ChangeService, 'trash' | 'receipts'>;

/** @example await whereIs(source, changes, { task: 'run-1', id: 'ckpt-01' }) // { state: 'evicted', rule: 'Keeps 10 …' } */
export async function whereIs(source: CheckpointSource, changes: Changes, query: GoneQuery): Promise<Gone> {
  const isWanted = (ref: CheckpointRef): boolean =>
    ref.id === query.id &&
    (query.task === undefined || ref.task === query.task) &&
    (query.ns === undefined || (ref.namespace ?? '') === query.ns);
  const here = (await source.find(query.id)).find(isWanted);
  if (here !== undefined) return { state: 'here', ref: here };
  const store = source.info.id;
  const item = await findIn(
    (cursor) => changes.trash({ store, ...cursor }),
    (one) => isWanted(one.ref),
  );
  if (item !== undefined) return { state: 'trash', item };
  const receipt = await findIn(
    (cursor) => changes.receipts({ store, ...cursor }),
    (one) => names(one, isWanted),
  );
  if (receipt !== undefined && isRemoved(receipt, isWanted)) {
    const byUndo = receipt.undoneBy !== undefined || receipt.request.kind === 'undo';
    return { state: 'deleted', receiptId: receipt.id, at: receipt.appliedAt, byUndo };
  }
  const child = await childOf(source, query.task, isWanted);
  if (receipt === undefined && child === undefined) return { state: 'never' };
  const rule = source.info.notes?.find((note) => /^keeps? /i.test(note));
  return { state: 'evicted', ...compact({ rule, child, receiptId: receipt?.id }) };
}

type IsWanted = (ref: CheckpointRef) => boolean;

function names({ written, removed, request }: Receipt, isWanted: IsWanted): boolean {
  const asked = 'ref' in request ? [request.ref] : request.kind === 'delete' ? request.refs : [];
  return [...written, ...removed, ...asked].some(isWanted);
}

/** Removed by the change itself, or written by one that was undone. */
function isRemoved({ written, removed, undoneBy }: Receipt, isWanted: IsWanted): boolean {
  return undoneBy === undefined ? removed.some(isWanted) : written.some(isWanted);
}

/** A checkpoint whose parent edge names the wanted one. */
async function childOf(
  source: CheckpointSource,
  task: string | undefined,
  isWanted: IsWanted,
): Promise<CheckpointRef | undefined> {
  if (task === undefined) return undefined;
  for await (const row of source.lineage(task)) {
    if (row.parent !== undefined && isWanted(row.parent)) return refIn(task, row);
  }
  return undefined;
}

/** The first hit of a paged list, newest first; very old pages are not looked at. */
async function findIn<T>(
  load: (at: { limit: number; cursor?: string }) => Promise<Page<T>>,
  isHit: (item: T) => boolean,
): Promise<T | undefined> {
  let pages = 0;
  for await (const { items } of everyPage(load)) {
    const hit = items.find(isHit);
    pages += 1;
    if (hit !== undefined || pages === PAGES) return hit;
  }
  return undefined;
}
