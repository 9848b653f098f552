import { InspectorError, refKey, type CheckpointRef } from '@checkpoint-inspector/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Bot, Check, CircleCheck, Pencil, ShieldCheck, TriangleAlert } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { Button, ErrorState, Icon, LinkButton, Skeleton } from '../../components/index.ts';
import { checkpointPage, taskPage } from '../../lib/address.ts';
import { api, type Proposal } from '../../lib/api.ts';
import { formatTime, showId } from '../../lib/format.ts';
import { useTitle } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { proposalQuery, useStore } from '../../lib/queries.ts';
import { refresh } from '../../lib/refresh.ts';
import { ChangePreview } from '../change/ChangePreview.tsx';
import { FailureNote } from '../change/ChangeNotes.tsx';
import { useConfirmKeys } from '../change/ConfirmDialog.tsx';
import { DifferenceRows, DiffPreview } from '../change/DiffPreview.tsx';
import { useChangeBlock, useChangeDialog, useServerBlock } from '../change/index.tsx';
import { type Names, useNames } from '../change/names.ts';
import { sourceRefs, undoPromise } from '../change/sentences.ts';
import { editable, editBase, headingOf, standing } from './words.ts';
import './proposals.css';

const route = getRouteApi('/proposals/$id');

/** A change that an agent would like: who, why, what it would do, and the person's decision. */
export function ProposalRoute() {
  const { id } = route.useParams();
  const proposal = useQuery(proposalQuery(id));
  useTitle('Proposal');
  if (proposal.data) return <ProposalPage key={id} proposal={proposal.data} />;
  if (proposal.error)
    return (
      <ErrorState title="This proposal isn't here." error={proposal.error} onRetry={() => void proposal.refetch()} />
    );
  return <Skeleton rows={6} height={44} />;
}

function ProposalPage({ proposal }: { readonly proposal: Proposal }) {
  const { plan, by, at, reason, edits, was, obstacle } = proposal;
  const shown = useShown();
  const info = useStore(plan.store);
  const names = useNames(
    plan.store,
    useMemo(() => refsOf(proposal), [proposal]),
  );
  const decision = useDecision(proposal);
  const base = editBase(plan);
  return (
    <section
      className="proposal-page"
      aria-label="Proposal"
      data-testid="proposal-page"
      data-outcome={proposal.outcome}
    >
      <div className="proposal-body" tabIndex={0} aria-label="What it would do" role="group">
        <header className="proposal-head">
          <h1 className="page-title">{shown(headingOf(plan, names.nameOf))}</h1>
          <p className="proposal-by">
            <Icon of={Bot} />
            <span>
              Proposed by <b>{shown(by.name)}</b> over MCP, <time dateTime={at}>{formatTime(at)}</time>
              {by.version !== undefined && <span className="small muted"> · version {shown(by.version)}</span>}
            </span>
          </p>
        </header>
        <Standing proposal={proposal} />
        {decision.failure && plan.request.kind !== 'undo' && (
          <FailureNote error={decision.failure} kind={plan.request.kind} />
        )}
        {reason !== undefined && (
          <section className="proposal-part">
            <h2>
              Why <span className="small muted">the agent's words, not checked</span>
            </h2>
            <blockquote className="proposal-why" data-testid="proposal-reason">
              {shown(reason)}
            </blockquote>
          </section>
        )}
        {edits !== undefined && (
          <section className="proposal-part" data-testid="proposal-edits">
            <h2>What the edit changes</h2>
            <DifferenceRows items={edits} />
          </section>
        )}
        {was !== undefined && (
          <section className="proposal-part" data-testid="proposal-was">
            <h2>What the agent was shown; the store has changed since</h2>
            <pre className="proposal-why">{shown(was.join('\n'))}</pre>
          </section>
        )}
        {base !== undefined && obstacle?.code !== 'no_store' && (
          <div className="proposal-plan">
            <DiffPreview store={plan.store} {...base} nameOf={names.nameOf} />
          </div>
        )}
        <div className="proposal-plan">
          <ChangePreview
            store={plan.store}
            plan={plan}
            names={names}
            latestRule={info?.latestRule ?? 'unknown so far'}
          />
        </div>
      </div>
      <Aside proposal={proposal} names={names} />
      <Foot proposal={proposal} names={names} decision={decision} />
    </section>
  );
}

function Standing({ proposal }: { readonly proposal: Proposal }) {
  const shown = useShown();
  const { lead, rest } = standing(proposal);
  return (
    <p className="proposal-standing" role="status" data-testid="proposal-standing">
      <Icon of={proposal.outcome === 'applied' ? CircleCheck : ShieldCheck} size={16} />
      <span>
        <b>{lead}</b> {shown(rest)}
      </span>
    </p>
  );
}

/** Checks, what happens without a decision, and where to look further. */
function Aside({ proposal, names }: { readonly proposal: Proposal; readonly names: Names }) {
  const shown = useShown();
  const { plan, obstacle, outcome, was, expiresAt } = proposal;
  const [source] = plan.request.kind === 'undo' ? [] : sourceRefs(plan.request);
  const latest = plan.latestBefore.ref;
  return (
    <aside className="proposal-aside" aria-label="Checks">
      {outcome === 'open' && (
        <section>
          <h2>Checks</h2>
          <p className={obstacle ? 'proposal-check bad' : 'proposal-check'} data-testid="proposal-check">
            <Icon of={obstacle ? TriangleAlert : CircleCheck} />
            {obstacle
              ? shown(obstacle.message)
              : was === undefined
                ? 'The plan is up to date: nothing it rests on has changed.'
                : 'It can be applied, but does something else now than when it was proposed.'}
          </p>
          <h2>If you do nothing</h2>
          <p className="muted">
            The proposal waits until <time dateTime={expiresAt}>{formatTime(expiresAt)}</time>, also when the agent or
            this server ends. Nothing is changed.
          </p>
        </section>
      )}
      <section>
        <h2>Links</h2>
        {source !== undefined && (
          <Link className="link" {...checkpointPage(plan.store, source)}>
            Open {names.nameOf(source)}
          </Link>
        )}
        {latest !== undefined && (
          <Link className="link" {...checkpointPage(plan.store, latest)}>
            Open {names.nameOf(latest)}, the latest
          </Link>
        )}
        <Link className="link" {...taskPage(plan.store, plan.task)}>
          Open {showId(plan.task)}
        </Link>
      </section>
    </aside>
  );
}

type Decision = ReturnType<typeof useDecision>;

function Foot({
  proposal,
  names,
  decision,
}: {
  readonly proposal: Proposal;
  readonly names: Names;
  readonly decision: Decision;
}) {
  const { outcome, plan } = proposal;
  if (outcome !== 'open')
    return (
      <footer className="proposal-foot">
        <span className="end" />
        <LinkButton to="/inbox">Go to the inbox</LinkButton>
        {outcome === 'applied' && <LinkButton to="/activity">Go to activity</LinkButton>}
      </footer>
    );
  return (
    <footer className="proposal-foot">
      <p className="small muted">{undoPromise(plan, names.nameOf)}</p>
      <span className="end" />
      <Button size="lg" onClick={decision.dismiss} disabledReason={decision.block} data-testid="dismiss-proposal">
        Dismiss
      </Button>
      <ChangeFirst proposal={proposal} />
      <Button
        size="lg"
        variant="primary"
        icon={Check}
        kbd="Ctrl ↵"
        aria-keyshortcuts="Control+Enter Meta+Enter"
        aria-busy={decision.isRunning}
        disabledReason={decision.applyBlock}
        onClick={decision.apply}
        data-testid="apply-proposal"
      >
        {decision.isRunning ? 'Applying…' : 'Apply'}
      </Button>
    </footer>
  );
}

/** To the editor, which begins with what the agent wants. */
function ChangeFirst({ proposal: { id, plan } }: { readonly proposal: Proposal }) {
  const navigate = useNavigate();
  const ref = editable(plan);
  const block = useChangeBlock(plan.store)('edit');
  if (ref === undefined) return null;
  const open = (): void =>
    void navigate({
      to: '/t/$store/$task/edit',
      params: { store: plan.store, task: ref.task },
      search: { cp: ref.id, ns: ref.namespace, proposal: id },
    });
  return (
    <Button size="lg" icon={Pencil} onClick={open} disabledReason={block} data-testid="change-proposal">
      Change first…
    </Button>
  );
}

/** Applies the plan that is shown, or dismisses it; both once. */
function useDecision({ id, plan, outcome, obstacle }: Proposal) {
  const client = useQueryClient();
  const { applyProposal } = useChangeDialog();
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<InspectorError>();
  const block = useServerBlock();
  const applyBlock = block ?? obstacle?.message;
  const run = useCallback(
    async (act: () => Promise<unknown>) => {
      setRunning(true);
      setFailure(undefined);
      try {
        await act();
      } catch (error) {
        setFailure(InspectorError.from(error));
      } finally {
        await refresh(client, ([kind]) => kind === 'proposals');
        setRunning(false);
      }
    },
    [client],
  );
  const apply = useCallback(() => {
    if (outcome === 'open' && !isRunning && applyBlock === undefined) void run(() => applyProposal(id, plan.id));
  }, [outcome, isRunning, applyBlock, run, applyProposal, id, plan.id]);
  const dismiss = useCallback(() => void run(() => api.dismiss(id)), [run, id]);
  useConfirmKeys(apply);
  return { apply, dismiss, isRunning, failure, block, applyBlock };
}

/** What the page names by its number; what isn't written yet has none. */
function refsOf({ plan }: Proposal): readonly CheckpointRef[] {
  const written = new Set(plan.writes.items.map(({ ref }) => refKey(ref)));
  const lists = [plan.evicts, plan.removes, plan.protected].flatMap(({ items }) => items.map(({ ref }) => ref));
  const sources = plan.request.kind === 'undo' ? [] : sourceRefs(plan.request);
  return [...sources, plan.latestBefore.ref, plan.latestAfter, ...lists].filter(
    (ref): ref is CheckpointRef => ref !== undefined && !written.has(refKey(ref)),
  );
}
