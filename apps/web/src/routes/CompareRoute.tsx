import { InspectorError, parseAddress, type Address } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeftRight, Search } from 'lucide-react';
import { useRef, useState } from 'react';
import {
  Badge,
  CopyButton,
  EmptyState,
  ErrorState,
  IconButton,
  LoadingBar,
  Skeleton,
  StatusIcon,
  TextField,
} from '../components/index.ts';
import { DiffSum } from '../features/changes/DiffSum.tsx';
import { IgnoreRules } from '../features/changes/IgnoreRules.tsx';
import { SplitList } from '../features/changes/SplitList.tsx';
import { stepName, timeTitle } from '../features/history/HistoryRow.tsx';
import '../features/changes/compare.css';
import { formatSize, showId, stepNumber } from '../lib/format.ts';
import { useTitle } from '../lib/hooks.ts';
import { useKeys } from '../lib/keys.ts';
import { checkpointQuery, diffQuery, storesQuery } from '../lib/queries.ts';
import { rulesOf, type CompareSearch } from './search.ts';

const route = getRouteApi('/compare');

function addressIn(text: string | undefined): Address | InspectorError {
  try {
    return parseAddress(text ?? '');
  } catch (error) {
    return InspectorError.from(error);
  }
}

/** Any two checkpoints side by side, of any task and store. */
export function CompareRoute() {
  const search = route.useSearch();
  const [a, b] = [addressIn(search.a), addressIn(search.b)];
  useTitle('Compare');
  if (search.a === undefined || search.b === undefined) {
    return (
      <EmptyState
        action={
          <Link className="btn" to="/tasks">
            Choose a task
          </Link>
        }
      >
        Two checkpoints are needed. In a task, select one, press b to make it the base, select another and press c.
      </EmptyState>
    );
  }
  if (InspectorError.is(a)) return <ErrorState title="A is no address of a checkpoint." error={a} />;
  if (InspectorError.is(b)) return <ErrorState title="B is no address of a checkpoint." error={b} />;
  return <Compared a={a} b={b} search={search} />;
}

function Compared({ a, b, search }: { readonly a: Address; readonly b: Address; readonly search: CompareSearch }) {
  const navigate = route.useNavigate();
  const [filter, setFilter] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const change = (part: Partial<CompareSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const swap = (): void => change({ a: search.b, b: search.a });
  const diff = useQuery(diffQuery(a, b, rulesOf(search.rules)));
  useKeys({ x: swap, '/': () => field.current?.focus() });
  const data = diff.isError ? undefined : diff.data;
  return (
    <div
      className="compare"
      data-testid="compare-page"
      data-state={diff.isError ? 'error' : diff.isPending ? 'loading' : 'ready'}
    >
      <LoadingBar active={diff.isFetching} />
      <h1 className="sr-only">Compare two checkpoints</h1>
      <header className="compare-ends">
        <End name="A" at={a} />
        <div className="compare-swap">
          <IconButton label="Swap A and B" kbd="x" icon={ArrowLeftRight} onClick={swap} />
        </div>
        <End name="B" at={b} />
      </header>
      <div className="diff-bar compare-bar">
        {data && <DiffSum summary={data.summary} />}
        <span className="diff-bar-right">
          <TextField
            ref={field}
            icon={Search}
            label="Filter"
            value={filter}
            onChange={setFilter}
            className="diff-filter"
          />
          {data && (
            <IgnoreRules
              diff={data}
              own={search.rules !== undefined}
              onChange={(rules) =>
                change({ rules: rules === undefined ? undefined : rules.length === 0 ? [''] : [...rules] })
              }
            />
          )}
          <CopyButton text={location.href} label="Copy link" />
        </span>
      </div>
      {diff.isPending && <Skeleton rows={8} height={28} />}
      {diff.isError && (
        <ErrorState
          title="The two states could not be compared."
          error={diff.error}
          onRetry={() => void diff.refetch()}
        />
      )}
      {data && <SplitList diff={data} filter={filter} path={search.path} onPath={(path) => change({ path })} />}
    </div>
  );
}

/** One side: number, step, status, facts, and the way to it. */
function End({ name, at }: { readonly name: 'A' | 'B'; readonly at: Address }) {
  const { data: meta, error } = useQuery(checkpointQuery(at));
  const { data: stores } = useQuery(storesQuery());
  const info = stores?.find((store) => store.id === at.store);
  return (
    <section className="compare-end" aria-label={`Side ${name}`} data-testid={`compare-${name.toLowerCase()}`}>
      <div className="flex">
        <span className="compare-letter" aria-hidden="true">
          {name}
        </span>
        {meta ? (
          <Link
            to="/t/$store/$task"
            params={{ store: at.store, task: at.task }}
            search={{ cp: at.id, ns: at.namespace }}
            className="compare-name cut"
          >
            {stepNumber(meta)} <span>{stepName(meta)}</span>
          </Link>
        ) : (
          <span className="compare-name cut">{showId(at.id)}</span>
        )}
        {meta && <StatusIcon status={meta.status} size={14} word />}
        {meta?.isLatest && (
          <Badge tone="solid" title={info && `Latest by this rule: ${info.latestRule}`}>
            latest
          </Badge>
        )}
      </div>
      <p className="small muted cut">
        {error
          ? error.message
          : `${showId(at.task)} in ${info?.label ?? at.store}${meta ? ` · ${timeTitle(meta)} · ${formatSize(meta.sizeBytes)}` : ''}`}
      </p>
    </section>
  );
}
