/** Changes that an agent would like and a person decides about. The journal holds them, for every process that opens it. */
import {
  alreadyDecided,
  foundProposal,
  sourceOf,
  type ChangeService,
  type ProposalRecord,
  type ProposalRecords,
  type ProposedRequest,
  type SaveRequest,
} from '@checkpoint-inspector/changes';
import { compact, InspectorError, sameRef } from '@checkpoint-inspector/core';
import type {
  CallOptions,
  ChangeRequest,
  CheckpointRef,
  Difference,
  PlanView,
  Precondition,
  Receipt,
  StoreId,
  Unwatch,
} from '@checkpoint-inspector/core';
import { planLines } from '../plan-lines.ts';
import type { StoreService } from '../stores/types.ts';

/** Who proposes, as it calls itself. */
export type Proposer = ProposalRecord['by'];

/** `plan`: what it does as things are now, where that can be told; else what it would have done when it was proposed. */
export interface Proposal extends ProposalRecord {
  /** Why it can't be applied as things are now; told by `get`. */
  readonly obstacle?: { readonly code: InspectorError['code']; readonly message: string };
  /** What it would have done when it was proposed, a line each, where that isn't what `plan` does; told by `get`. */
  readonly was?: readonly string[];
}

export interface Proposed {
  readonly store: StoreId;
  readonly request: ProposedRequest;
  readonly by: Proposer;
  readonly reason?: string | undefined;
  readonly edits?: readonly Difference[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Proposals {
  /** Plans the change and writes nothing to the store. @throws InspectorError read_only | busy (too many wait) | as `preview` */
  propose(proposal: Proposed): Promise<Proposal>;
  /** Newest first, with their plans of then. */
  list(): readonly Proposal[];
  /** Planned again, against the store as it is now. @throws InspectorError not_found */
  get(id: string): Promise<Proposal>;
  /** Applies a plan that `get` gave. @throws InspectorError invalid_input (it was decided already) | as `apply` of changes */
  apply(id: string, planId: string): Promise<Receipt>;
  /** @throws InspectorError not_found | invalid_input (it was decided already) | read_only */
  dismiss(id: string): Proposal;
  onChange(listener: (proposal: Proposal) => void): Unwatch;
}

type Changes = Pick<ChangeService, 'preview' | 'apply' | 'onChange'>;

/** How requests of a kind are planned, and applied by a plan that `plan` has given. */
export interface Kind<R extends ProposedRequest = ProposedRequest> {
  plan(
    changes: Changes,
    store: StoreId,
    request: R,
    options: CallOptions & { readonly proposal?: string },
  ): Promise<PlanView>;
  apply(changes: Changes, planId: string): Promise<Receipt>;
}

const CHANGE: Kind = {
  plan: (changes, store, request: ChangeRequest, options) => changes.preview(store, request, options),
  apply: (changes, planId) => changes.apply(planId),
};

/** The one place that tells kinds apart. */
const kindsWith = (save: Kind<SaveRequest>): Readonly<Record<ProposedRequest['kind'], Kind>> => ({
  restore: CHANGE,
  fork: CHANGE,
  edit: CHANGE,
  delete: CHANGE,
  prune: CHANGE,
  undo: CHANGE,
  save,
});

interface Deps {
  readonly changes: Changes;
  /** Without them nothing can be proposed. */
  readonly records: ProposalRecords | undefined;
  readonly stores: Pick<StoreService, 'list' | 'source' | 'mayKeep'>;
  readonly readOnly: boolean;
  readonly save: Kind<SaveRequest>;
}

/** @example const proposals = createProposals({ changes, records: journal.proposals, stores, readOnly }); */
export function createProposals({ changes, records, stores, readOnly, save }: Deps): Proposals {
  const kinds = kindsWith(save);
  const listeners = new Set<(proposal: Proposal) => void>();
  const tell = <T extends Proposal>(proposal: T): T => {
    for (const listener of listeners) listener(proposal);
    return proposal;
  };
  const writable = (): ProposalRecords => {
    if (readOnly) throw new InspectorError('read_only', 'The inspector was started with --read-only.');
    if (records) return records;
    throw new InspectorError('unsupported', 'There is no journal here to keep a proposal in.');
  };
  const open = () => stores.list().map(({ id }) => id);
  const storeOf = (record: ProposalRecord): StoreId | undefined =>
    sourceOf({ sources: (id) => stores.source(id), open }, record)?.info.id;
  /** Under the name that its store has now. */
  const named = (record: ProposalRecord): ProposalRecord => {
    const store = storeOf(record) ?? record.store;
    return { ...record, store, plan: { ...record.plan, store } };
  };
  const find = (id: string): ProposalRecord => foundProposal(records?.get(id), id);

  const planned = async (record: ProposalRecord): Promise<Pick<Proposal, 'plan' | 'was'>> => {
    const store = storeOf(record);
    if (store === undefined) throw notOpen(record);
    const request = records?.request(record.id);
    if (request === undefined) throw alreadyDecided(find(record.id).outcome);
    const plan = await kinds[request.kind].plan(changes, store, request, { proposal: record.id });
    refuseMoved(record.plan, plan);
    return outline(plan) === outline(named(record).plan) ? { plan } : { plan, was: planLines(record.plan) };
  };

  changes.onChange(({ receipt }) => {
    const applied = records?.ofReceipt(receipt.id);
    if (applied) tell(named(applied));
  });

  return {
    list: () => (records?.list() ?? []).map(named),
    async propose({ store, request, by, reason, edits, signal }) {
      const journal = writable();
      if ('text' in request && !stores.mayKeep(store)) throw notKept();
      const plan = await kinds[request.kind].plan(changes, store, request, compact({ signal }));
      const location = stores.source(store).info.identity;
      return tell(journal.add({ store, request, by, plan, ...compact({ location, reason, edits }) }));
    },
    async get(id) {
      const record = find(id);
      if (record.outcome !== 'open') return named(record);
      try {
        return { ...named(record), ...(await planned(record)) };
      } catch (error) {
        const { code, message } = InspectorError.from(error);
        const now = find(id);
        return now.outcome === 'open' ? { ...named(now), obstacle: { code, message } } : named(now);
      }
    },
    async apply(id, planId) {
      const request = writable().request(id);
      if (request === undefined) throw alreadyDecided(find(id).outcome);
      return kinds[request.kind].apply(changes, planId);
    },
    dismiss: (id) => tell(named(writable().dismiss(id))),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * What the agent saw and what a person would apply must be the same: where it rested on something else, it is refused.
 * @throws InspectorError head_moved | changed
 */
function refuseMoved(was: PlanView, now: PlanView): void {
  for (const condition of was.preconditions) {
    const same = now.preconditions.find((one) => isAbout(one, condition));
    if (condition.kind === 'head' && same?.kind === 'head' && same.ref?.id !== condition.ref?.id)
      throw new InspectorError(
        'head_moved',
        `The latest checkpoint of "${condition.task}" changed after the proposal.`,
      );
    if (condition.kind === 'revision' && same?.kind === 'revision' && same.revision !== condition.revision)
      throw new InspectorError('changed', `"${condition.ref.id}" was saved again after the proposal.`);
  }
}

function isAbout(one: Precondition, other: Precondition): boolean {
  if (one.kind === 'head' || other.kind === 'head')
    return one.kind === 'head' && other.kind === 'head' && one.task === other.task;
  return one.kind === other.kind && sameRef(one.ref, other.ref);
}

/** Equal for plans that do the same: each plan gives new ids to what it writes. */
function outline({ writes, latestAfter, ...plan }: PlanView): string {
  const nameless = (ref: CheckpointRef): CheckpointRef => ({ ...ref, id: 'new' });
  const isWritten = latestAfter && writes.items.some(({ ref }) => sameRef(ref, latestAfter));
  return planLines({
    ...plan,
    writes: { ...writes, items: writes.items.map((item) => ({ ...item, ref: nameless(item.ref) })) },
    ...compact({ latestAfter: latestAfter && isWritten ? nameless(latestAfter) : latestAfter }),
  }).join('\n');
}

function notOpen({ store, location }: ProposalRecord): InspectorError {
  return new InspectorError('no_store', `The store for this proposal isn't open: ${location ?? store}.`, {
    remedy: 'Open it and try again.',
    data: compact({ location }),
  });
}

/** The journal is readable on disk, and nobody has agreed that anything of this store is. */
function notKept(): InspectorError {
  return new InspectorError(
    'unsupported',
    'This store is encrypted or private, so no state for it is kept until a person decides.',
    {
      remedy: 'Propose a restore or a fork instead, or ask the person to make the change.',
    },
  );
}
