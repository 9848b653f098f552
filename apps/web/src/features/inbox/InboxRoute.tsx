import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileWarning } from 'lucide-react';
import { useState } from 'react';
import { checkpointPage } from '../../lib/address.ts';
import {
  Button,
  CopyButton,
  cutId,
  EmptyState,
  Icon,
  LinkButton,
  ListRoute,
  StatusIcon,
  VirtualList,
} from '../../components/index.ts';
import { formatAge, formatTime, showId } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { layoutJson } from '../../lib/json.ts';
import { type Shown, useShown, useShownJson } from '../../lib/masking.ts';
import { inboxQuery, proposalsQuery, useStoreLabel } from '../../lib/queries.ts';
import type { InboxItem } from '../../lib/api.ts';
import { questionOf, waitingWords } from './question.ts';
import { ProposalList } from '../proposals/ProposalList.tsx';
import { CoverageFoot } from '../errors/CoverageFoot.tsx';
import './inbox.css';

/** Tasks whose latest checkpoint waits for a person: what they ask, since when, and how their system continues. */
export function InboxRoute() {
  const answer = useQuery(inboxQuery());
  const items = answer.data?.items ?? [];
  const { data: proposals = [] } = useQuery(proposalsQuery());
  return (
    <ListRoute
      title="Inbox"
      testId="inbox-page"
      query={answer}
      failed="The inbox could not be read."
      skeleton={[4, 96]}
      showsFetching={answer.data?.coverage.complete === false}
      said={
        answer.data && (
          <span className="muted" aria-live="polite">
            {waitingWords(items.length)}
          </span>
        )
      }
      foot={
        <CoverageFoot coverage={answer.data?.coverage} failures={answer.data?.failures ?? []}>
          Answer requests in the agent's own program. Nothing is sent from here.
        </CoverageFoot>
      }
    >
      <ProposalList proposals={proposals} />
      {items.length === 0 && proposals.length > 0 ? null : items.length === 0 ? (
        <EmptyState title="Nothing to answer" action={<LinkButton to="/tasks">Go to tasks</LinkButton>}>
          {answer.data?.coverage.complete
            ? 'Nothing is waiting for a person. Tasks appear here while their latest checkpoint has an open request.'
            : 'No open requests so far. The stores are still being searched.'}
        </EmptyState>
      ) : (
        <VirtualList
          items={items}
          keyOf={({ at }) => `${at.store}/${at.task}`}
          heightOf={() => 132}
          measured
          role="list"
          label="Tasks waiting for a person"
          className="error-list"
          testId="inbox-list"
          render={(item) => <WaitingTask item={item} />}
        />
      )}
    </ListRoute>
  );
}

/** Of a question that cannot be read only that it waits is known. */
function askerOf({ from, unread }: InboxItem['requests'][number], agentId: string | undefined, shown: Shown): string {
  const name = from ?? agentId;
  if (name !== undefined && !unread) return `${shown(name)} asks`;
  return unread ? 'Waits for an answer' : 'Asks';
}

/** The sentence that asks; the request as stored is folded below it, where it says more. */
function Question({ text }: { readonly text: string }) {
  const question = questionOf(text);
  const [open, setOpen] = useState(question === undefined);
  const shown = useShown();
  const shownJson = useShownJson();
  return (
    <>
      {question !== undefined && <p className="waiting-question">“{shown(question)}”</p>}
      {question !== text && (
        <Button size="sm" variant="ghost" className="waiting-more" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide the request' : 'Show the whole request'}
        </Button>
      )}
      {open && (
        <pre className="waiting-text" tabIndex={0} aria-label="The request, as stored">
          {shownJson(layoutJson(text, 60))}
        </pre>
      )}
    </>
  );
}

function WaitingTask({ item }: { readonly item: InboxItem }) {
  const { at, title, system, agentId, since, sinceText, requests, next } = item;
  const now = useNow();
  const shown = useShown();
  const label = useStoreLabel(at.store);
  return (
    <article className="waiting" data-testid="waiting" data-task={at.task}>
      <header className="waiting-head">
        <StatusIcon status="interrupted" />
        <Link className="strong cut waiting-title" {...checkpointPage(at.store, at)}>
          {showId(title)}
        </Link>
        <span className="small muted cut">
          {label} · {system}
        </span>
        {agentId !== undefined && agentId !== title && <span className="small muted cut">{shown(agentId)}</span>}
        <time className="small muted end" dateTime={since} title={since === undefined ? sinceText : formatTime(since)}>
          {since === undefined ? (sinceText ?? 'no time stored') : `waiting for ${formatAge(since, now)}`}
        </time>
        <Link className="btn sm" {...checkpointPage(at.store, at)} aria-label={`Open ${showId(title)}`}>
          Open
        </Link>
      </header>
      {requests.map((request, index) => (
        <div key={`${index} ${request.id ?? ''}`} className="waiting-request">
          <p className="small muted">
            {askerOf(request, agentId, shown)}
            {request.id !== undefined && <> {cutId(shown(request.id), 18)}</>}
          </p>
          {request.unread ? (
            <p className="flex">
              <Icon of={FileWarning} />
              {shown(request.text)}
            </p>
          ) : (
            <Question text={request.text} />
          )}
        </div>
      ))}
      {next === undefined ? (
        <p className="small muted">
          Answer it in the agent's own program
          {requests.some(({ unread }) => unread) ? '.' : `: ${system} does not store the call.`}
        </p>
      ) : (
        <div className="waiting-next">
          <span className="small muted">Resume with</span>
          <code>{shown(next)}</code>
          <CopyButton text={next} />
        </div>
      )}
    </article>
  );
}
