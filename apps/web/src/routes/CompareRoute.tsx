import { type Address, type CheckpointRef, formatAddress, parseAddress } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeftRight, ListOrdered, Search } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import {
  CopyButton,
  EmptyState,
  ErrorState,
  Icon,
  IconButton,
  LoadingBar,
  QueryError,
  Skeleton,
  TextField,
} from '../components/index.ts';
import { checkpointQuery, diffQuery, useStore } from '../lib/queries.ts';
import { DiffSum } from '../features/diff/DiffRow.tsx';
import { DiffAsChoice, DiffView, WalkCount } from '../features/diff/DiffView.tsx';
import { DiffOptions } from '../features/diff/IgnoreRules.tsx';
import { StepsBehind } from '../features/diff/MadeBy.tsx';
import { type DiffAs, useCompared } from '../features/diff/walk.ts';
import { Lineage, useNeighbours } from '../features/compare/Lineage.tsx';
import { Side, useMissing } from '../features/compare/Side.tsx';
import { Gone } from '../features/gone/Gone.tsx';
import { readAddress, taskPage, toAddress } from '../lib/address.ts';
import { useIsHere, useMedia, useTitle } from '../lib/hooks.ts';
import { useKeys } from '../lib/keys.ts';
import { type CompareSearch, rulesOf } from '../lib/search.ts';
import '../features/diff/compare.css';
import '../features/compare/compare.css';

const route = getRouteApi('/compare');

type Change = (part: Partial<CompareSearch>, push?: boolean) => void;

/** Any two checkpoints side by side, of any task and store. */
export function CompareRoute() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [left, right] = [readAddress(search.a, parseAddress), readAddress(search.b, parseAddress)];
  const [a, b, invalid] = [left.at, right.at, left.error ?? right.error];
  useTitle('Compare');
  const isHere = useIsHere();
  const change: Change = (part, push = false) => {
    if (isHere()) void navigate({ search: (before) => ({ ...before, ...part }), replace: !push });
  };
  return (
    <div className="compare" data-testid="compare-page">
      <h1 className="sr-only">Compare two checkpoints</h1>
      <Ends a={a} b={b} path={search.path} change={change} />
      {invalid ? (
        <ErrorState title={`Choose ${left.error ? 'A' : 'B'} above.`} error={invalid} />
      ) : a && b ? (
        <Pair a={a} b={b} search={search} change={change} />
      ) : (
        <EmptyState title="Compare two checkpoints">
          Choose two checkpoints above. In a task it is quicker: select one, press b to make it the base, select another
          and press c.
        </EmptyState>
      )}
    </div>
  );
}

interface EndsProps {
  readonly a: Address | undefined;
  readonly b: Address | undefined;
  readonly path: string | undefined;
  readonly change: Change;
}

/** The two sides, with the ways to others. Choosing one is a place to come back to; stepping is not. */
function Ends({ a, b, path, change }: EndsProps) {
  const swap = (): void => change({ a: b && formatAddress(b), b: a && formatAddress(a) });
  useKeys({ x: swap });
  const side = (name: 'A' | 'B', at: Address | undefined, other: Address | undefined) => {
    const to = (next: Address, push: boolean): void => change({ [name.toLowerCase()]: formatAddress(next) }, push);
    return (
      <Side
        name={name}
        at={at}
        other={other}
        path={path}
        onPick={(next) => to(next, true)}
        onStep={(next) => to(next, false)}
      />
    );
  };
  return (
    <header className="compare-ends">
      {side('A', a, b)}
      <div className="compare-swap">
        <IconButton label="Swap A and B" kbd="x" icon={ArrowLeftRight} onClick={swap} />
      </div>
      {side('B', b, a)}
    </header>
  );
}

interface PairProps {
  readonly a: Address;
  readonly b: Address;
  readonly search: CompareSearch;
  readonly change: Change;
}

function Pair({ a, b, search, change }: PairProps) {
  const [missingA, missingB] = [useMissing(a), useMissing(b)];
  useStepBoth(a, b, change);
  const missing = missingA ? a : missingB ? b : undefined;
  if (missing) return <Gone store={missing.store} task={missing.task} ns={missing.namespace} id={missing.id} />;
  return (
    <>
      <Lineage a={a} b={b} />
      <Compared a={a} b={b} search={search} change={change} />
    </>
  );
}

/** `[` and `]` take both sides to their parents, or to their newest children. */
function useStepBoth(a: Address, b: Address, change: Change): void {
  const [ofA, ofB] = [useNeighbours(a), useNeighbours(b)];
  const step = (way: 'older' | 'newer') => (): void => {
    const [nextA, nextB] = [ofA[way], ofB[way]];
    if (!nextA && !nextB) return;
    change({
      a: formatAddress(nextA ? toAddress(a.store, nextA) : a),
      b: formatAddress(nextB ? toAddress(b.store, nextB) : b),
    });
  };
  useKeys({ '[': step('older'), ']': step('newer') });
}

function Compared({ a, b, search, change }: PairProps) {
  const [filter, setFilter] = useState('');
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const diff = useQuery(diffQuery(a, b, rulesOf(search.rules)));
  // Two columns need their width, and on a phone A is above B; between the two the ranked list says as much.
  const usual: DiffAs = useMedia('(min-width: 800px) and (max-width: 1279px)') ? 'ranked' : 'split';
  const as = search.as ?? usual;
  const all = search.only === '0';
  const target = useQuery(checkpointQuery(b));
  const meta = target.data;
  const system = useStore(b.store)?.system;
  const onPath = (path: string | undefined): void => change({ path });
  const openStep = useCallback(
    (ref: CheckpointRef, path: string): void =>
      void navigate({
        ...taskPage(b.store, ref.task),
        search: { cp: ref.id, ns: ref.namespace, view: 'changes', path },
      }),
    [navigate, b.store],
  );
  const { data, walk, text } = useCompared({ diff, as, filter, path: search.path, onPath, all, meta });
  useKeys({
    '/': () => field.current?.focus(),
    j: () => walk.step(1),
    k: () => walk.step(-1),
    o: () => change({ only: all ? undefined : '0' }),
  });
  return (
    <div
      className="compare-body"
      data-testid="compared"
      data-state={diff.isError ? 'error' : diff.isPending ? 'loading' : 'ready'}
    >
      <LoadingBar active={diff.isFetching} />
      <div className="diff-bar compare-bar">
        {data && <DiffSum summary={data.summary} />}
        <WalkCount walk={walk} />
        <span className="diff-bar-right">
          <DiffAsChoice value={as} onChange={(next) => change({ as: next === usual ? undefined : next })} />
          <TextField
            ref={field}
            icon={Search}
            label="Filter"
            value={filter}
            onChange={setFilter}
            className="diff-filter"
          />
          {data && <DiffOptions diff={data} own={search.rules !== undefined} all={all} change={change} />}
          <Link
            to="/compare/runs"
            search={{ a: formatAddress(a), b: formatAddress(b) }}
            className="btn"
            title="Who wrote what differs at the end, calls that one never made, and both step by step"
          >
            <Icon of={ListOrdered} />
            Compare the runs
          </Link>
          <CopyButton text={location.href} label="Copy link" />
        </span>
      </div>
      {diff.isPending && <Skeleton rows={8} height={28} />}
      <QueryError query={diff} title="The two states could not be compared." />
      {data && (
        <StepsBehind pair={a.store === b.store ? { a, b } : undefined} rules={rulesOf(search.rules)} onOpen={openStep}>
          <DiffView
            as={as}
            diff={data}
            walk={walk}
            filter={filter}
            path={search.path}
            onPath={onPath}
            state={text}
            all={all}
            system={system}
            sides={['A', 'B']}
          />
        </StepsBehind>
      )}
    </div>
  );
}
