/** The save that an agent proposes: its plan, and how a person's decision is carried out. */
import {
  compact,
  emptyPlanLists,
  InspectorError,
  planList,
  sameRef,
  sha256Hex,
  type CheckpointMeta,
  type CheckpointRef,
  type PlanView,
  type Receipt,
  type ShownSave,
} from '@checkpoint-inspector/core';
import type { AgentRecords, ProposalRecords, SaveRequest } from '@checkpoint-inspector/changes';
import { randomBytes } from 'node:crypto';
import type { Kind } from '../proposals/service.ts';
import type { StoreService } from '../stores/types.ts';
import { ownOf, placeIn, saveThroughGate, type GateDeps, type GateSave } from './gate.ts';

/** As long as a plan of a change lives. */
const PLAN_MS = 15 * 60_000;
/** A person has few pages open. */
const MAX_PLANS = 20;

interface SaveDeps {
  readonly stores: Pick<StoreService, 'list' | 'source' | 'touch'>;
  readonly changes: GateDeps['changes'];
  readonly records: AgentRecords | undefined;
  readonly proposals: ProposalRecords | undefined;
}

interface Planned {
  readonly view: PlanView;
  readonly save: GateSave;
  readonly proposal: string | undefined;
}

/** @example createProposals({ changes, records, stores, readOnly, save: createSaveKind({ stores, changes, records: journal.agents, proposals: records }) }) */
export function createSaveKind(deps: SaveDeps): Kind<SaveRequest> {
  const plans = new Map<string, Planned>();
  return {
    async plan(_changes, store, request, { proposal }) {
      const { kind: _kind, client, ...checkpoint } = request;
      const source = deps.stores.source(store);
      if (source.save === undefined || deps.records === undefined)
        throw new InspectorError('unsupported', `${source.info.label} can't be saved to from here.`);
      const at = { store: placeIn(deps.stores, source), task: request.task };
      const savable = Object.assign(source, { save: source.save });
      const evicts = (await source.evictedNext?.(request.task)) ?? [];
      const own = await ownOf(deps.records, { source: savable, at, client }, evicts);
      const decided = evicts.filter((ref) => !own.some((one) => sameRef(one, ref)));
      const view = await viewOf({ request, source: savable, own, others: decided });
      plans.set(view.id, { view, proposal, save: { source: savable, at, client, checkpoint, decided } });
      for (const id of [...plans.keys()].slice(0, -MAX_PLANS)) plans.delete(id);
      return view;
    },
    async apply(_changes, planId) {
      const planned = plans.get(planId);
      plans.delete(planId);
      if (planned === undefined || Date.parse(planned.view.expiresAt) <= Date.now())
        throw new InspectorError('plan_expired', 'This plan has expired or was already applied.');
      return applied(deps, planned);
    },
  };
}

async function applied(
  { stores, changes, records, proposals }: SaveDeps,
  { view, save, proposal }: Planned,
): Promise<Receipt> {
  if (records === undefined || proposals === undefined || proposal === undefined)
    throw new InspectorError('unsupported', 'Only a proposal in the journal is applied.');
  proposals.take(proposal);
  try {
    const answer = await saveThroughGate({ changes, records }, save);
    if ('reason' in answer) throw new InspectorError('changed', answer.reason);
    proposals.done(proposal, answer.receipts[0]);
    stores.touch(view.store, view.task);
    return receiptOf(view, save, answer);
  } catch (error) {
    proposals.giveBack(proposal);
    throw error;
  }
}

async function viewOf({
  request,
  source,
  own,
  others,
}: {
  readonly request: SaveRequest;
  readonly source: GateSave['source'];
  readonly own: readonly CheckpointRef[];
  readonly others: readonly CheckpointRef[];
}): Promise<PlanView> {
  const { task, id, text } = request;
  const latestBefore = await source.latest(task);
  return {
    id: randomBytes(18).toString('base64url'),
    expiresAt: new Date(Date.now() + PLAN_MS).toISOString(),
    request: await shownSave(request),
    store: source.info.id,
    task,
    preconditions: [],
    ...emptyPlanLists(),
    writes: planList([{ ref: { task, id }, reason: `saved by ${request.client}`, sizeBytes: Buffer.byteLength(text) }]),
    removes: planList(others.map((ref) => ({ ref, reason: 'the task is full; moved to the trash first' }))),
    evicts: planList(own.map((ref) => ({ ref, reason: `saved by ${request.client} itself`, when: 'now' as const }))),
    warnings: [],
    latestBefore,
    bytesFreed: 0,
  };
}

async function shownSave({ task, text, description }: SaveRequest): Promise<ShownSave> {
  const textHash = await sha256Hex(text);
  return { kind: 'save', task, textHash, textBytes: Buffer.byteLength(text), ...compact({ description }) };
}

/** What made room has its own receipt in the journal, which undoes it; the save itself is undone by deleting it. */
function receiptOf(
  view: PlanView,
  { source, decided = [] }: GateSave,
  { meta, receipts }: { readonly meta: CheckpointMeta; readonly receipts: readonly string[] },
): Receipt {
  const ref = { task: view.task, id: meta.id };
  const [receipt] = receipts;
  return {
    id: receipt ?? view.id,
    planId: view.id,
    request: view.request,
    store: source.info.id,
    task: view.task,
    appliedAt: new Date().toISOString(),
    done: [`saved ${meta.id}`, ...(receipt === undefined ? [] : decided.map(({ id }) => `moved ${id} to the trash`))],
    failed: [],
    written: [ref],
    removed: receipt === undefined ? [] : decided,
    latestNow: { ref, basis: 'rule' },
    proof: 'none',
    undoable: 'To undo a save, delete its checkpoint.',
  };
}
