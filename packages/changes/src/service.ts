import {
  compact,
  InspectorError,
  isChangeable,
  PLAN_LIST_SHOWN,
  shownRequest,
  sortedPage,
  stepNameOf,
  stepOfRemoved,
  withOptions,
  type CallOptions,
  type ChangeRequest,
  type CheckpointSource,
  type Page,
  type PlanItem,
  type PlanList,
  type PlanView,
  type Receipt,
  type StoreId,
  type StoreInfo,
} from '@checkpoint-inspector/core';
import type { JournalQuery, TrashRow } from './journal/types.ts';
import { ENGINES, holdMs } from '@checkpoint-inspector/io';
import { randomBytes } from 'node:crypto';
import { createBin } from './trash.ts';
import { PLAN_MINUTES, PlanShelf, refuseReadOnly } from './plans.ts';
import { checkPreconditions } from './preconditions.ts';
import { planPrune } from './prune.ts';
import { interruptedChanges, isOpenIn, recoverIntents, runChange } from './run.ts';
import { ownPlaceOf, sourceOf } from './store.ts';
import type {
  ChangeDeps,
  ChangeEvent,
  ChangeService,
  Context,
  PlannedChange,
  ReadyChange,
  TrashItem,
  TrashBin,
} from './types.ts';
import { planUndo, undoable } from './undo.ts';

/** The one service through which stores are changed. */
export function createChangeService(deps: ChangeDeps): ChangeService {
  const context: Context = { ...deps, now: deps.now ?? (() => new Date()), executors: deps.executors ?? ENGINES };
  const shelf = new PlanShelf(context.now);
  const listeners = new Set<(event: ChangeEvent) => void>();
  const inTurn = createTurns();
  const bin = createBin(deps);
  const tell = (receipt: Receipt) => notify(listeners, receipt);

  /** One change at a time per store; what an earlier one left open is ended first. */
  const run = (change: ReadyChange): Promise<Receipt> =>
    inTurn(change.view.store, async () => {
      const { engine, place } = change.job;
      await recoverIntents(context, (intent) => intent.engine === engine && intent.place === place, tell);
      const receipt = await runChange(context, change);
      tell(receipt);
      return one(await withUndoable(context, [receipt]), receipt);
    });

  return {
    async preview(store, request, options = {}) {
      const change = await planChange(context, store, request, options).catch(rethrow);
      shelf.put({ ...change, ...compact({ proposal: options.proposal }) });
      return shown(change.view);
    },
    async planItems(planId, part, query = {}) {
      const { view, skipped = [] } = shelf.look(planId);
      return pageOfItems(part === 'skipped' ? skipped : view[part].items, query);
    },
    async apply(planId) {
      refuseReadOnly(context.readOnly);
      const change = shelf.take(planId);
      try {
        return await run(ready(change));
      } catch (error) {
        shelf.put(change);
        return rethrow(error);
      }
    },
    async check(planId) {
      const change = shelf.look(planId);
      try {
        await checkPreconditions(context.sources(change.view.store), ready(change));
        return undefined;
      } catch (error) {
        return InspectorError.from(error);
      }
    },
    async undo(receiptId) {
      refuseReadOnly(context.readOnly);
      const change = await planUndo(context, receiptId, frame(context));
      return run(change).catch(rethrow);
    },
    async receipts(query) {
      const page = context.journal.receipts(placed(context, query));
      return { ...page, items: await withUndoable(context, page.items) };
    },
    async receipt(id) {
      const receipt = context.journal.receipt(id);
      return receipt && one(await withUndoable(context, [receipt]), receipt);
    },
    async trash(query) {
      const page = context.journal.trash(placed(context, query));
      return { ...page, items: await withRestorable(context, page.items, bin) };
    },
    bin,
    recover: () => recoverIntents(context, (intent) => isOpenIn(context, intent), tell),
    interrupted: () => interruptedChanges(context),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

async function planChange(
  context: Context,
  store: StoreId,
  request: ChangeRequest,
  { signal }: CallOptions,
): Promise<PlannedChange> {
  if (request.kind === 'undo') return held(context, await planUndoIn(context, store, request.receiptId));
  const own = context.sources(store);
  const source = signal === undefined ? own : withOptions(own, { signal });
  const act = request.kind === 'prune' ? 'delete' : request.kind;
  if (!isChangeable(source)) throw notChangeable(source, act);
  if (request.kind === 'prune') return held(context, await planPrune(context, source, request, frame(context)));
  if (request.kind === 'fork' && request.history === true && source.info.forkHistory !== true)
    throw new InspectorError('unsupported', `A fork in ${source.info.label} leaves no choice of what is copied.`, {
      remedy: 'Fork without the history.',
    });
  const { view, job } = await source.plan(request);
  const lists = { removes: await called(source, view.removes), evicts: await called(source, view.evicts) };
  return held(context, {
    view: { ...view, ...lists, ...frame(context), request: await shownRequest(view.request) },
    job,
  });
}

/** With how long the store is held, where the system's plan doesn't say. */
function held(context: Context, { view, job, ...rest }: PlannedChange): PlannedChange {
  if (view.holdsMs !== undefined || !job) return { view, ...compact({ job }), ...rest };
  const lists: readonly PlanList<PlanItem>[] = [view.writes, view.moves, view.removes, view.evicts];
  const bytes = lists.reduce((sum, list) => sum + bytesIn(list), 0);
  const isOwn = context.sources(view.store).info.system === 'native';
  const holdsMs = holdMs(job, { rows: view.writes.count, bytes: Math.max(bytes, view.bytesFreed), isOwn });
  return { view: { ...view, ...compact({ holdsMs }) }, job, ...rest };
}

/** Of a long list the first tell how large the others are. */
function bytesIn({ count, items }: PlanList<PlanItem>): number {
  const bytes = items.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
  return items.length === 0 ? 0 : (bytes / items.length) * count;
}

/** So many are asked for; of more, the ids say as much. */
const MOST_ASKED = 24;

/** With what those are called that a change takes away: afterwards the store can't be asked. */
async function called<T extends PlanItem>(
  source: CheckpointSource,
  { count, items }: PlanList<T>,
): Promise<PlanList<T>> {
  const named = items.slice(0, MOST_ASKED).map(async (item) => {
    const meta = item.step ? undefined : await source.meta(item.ref).catch(() => undefined);
    return meta ? { ...item, step: stepNameOf(meta) } : item;
  });
  return { count, items: [...(await Promise.all(named)), ...items.slice(MOST_ASKED)] };
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
function ready(change: PlannedChange): ReadyChange {
  const { job } = change;
  if (job) return { ...change, job };
  throw new InspectorError('invalid_input', 'No checkpoints match this policy. Nothing was changed.', {
    remedy: 'Choose a different age, number, status or text.',
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
  return new InspectorError('unsupported', reason === true ? `${info.label} is open read-only.` : reason);
}

function rethrow(error: unknown): never {
  throw InspectorError.from(error);
}

async function withUndoable(context: Context, receipts: readonly Receipt[]): Promise<Receipt[]> {
  const answers = await undoable(context, receipts);
  return receipts.map((receipt, at) => ({
    ...receipt,
    store: nameNow(context, receipt.id, receipt.store),
    undoable: answers[at] ?? receipt.undoable,
  }));
}

function placed(context: Context, query: JournalQuery = {}): JournalQuery {
  const { store } = query;
  return store === undefined ? query : { ...query, ...compact({ place: ownPlaceOf(context, store) }) };
}

/** The name that the store of a change has now; where it isn't open, the one that it had. */
function nameNow(context: Context, id: string, store: StoreId): StoreId {
  const location = context.journal.location(id);
  if (context.open === undefined || location === undefined) return store;
  return sourceOf(context, { store, location })?.info.id ?? store;
}

function one(receipts: readonly Receipt[], otherwise: Receipt): Receipt {
  return receipts[0] ?? otherwise;
}

async function withRestorable(context: Context, rows: readonly TrashRow[], bin: TrashBin): Promise<TrashItem[]> {
  const ids = new Set(rows.map(({ receiptId }) => receiptId));
  const receipts = [...ids].flatMap((id) => context.journal.receipt(id) ?? []);
  const known = new Map((await withUndoable(context, receipts)).map((receipt) => [receipt.id, receipt]));
  return rows.map((row) => {
    const receipt = known.get(row.receiptId);
    return {
      ...row,
      store: nameNow(context, row.receiptId, row.store),
      expiresAt: bin.keptUntil(row.deletedAt),
      restorable: receipt?.undoable ?? 'Its receipt no longer exists.',
      ...compact({ step: receipt && stepOfRemoved(receipt, row.ref) }),
    };
  });
}

/** Runs the work of one key one after the other; work of other keys does not wait. */
function createTurns() {
  const tails = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = (tails.get(key) ?? Promise.resolve()).then(work, work);
    const end = (): void => {
      if (tails.get(key) === turn) tails.delete(key);
    };
    tails.set(key, turn);
    turn.then(end, end);
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
