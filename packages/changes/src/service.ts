import {
  InspectorError,
  isChangeable,
  PLAN_LIST_SHOWN,
  shownRequest,
  sortedPage,
  type ChangeRequest,
  type CheckpointSource,
  type Page,
  type Plan,
  type PlanItem,
  type PlanList,
  type PlanView,
  type Receipt,
  type StoreId,
  type StoreInfo,
} from '@checkpoint-inspector/core';
import type { TrashRow } from './journal/types.ts';
import { randomBytes } from 'node:crypto';
import { createBin, type TrashBin } from './bin.ts';
import { PLAN_MINUTES, PlanShelf } from './plans.ts';
import { planPrune } from './prune.ts';
import { recoverIntents } from './recover.ts';
import { runChange } from './run.ts';
import type { ChangeDeps, ChangeEvent, ChangeService, Context, PlannedChange, TrashItem } from './types.ts';
import { planUndo, undoable } from './undo.ts';

/**
 * The one service through which stores are changed.
 * @example
 * const service = createChangeService({ journal, sources: (id) => stores.get(id), readOnly: false });
 * await service.recover();
 * const plan = await service.preview(store, { kind: 'restore', ref });
 * const receipt = await service.apply(plan.id);
 */
export function createChangeService(deps: ChangeDeps): ChangeService {
  const context: Context = { ...deps, now: deps.now ?? (() => new Date()), tables: new Map() };
  const shelf = new PlanShelf(context.now);
  const listeners = new Set<(event: ChangeEvent) => void>();
  const queue = createQueue();
  const bin = createBin(deps);
  const tell = (receipt: Receipt) => notify(listeners, receipt);

  /** One change at a time per store; what an earlier one left open is ended first. */
  const run = (change: PlannedChange): Promise<Receipt> =>
    queue(change.view.store, async () => {
      const { target } = change.job;
      if (target.kind !== 'memory') {
        await recoverIntents(context, (intent) => 'path' in intent.target && intent.target.path === target.path, tell);
      }
      const receipt = await runChange(context, change);
      tell(receipt);
      return withUndoable(context, receipt);
    });

  return {
    async preview(store, request) {
      const change = await planChange(context, store, request).catch(rethrow);
      shelf.put(change);
      return shown(change.view);
    },
    async planItems(planId, part, query = {}) {
      const { view, skipped = [] } = shelf.look(planId);
      return pageOfItems(part === 'skipped' ? skipped : view[part].items, query);
    },
    async apply(planId) {
      refuseReadOnly(context);
      const change = shelf.take(planId);
      try {
        refuseEmpty(change);
        return await run(change);
      } catch (error) {
        shelf.put(change);
        return rethrow(error);
      }
    },
    async undo(receiptId) {
      refuseReadOnly(context);
      const change = await planUndo(context, receiptId, frame(context));
      return run(change).catch(rethrow);
    },
    async receipts(query) {
      const page = context.journal.receipts(query);
      const items: Receipt[] = [];
      for (const receipt of page.items) items.push(await withUndoable(context, receipt));
      return { ...page, items };
    },
    async receipt(id) {
      const receipt = context.journal.receipt(id);
      return receipt && withUndoable(context, receipt);
    },
    async trash(query) {
      const page = context.journal.trash(query);
      return { ...page, items: await withRestorable(context, page.items, bin) };
    },
    bin,
    recover: () => recoverIntents(context, () => true, tell),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

async function planChange(context: Context, store: StoreId, request: ChangeRequest): Promise<PlannedChange> {
  if (request.kind === 'undo') return planUndoIn(context, store, request.receiptId);
  const source = context.sources(store);
  const act = request.kind === 'prune' ? 'delete' : request.kind;
  if (!isChangeable(source)) throw notChangeable(source, act);
  if (request.kind === 'prune') return keepTables(context, await planPrune(context, source, request, frame(context)));
  const { target, ops, checks, ...plan }: Plan = await source.plan(request);
  const view = { ...plan, ...frame(context), request: await shownRequest(plan.request) };
  return keepTables(context, { view, job: { target, ops, checks } });
}

function keepTables(context: Context, change: PlannedChange): PlannedChange {
  const { target, ops } = change.job;
  if (target.kind === 'memory' && ops.length > 0) context.tables.set(change.view.store, target.tables);
  return change;
}

/** Lists are cut only where a plan leaves the service; `planItems` gives the rest. */
function shown({ writes, removes, protected: kept, ...view }: PlanView): PlanView {
  return { ...view, writes: cut(writes), removes: cut(removes), protected: cut(kept) };
}

function cut<T>({ count, items }: PlanList<T>): PlanList<T> {
  return { count, items: items.slice(0, PLAN_LIST_SHOWN) };
}

function pageOfItems(
  items: readonly PlanItem[],
  { limit, cursor }: { limit?: number; cursor?: string },
): Page<PlanItem> {
  const placeOf = ({ ref }: PlanItem) => [ref.task, ref.namespace ?? '', ref.id];
  return sortedPage(items, { limit, cursor, placeOf, isAfter: () => false });
}

/** @throws InspectorError invalid_input */
function refuseEmpty({ view, job }: PlannedChange): void {
  if (view.request.kind !== 'prune' || job.ops.length > 0) return;
  throw new InspectorError('invalid_input', 'The policy lets nothing go, so nothing was changed.', {
    remedy: 'Choose another age, number, status or text.',
  });
}

async function planUndoIn(context: Context, store: StoreId, receiptId: string): Promise<PlannedChange> {
  const change = await planUndo(context, receiptId, frame(context));
  if (change.view.store === store) return change;
  throw new InspectorError(
    'invalid_input',
    `Receipt ${receiptId} belongs to store "${change.view.store}", not "${store}".`,
  );
}

/** The id cannot be guessed: whoever has it has seen the plan. */
function frame(context: Context): Pick<PlanView, 'id' | 'expiresAt'> {
  return {
    id: randomBytes(18).toString('base64url'),
    expiresAt: new Date(context.now().getTime() + PLAN_MINUTES * 60_000).toISOString(),
  };
}

function notChangeable({ info }: CheckpointSource, kind: keyof StoreInfo['capabilities']): InspectorError {
  const reason = info.capabilities[kind];
  return new InspectorError('unsupported', reason === true ? `${info.label} is open for reading only.` : reason);
}

function rethrow(error: unknown): never {
  throw InspectorError.from(error);
}

function refuseReadOnly({ readOnly }: Context): void {
  if (readOnly) throw new InspectorError('read_only', 'The program was started with --read-only.');
}

async function withUndoable(context: Context, receipt: Receipt): Promise<Receipt> {
  return { ...receipt, undoable: await undoable(context, receipt) };
}

async function withRestorable(context: Context, rows: readonly TrashRow[], bin: TrashBin): Promise<TrashItem[]> {
  const known = new Map<string, TrashItem['restorable']>();
  for (const { receiptId } of rows) {
    if (known.has(receiptId)) continue;
    const receipt = context.journal.receipt(receiptId);
    known.set(receiptId, receipt ? await undoable(context, receipt) : 'Its receipt is gone.');
  }
  return rows.map((row) => ({
    ...row,
    expiresAt: bin.keptUntil(row.deletedAt),
    restorable: known.get(row.receiptId) ?? 'Its receipt is gone.',
  }));
}

/** Runs the work of one key one after the other. */
function createQueue() {
  const tails = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = (tails.get(key) ?? Promise.resolve()).then(work, work);
    tails.set(key, turn);
    return turn;
  };
}

/** The change is done and kept, so a listener that fails must not make it look failed. */
function notify(listeners: ReadonlySet<(event: ChangeEvent) => void>, receipt: Receipt): void {
  const tasks = new Set([receipt.task, receipt.targetTask ?? receipt.task]);
  for (const listener of listeners) {
    for (const task of tasks) {
      try {
        listener({ store: receipt.store, task, receipt });
      } catch (error) {
        process.emitWarning(`A listener of changes failed: ${String(error)}`);
      }
    }
  }
}
