import type { Measured, Usage } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { taskPage } from '../../lib/address.ts';
import { EmptyState, ListRoute } from '../../components/index.ts';
import { formatCount, showId } from '../../lib/format.ts';
import { usageQuery } from '../../lib/queries.ts';
import type { UsageAnswer } from '../../lib/api.ts';
import { CoverageFoot } from '../errors/CoverageFoot.tsx';
import { byUse, costWords, durationWords, saidWords, tokenWords } from './TaskUsage.tsx';
import '../errors/triage.css';

/** Rows of a table; what is beyond is said, and the API and the command have it. */
const ROWS = 200;

/** Tokens, cost and time per agent and per task, as far as their checkpoints say. */
export function UsageRoute() {
  const answer = useQuery(usageQuery());
  return (
    <ListRoute
      title="Usage"
      testId="usage-page"
      query={answer}
      failed="The usage could not be read."
      showsFetching={answer.data?.coverage.complete === false}
      said={<span className="muted">Tokens, cost and time, as far as checkpoints say</span>}
      foot={
        <CoverageFoot coverage={answer.data?.coverage} failures={answer.data?.failures ?? []}>
          Sums are exact. A running total, as Kaizen keeps its cost, counts what each checkpoint added.
        </CoverageFoot>
      }
    >
      {answer.data?.items.length === 0 && <EmptyState>The open stores hold no checkpoint.</EmptyState>}
      {answer.data && answer.data.items.length > 0 && <Tables answer={answer.data} />}
    </ListRoute>
  );
}

function Tables({ answer }: { readonly answer: UsageAnswer }) {
  const agents = answer.agents.toSorted(byUse);
  const tasks = answer.items.toSorted(byUse);
  return (
    <div className="usage-body">
      <UsageTable title="Agents" first="Agent" total={answer.total} hidden={agents.length - ROWS}>
        {agents.slice(0, ROWS).map((agent) => (
          <UsageRow key={agent.agent ?? ''} usage={agent}>
            {agent.agent === undefined ? <span className="muted">No agent named</span> : showId(agent.agent)}
          </UsageRow>
        ))}
      </UsageTable>
      <UsageTable title="Tasks" first="Task" total={answer.total} hidden={tasks.length - ROWS}>
        {tasks.slice(0, ROWS).map((task) => (
          <UsageRow key={`${task.store}/${task.task}`} usage={task}>
            <Link className="link" {...taskPage(task.store, task.task)} search={{}}>
              {showId(task.title)}
            </Link>{' '}
            <span className="small muted">{task.store}</span>
          </UsageRow>
        ))}
      </UsageTable>
    </div>
  );
}

interface UsageTableProps {
  readonly title: string;
  readonly first: string;
  readonly total: Usage;
  readonly hidden: number;
  readonly children: ReactNode;
}

function UsageTable({ title, first, total, hidden, children }: UsageTableProps) {
  return (
    <table className="usage-table" aria-label={title}>
      <caption className="label">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          <th scope="col" className="number usage-count">
            Checkpoints
          </th>
          {['Tokens', 'Cost', 'Time'].map((name) => (
            <th key={name} scope="col" className="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
      <tfoot>
        <UsageRow usage={total}>Total</UsageRow>
        {hidden > 0 && (
          <tr>
            <td colSpan={5} className="small muted">
              {formatCount(hidden)} more with less; the command and the API list them.
            </td>
          </tr>
        )}
      </tfoot>
    </table>
  );
}

function UsageRow({ usage, children }: { readonly usage: Usage; readonly children: ReactNode }) {
  const { checkpoints, tokens, costUsd, durationMs } = usage;
  return (
    <tr data-testid="usage-row">
      <th scope="row">{children}</th>
      <td className="number usage-count">{formatCount(checkpoints)}</td>
      <Cell measured={tokens} words={tokenWords} of={checkpoints} />
      <Cell measured={costUsd} words={costWords} of={checkpoints} />
      <Cell measured={durationMs} words={durationWords} of={checkpoints} title="ms" />
    </tr>
  );
}

interface CellProps {
  readonly measured: Measured | undefined;
  readonly words: (measured: Measured) => string;
  readonly of: number;
  readonly title?: string;
}

/** The sum, and below it how many say so where not all do. */
function Cell({ measured, words, of, title }: CellProps) {
  if (measured === undefined)
    return (
      <td className="number muted" title="No checkpoint says">
        <span aria-hidden="true">–</span>
        <span className="sr-only">not said</span>
      </td>
    );
  const said = saidWords(measured, of);
  return (
    <td className="number" title={title === undefined ? undefined : `${measured.value} ${title}`}>
      {words(measured)}
      {said !== '' && <span className="usage-said">{said}</span>}
    </td>
  );
}
