import { NEXT_PAGE, searchQuery } from '../../lib/queries.ts';
import { InspectorError } from '@checkpoint-inspector/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch as useAddress } from '@tanstack/react-router';
import { CircleAlert, HelpCircle, Search } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { EmptyState, ErrorState, Icon, IconButton, LoadingBar, Skeleton, TextField } from '../../components/index.ts';
import { formatCount } from '../../lib/format.ts';
import { useIsHere, useMedia, useRested, useTitle } from '../../lib/hooks.ts';
import { useKeys } from '../../lib/keys.ts';
import type { SearchAnswer } from '../../lib/api.ts';
import { noteSearch } from './recent.ts';
import { RecentSearches, SearchAside } from './SearchAside.tsx';
import { SearchFoot, SearchHelp } from './SearchFoot.tsx';
import { type ResultsHandle, SearchResults } from './SearchResults.tsx';
import './search.css';

const REST_MS = 120;

/** Search across all states of the open stores, while typing. */
export function SearchRoute() {
  const { q = '' } = useAddress({ from: '/search' });
  const field = useRef<HTMLInputElement>(null);
  const results = useRef<ResultsHandle>(null);
  const { words, setWords } = useWords(q);
  const [help, setHelp] = useState(false);
  const found = useSearch(q);
  const isCurrent = words === q && !found.isPlaceholderData;
  const wide = useMedia('(min-width: 1200px)');
  const hasResults = isCurrent && found.items.length > 0;
  useEffect(() => {
    if (hasResults) noteSearch(q);
  }, [hasResults, q]);
  const pick = (token: string): void => {
    setWords(words === '' ? token : `${words.trimEnd()} ${token}`);
    field.current?.focus();
  };
  const again = (before: string): void => {
    setWords(before);
    field.current?.focus();
  };
  const isEmpty = q === '' && words === '';
  const wanted = useRef<'first' | 'last'>(undefined);
  useTitle(q === '' ? 'Search' : `${q} · Search`);
  useKeys({ '/': () => field.current?.focus(), 'Ctrl+f': () => field.current?.focus() });
  // Enter may come before the answer: then it opens the first result as soon as that is known.
  useEffect(() => {
    if (!isCurrent || found.first === undefined || wanted.current === undefined) return;
    results.current?.open(wanted.current);
    wanted.current = undefined;
  }, [isCurrent, found.first]);
  const open = (which: 'first' | 'last'): void => {
    if (isCurrent && found.first !== undefined) results.current?.open(which);
    else wanted.current = which;
  };
  return (
    <section className="search" aria-label="Search" data-testid="search" data-state={stateOf(isCurrent, found.isError)}>
      <header className="search-head">
        <h1 className="sr-only">Search all states</h1>
        <TextField
          ref={field}
          icon={Search}
          label="Search all states"
          value={words}
          onChange={setWords}
          autoFocus
          className="search-field"
          testId="search-field"
          onKeyDown={(event) => {
            wanted.current = undefined;
            if (event.key === 'Enter') open(event.shiftKey ? 'first' : 'last');
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            results.current?.enter();
          }}
        />
        {!wide && (
          <IconButton
            label="What can be searched for"
            icon={HelpCircle}
            onClick={() => setHelp(!help)}
            aria-expanded={help || q === ''}
          />
        )}
      </header>
      <div className="search-panes">
        <div className="search-body">
          <LoadingBar active={found.isFetching && q !== ''} />
          <Said error={found.error} answer={q === '' ? undefined : found.first} />
          {!wide && isEmpty && <RecentSearches onSearch={again} />}
          {((help && !wide) || isEmpty) && <SearchHelp onPick={pick} />}
          {q !== '' && found.first === undefined && found.error === null && <Skeleton rows={6} height={48} />}
          {q !== '' && isCurrent && found.first?.total === 0 && found.error === null && (
            <Nothing query={q} answer={found.first} />
          )}
          {q !== '' && found.items.length > 0 && (
            <SearchResults
              ref={results}
              items={found.items}
              onEndReached={() =>
                found.hasNextPage && !found.isFetching ? void found.fetchNextPage(NEXT_PAGE) : undefined
              }
              onLeave={() => field.current?.focus()}
            />
          )}
        </div>
        {wide && <SearchAside answer={found.first} onPick={isEmpty ? undefined : pick} onSearch={again} />}
      </div>
      <SearchFoot answer={found.first} />
    </section>
  );
}

const stateOf = (isCurrent: boolean, isError: boolean): string => (isError ? 'error' : isCurrent ? 'ready' : 'loading');

/** What is typed, and the address that follows it once typing rests. */
function useWords(q: string) {
  const navigate = useNavigate();
  const [words, setWords] = useState(q);
  const rested = useRested(words, REST_MS);
  const told = useRef(q);
  const isHere = useIsHere();
  useEffect(() => {
    if (rested === told.current || !isHere()) return;
    told.current = rested;
    void navigate({ to: '/search', search: { q: rested === '' ? undefined : rested }, replace: true });
  }, [rested, navigate, isHere]);
  // A link or the palette leads to another query.
  useEffect(() => {
    if (q === told.current) return;
    told.current = q;
    setWords(q);
  }, [q]);
  return { words, setWords };
}

/** Why there are no new results, or how many there are. */
function Said({ error, answer }: { readonly error: Error | null; readonly answer: SearchAnswer | undefined }) {
  if (error !== null && InspectorError.is(error) && error.code === 'invalid_input') {
    return (
      <p className="search-said" role="status" data-testid="search-problem">
        <Icon of={CircleAlert} />
        {error.message}
      </p>
    );
  }
  if (error !== null) return <ErrorState error={error} title="The search failed." />;
  if (answer === undefined || answer.total === 0) return null;
  const { total, atLeast, cut, tookMs } = answer;
  return (
    <p className="search-said muted" role="status" data-testid="search-said">
      {atLeast && !cut ? 'The first ' : ''}
      {formatCount(total)} {total === 1 ? 'result' : 'results'} in {formatCount(tookMs)} ms
      {cut && <b className="search-cut">, cut off after one second: there may be more. Add a word to narrow it.</b>}
      {atLeast && !cut && ', there are more. Add a word to narrow it.'}
      <span className="search-keys"> ↑ ↓ choose, ↵ opens where it was last seen, Shift ↵ where it was first seen.</span>
    </p>
  );
}

function Nothing({ query, answer }: { readonly query: string; readonly answer: SearchAnswer }) {
  const isWhole = answer.coverage.every(({ of, indexed }) => of === indexed);
  return (
    <EmptyState title="No results">
      No results for “{query}”
      {isWhole && !answer.cut ? ' in any state of the open stores.' : ' in what was searched; see below.'}
    </EmptyState>
  );
}

/** While the index grows, the answer is asked again so often. */
const AGAIN_MS = 1_000;

/** The results of a query; those of the one before stay until there are new ones, also while it cannot be read. */
function useSearch(text: string) {
  const found = useInfiniteQuery({
    ...searchQuery(text),
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.coverage.every(({ isSettled }) => isSettled) === false ? AGAIN_MS : false,
  });
  const last = useRef(found.data);
  if (found.data !== undefined) last.current = found.data;
  const shown = found.data ?? last.current;
  const items = useMemo(() => shown?.pages.flatMap((page) => page.items) ?? [], [shown]);
  return { ...found, items, first: shown?.pages[0] };
}
