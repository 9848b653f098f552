import { parseRunAddress } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { useRef } from 'react';
import { EmptyState, ErrorState, IconButton, LoadingBar, QueryError, Skeleton } from '../../components/index.ts';
import { readAddress } from '../../lib/address.ts';
import type { RunComparison } from '../../lib/api.ts';
import { plural, stepNumber } from '../../lib/format.ts';
import { useIsHere, useMedia, useTitle } from '../../lib/hooks.ts';
import { useKeys } from '../../lib/keys.ts';
import { useShown } from '../../lib/masking.ts';
import { runsQuery } from '../../lib/queries.ts';
import type { RunsSearch } from '../../lib/search.ts';
import { RunEnds } from './RunEnds.tsx';
import { RunRows } from './RunRows.tsx';
import { RunSide } from './RunSide.tsx';
import { RunStrip } from './RunStrip.tsx';
import { RunTotals } from './RunTotals.tsx';
import '../diff/compare.css';
import '../compare/compare.css';
import './runs.css';

const route = getRouteApi('/compare/runs');

/** Two tasks or branches side by side, step by step. */
export function RunsRoute() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isHere = useIsHere();
  const change = (part: Partial<RunsSearch>, push = false): void => {
    if (isHere()) void navigate({ search: (before) => ({ ...before, ...part }), replace: !push });
  };
  useTitle('Compare runs');
  return <Runs search={search} change={change} />;
}

interface RunsProps {
  readonly search: RunsSearch;
  readonly change: (part: Partial<RunsSearch>, push?: boolean) => void;
}

function Runs({ search, change }: RunsProps) {
  const [left, right] = [readAddress(search.a, parseRunAddress), readAddress(search.b, parseRunAddress)];
  const [a, b, invalid] = [left.at, right.at, left.error ?? right.error];
  const query = useQuery({
    ...runsQuery(search.a ?? '', search.b ?? ''),
    enabled: a !== undefined && b !== undefined,
  });
  const swap = (): void => change({ a: search.b, b: search.a });
  const toggle = (): void => change({ same: search.same === '1' ? undefined : '1' });
  useKeys({ x: swap, o: toggle });
  const found = query.data;
  const isOneTask = a !== undefined && a.store === b?.store && a.task === b.task;
  const state = invalid || query.isError ? 'error' : found ? 'ready' : a && b ? 'loading' : 'empty';
  return (
    <div className="runs-page" data-testid="runs-page" data-state={state}>
      <h1 className="sr-only">Compare two runs</h1>
      <LoadingBar active={query.isFetching} />
      <header className="compare-ends">
        <RunSide name="A" at={a} side={found?.a} isOneTask={isOneTask} onPick={(run) => change({ a: run }, true)} />
        <div className="compare-swap">
          <IconButton label="Swap A and B" kbd="x" icon={ArrowLeftRight} onClick={swap} />
        </div>
        <RunSide name="B" at={b} side={found?.b} isOneTask={isOneTask} onPick={(run) => change({ b: run }, true)} />
      </header>
      {invalid && <ErrorState title={`Choose ${left.error ? 'A' : 'B'} above.`} error={invalid} />}
      {state === 'empty' && (
        <EmptyState title="Compare two runs">
          Choose the last checkpoint of each run above. In the list of tasks it is quicker: select two, then “Compare
          runs”. A lane of a tree is compared with main from its row.
        </EmptyState>
      )}
      {state === 'loading' && <Skeleton rows={10} height={44} />}
      <QueryError query={query} title="The two runs could not be compared." />
      {found && <Compared found={found} open={search.same === '1'} onToggle={toggle} />}
    </div>
  );
}

interface ComparedProps {
  readonly found: RunComparison;
  readonly open: boolean;
  readonly onToggle: () => void;
}

function Compared({ found, open, onToggle }: ComparedProps) {
  const box = useRef<HTMLDivElement>(null);
  const isWide = useMedia('(min-width: 800px)');
  /** To the next row that is not equal, or the one before; its links follow with Tab. */
  const move = (by: 1 | -1): void => {
    const rows = [...(box.current?.querySelectorAll<HTMLElement>('[data-testid="run-row"]') ?? [])];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  return (
    <div ref={box} className="runs-body">
      <RunEnds found={found} />
      <RunTotals found={found} />
      {isWide && <RunStrip found={found} />}
      <RunRows found={found} open={open} onToggle={onToggle} />
      <Gaps found={found} />
    </div>
  );
}

/** Steps that could not be compared, each with its reason. */
function Gaps({ found: { examined } }: { readonly found: RunComparison }) {
  const shown = useShown();
  const { gaps } = examined;
  if (gaps.length === 0) return null;
  return (
    <ul className="run-gaps small" aria-label="Steps that were not compared">
      {gaps.slice(0, 5).map(({ side, ref, seq, reason }) => (
        <li key={`${side} ${ref.id}`}>
          <b>
            {side.toUpperCase()} {stepNumber({ seq })}
          </b>{' '}
          was not compared. {shown(reason)}
        </li>
      ))}
      {gaps.length > 5 && <li>And {plural(gaps.length - 5, 'more step')}.</li>}
    </ul>
  );
}
