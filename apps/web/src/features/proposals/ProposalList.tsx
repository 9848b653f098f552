import { Link } from '@tanstack/react-router';
import { GitPullRequestArrow } from 'lucide-react';
import { Icon } from '../../components/index.ts';
import type { Proposal } from '../../lib/api.ts';
import { formatAge, plural } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { useStoreLabel } from '../../lib/queries.ts';
import { useNames } from '../change/names.ts';
import { sourceRefs } from '../change/sentences.ts';
import { headingOf, OUTCOMES } from './words.ts';
import './proposals.css';

/** What agents have proposed: what waits first, then what was decided. */
export function ProposalList({ proposals }: { readonly proposals: readonly Proposal[] }) {
  if (proposals.length === 0) return null;
  const open = proposals.filter(({ outcome }) => outcome === 'open');
  const decided = proposals.filter(({ outcome }) => outcome !== 'open');
  return (
    <section className="proposal-list" aria-label="Proposals" data-testid="proposals">
      <h2 className="small muted">
        {open.length === 0 ? 'Proposals' : `${plural(open.length, 'proposal')} from agents`}
      </h2>
      <ul>
        {[...open, ...decided].map((proposal) => (
          <ProposalRow key={proposal.id} proposal={proposal} />
        ))}
      </ul>
    </section>
  );
}

function ProposalRow({ proposal: { id, at, by, plan, outcome } }: { readonly proposal: Proposal }) {
  const now = useNow();
  const shown = useShown();
  const label = useStoreLabel(plan.store);
  const { nameOf } = useNames(plan.store, plan.request.kind === 'undo' ? [] : sourceRefs(plan.request));
  return (
    <li data-testid="proposal" data-outcome={outcome}>
      <Link to="/proposals/$id" params={{ id }} className="proposal-row">
        <Icon of={GitPullRequestArrow} size={16} />
        <span className="strong cut">{shown(headingOf(plan, nameOf))}</span>
        <span className="small muted cut">
          {label} · from {shown(by.name)}
        </span>
        <span className="small muted end">
          {OUTCOMES[outcome]} · {formatAge(at, now)}
        </span>
      </Link>
    </li>
  );
}
