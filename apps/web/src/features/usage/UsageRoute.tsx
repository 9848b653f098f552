import type { Measured, Usage } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { taskPage } from '../../lib/address.ts';
import { EmptyState, LinkButton, ListRoute } from '../../components/index.ts';
import { formatCount, showId } from '../../lib/format.ts';
import { usageQuery } from '../../lib/queries.ts';
import type { UsageAnswer } from '../../lib/api.ts';
import { StoreLabel } from '../stores/StoreLabel.tsx';
import { CoverageFoot } from '../errors/CoverageFoot.tsx';
import { byUse, durationWords, saidWords, tokenWords } from './TaskUsage.tsx';
import { costWords } from './use-task-costs.ts';
import './usage.css';

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
      said={<span className="muted">Tokens, cost and time reported by checkpoints</span>}
      foot={
        <CoverageFoot coverage={answer.data?.coverage} failures={answer.data?.failures ?? []}>
          Sums are exact. A running total, as Kaizen keeps its cost, counts what each checkpoint added.
        </CoverageFoot>
      }
    >
      {answer.data?.items.length === 0 && (
        <EmptyState action={<LinkButton to="/stores">Open a store</LinkButton>}>
          The open stores have no checkpoints.
        </EmptyState>
      )}
      {answer.data && answer.data.items.length > 0 && <Tables answer={answer.data} />}
    </ListRoute>
  );
}

const MEASURES = [
  { key: 'tokens', name: 'Tokens', words: tokenWords },
  { key: 'costUsd', name: 'Cost', words: costWords },
  { key: 'durationMs', name: 'Time', words: durationWords, unit: 'ms' },
] as const;
type Measure = (typeof MEASURES)[number];

function Tables({ answer }: { readonly answer: UsageAnswer }) {
  const agents = answer.agents.toSorted(byUse);
  const tasks = answer.items.toSorted(byUse);
  // What no checkpoint reports has no column.
  const measures = MEASURES.filter(({ key }) => answer.total[key] !== undefined);
  const table = { measures, total: answer.total };
  return (
    <div className="usage-body">
      <UsageTable title="Agents" first="Agent" {...table} hidden={agents.length - ROWS}>
        {agents.slice(0, ROWS).map((agent) => (
          <UsageRow key={agent.agent ?? ''} usage={agent} {...table}>
            {agent.agent === undefined ? <span className="muted">No agent named</span> : showId(agent.agent)}
          </UsageRow>
        ))}
      </UsageTable>
      <UsageTable title="Tasks" first="Task" {...table} hidden={tasks.length - ROWS}>
        {tasks.slice(0, ROWS).map((task) => (
          <UsageRow key={`${task.store}/${task.task}`} usage={task} {...table}>
            <Link className="link" {...taskPage(task.store, task.task)} search={{}}>
              {showId(task.title)}
            </Link>{' '}
            <span className="small muted">
              <StoreLabel id={task.store} />
            </span>
          </UsageRow>
        ))}
      </UsageTable>
    </div>
  );
}

interface TableProps {
  readonly measures: readonly Measure[];
  readonly total: Usage;
}

interface UsageTableProps extends TableProps {
  readonly title: string;
  readonly first: string;
  readonly hidden: number;
  readonly children: ReactNode;
}

function UsageTable({ title, first, measures, total, hidden, children }: UsageTableProps) {
  return (
    <table className="usage-table" aria-label={title}>
      <caption className="label">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          <th scope="col" className="number usage-count">
            Checkpoints
          </th>
          {measures.map(({ key, name }) => (
            <th key={key} scope="col" className="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
      <tfoot>
        <UsageRow usage={total} measures={measures} total={undefined}>
          Total
        </UsageRow>
        {hidden > 0 && (
          <tr>
            <td colSpan={2 + measures.length} className="small muted">
              {formatCount(hidden)} with less are not shown; the command and the API list them.
            </td>
          </tr>
        )}
      </tfoot>
    </table>
  );
}

interface UsageRowProps {
  readonly usage: Usage;
  readonly measures: readonly Measure[];
  /** What a bar is a share of; without it there is no bar. */
  readonly total: Usage | undefined;
  readonly children: ReactNode;
}

function UsageRow({ usage, measures, total, children }: UsageRowProps) {
  const { checkpoints } = usage;
  return (
    <tr data-testid="usage-row">
      <th scope="row">{children}</th>
      <td className="number usage-count">{formatCount(checkpoints)}</td>
      {measures.map((measure) => (
        <Cell
          key={measure.key}
          measured={usage[measure.key]}
          words={measure.words}
          of={checkpoints}
          whole={total?.[measure.key]}
          {...('unit' in measure ? { title: measure.unit } : {})}
        />
      ))}
    </tr>
  );
}

interface CellProps {
  readonly measured: Measured | undefined;
  readonly words: (measured: Measured) => string;
  readonly of: number;
  readonly whole: Measured | undefined;
  readonly title?: string;
}

/** The sum, and below it how many checkpoints report it where not all do. */
function Cell({ measured, words, of, whole, title }: CellProps) {
  if (measured === undefined)
    return (
      <td className="number muted" title="No checkpoint reports it">
        <span aria-hidden="true">–</span>
        <span className="sr-only">not reported</span>
      </td>
    );
  return (
    <td className="number" title={title === undefined ? undefined : `${measured.value} ${title}`}>
      {words(measured)}
      {whole !== undefined && <ShareBar share={Number(measured.value) / Number(whole.value)} />}
      {measured.said !== of && (
        <span className="usage-said" title={saidWords(measured, of)}>
          {formatCount(measured.said)} of {formatCount(of)} report it
        </span>
      )}
    </td>
  );
}

const BAR_PX = 96;

function ShareBar({ share }: { readonly share: number }) {
  const width = Number.isFinite(share) ? Math.max(2, Math.round(Math.min(1, share) * BAR_PX)) : 0;
  return (
    <svg
      className="usage-bar"
      width={BAR_PX}
      height="4"
      viewBox={`0 0 ${BAR_PX} 4`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect x={BAR_PX - width} width={width} height="4" rx="1" />
    </svg>
  );
}
