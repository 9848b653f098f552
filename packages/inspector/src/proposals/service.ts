/** Changes that an agent would like and a person decides about. In memory only, as the plans behind them. */
import { randomUUID } from 'node:crypto';
import { compact, InspectorError } from '@checkpoint-inspector/core';
import type { ChangeRequest, Difference, PlanView, StoreId, Unwatch } from '@checkpoint-inspector/core';
import type { ChangeService } from '@checkpoint-inspector/changes';

/** Who proposes, as it calls itself. */
export interface Proposer {
  readonly name: string;
  readonly version?: string;
}

export interface Proposal {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly by: Proposer;
  /** The agent's own words: nobody has checked them. */
  readonly reason?: string;
  /** What it will do, when a person applies it. */
  readonly plan: PlanView;
  /** Of an edit: the values that it changes. */
  readonly edits?: readonly Difference[];
  readonly outcome: 'open' | 'applied' | 'dismissed' | 'expired';
  /** Of one that was applied. */
  readonly receiptId?: string;
  /** Why it can't be applied as things are now; told by `get`. */
  readonly obstacle?: { readonly code: InspectorError['code']; readonly message: string };
}

export interface NewProposal {
  readonly store: StoreId;
  readonly request: ChangeRequest;
  readonly by: Proposer;
  readonly reason?: string | undefined;
  readonly edits?: readonly Difference[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Proposals {
  /** Plans the change and writes nothing. @throws InspectorError read_only | busy (too many wait) | as `preview` */
  propose(proposal: NewProposal): Promise<Proposal>;
  /** Newest first. */
  list(): readonly Proposal[];
  /** With a look at whether it can still be applied. @throws InspectorError not_found */
  get(id: string): Promise<Proposal>;
  /** @throws InspectorError not_found | invalid_input (it was decided already) */
  dismiss(id: string): Proposal;
  onChange(listener: (proposal: Proposal) => void): Unwatch;
}

/** An agent that proposes without end must not push the plans of people off their shelf. */
const MOST_OPEN = 20;
const KEPT = 60;

/** @example const proposals = createProposals({ changes, readOnly }); */
export function createProposals({
  changes,
  readOnly,
  now = Date.now,
}: {
  readonly changes: Pick<ChangeService, 'preview' | 'check' | 'onChange'>;
  readonly readOnly: boolean;
  readonly now?: () => number;
}): Proposals {
  const kept = new Map<string, Proposal>();
  const listeners = new Set<(proposal: Proposal) => void>();

  const put = (proposal: Proposal): Proposal => {
    kept.set(proposal.id, proposal);
    const oldest = kept.size > KEPT ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    for (const listener of listeners) listener(proposal);
    return proposal;
  };
  /** As of now: nobody tells when a plan has expired. */
  const current = (proposal: Proposal): Proposal =>
    proposal.outcome === 'open' && Date.parse(proposal.plan.expiresAt) <= now()
      ? { ...proposal, outcome: 'expired' }
      : proposal;
  const find = (id: string): Proposal => {
    const found = kept.get(id);
    if (found) return current(found);
    throw new InspectorError('not_found', `No proposal "${id}".`, {
      data: { id },
      remedy: 'Proposals are kept until the inspector stops. Ask the agent to propose it again.',
    });
  };
  const list = (): readonly Proposal[] => [...kept.values()].map(current).toReversed();

  changes.onChange(({ receipt }) => {
    const applied = [...kept.values()].find(({ plan, outcome }) => plan.id === receipt.planId && outcome === 'open');
    if (applied) put({ ...applied, outcome: 'applied', receiptId: receipt.id });
  });

  return {
    list,
    async propose({ store, request, by, reason, edits, signal }) {
      if (readOnly) throw new InspectorError('read_only', 'The inspector was started with --read-only.');
      if (list().filter(({ outcome }) => outcome === 'open').length >= MOST_OPEN) throw tooMany();
      const plan = await changes.preview(store, request, compact({ signal }));
      const at = new Date(now()).toISOString();
      return put({ id: randomUUID(), at, by, plan, outcome: 'open', ...compact({ reason, edits }) });
    },
    async get(id) {
      const found = find(id);
      if (found.outcome !== 'open') return found;
      const obstacle = await changes.check(found.plan.id).catch(InspectorError.from);
      return obstacle ? { ...found, obstacle: { code: obstacle.code, message: obstacle.message } } : found;
    },
    dismiss(id) {
      const found = find(id);
      if (found.outcome === 'open') return put({ ...found, outcome: 'dismissed' });
      throw new InspectorError('invalid_input', `This proposal was ${found.outcome} already.`);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function tooMany(): InspectorError {
  return new InspectorError('busy', `${MOST_OPEN} proposals are waiting for a person already.`, {
    remedy: 'Wait until a person has decided about some of them.',
  });
}
