import { InspectorError } from '@checkpoint-inspector/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { EyeOff, Lock, TriangleAlert } from 'lucide-react';
import { Button, Icon } from '../../components/index.ts';
import { api, type SearchAnswer, type SearchCoverage } from '../../lib/api.ts';
import { refresh } from '../../lib/refresh.ts';
import { UnlockButton } from '../unlock/ask.tsx';
import { StoreLabel } from '../stores/StoreLabel.tsx';
import { formatCount } from '../../lib/format.ts';

/** How much of the stores was searched: a result that is missing may be in the rest. */
export function SearchFoot({ answer }: { readonly answer: SearchAnswer | undefined }) {
  if (answer === undefined) return <footer className="search-foot muted">Checking the index</footer>;
  const { coverage } = answer;
  const incomplete = coverage.filter(({ of, indexed, partly }) => indexed < of || partly > 0);
  const problems = coverage.filter(({ problem }) => problem !== undefined);
  const locked = coverage.filter((store) => store.locked > 0);
  return (
    <footer
      className="search-foot"
      data-testid="search-coverage"
      data-settled={coverage.every((store) => store.isSettled)}
    >
      <p role="status">{coverageWords(sumOf(coverage))}</p>
      {coverage.length > 1 && incomplete.length > 0 && (
        <details className="search-stores">
          <summary>by store</summary>
          <ul>
            {incomplete.map((store) => (
              <li key={store.store}>
                <b>
                  <StoreLabel id={store.store} />
                </b>{' '}
                {coverageWords(store)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {locked.map(({ store }) => (
        <span key={store} className="search-locked">
          <Icon of={Lock} /> <StoreLabel id={store} /> <UnlockButton store={store} />
        </span>
      ))}
      {coverage.map(({ store, unkept }) => unkept && <Unkept key={store} store={store} />)}
      {problems.map(({ store, problem }) => (
        <span key={store} className="search-locked">
          <Icon of={TriangleAlert} /> <StoreLabel id={store} />: {problem}
        </span>
      ))}
    </footer>
  );
}

/** A store with private work is indexed again at each start, until the person agrees that its index is kept. */
function Unkept({ store }: Pick<SearchCoverage, 'store'>) {
  const client = useQueryClient();
  const keep = useMutation({ mutationFn: () => api.keepIndex(store), onSuccess: () => refresh(client) });
  return (
    <span className="search-locked" data-testid="search-unkept">
      <Icon of={EyeOff} /> <StoreLabel id={store} /> is private work, so its index is in memory only.{' '}
      <Button disabledReason={keep.isPending ? 'Saving…' : undefined} onClick={() => keep.mutate()}>
        Keep it on disk
      </Button>
      {keep.isError && InspectorError.from(keep.error).message}
    </span>
  );
}

type Counts = Pick<SearchCoverage, 'of' | 'indexed' | 'partly' | 'locked' | 'unreadable'>;

export function sumOf(stores: readonly Counts[]): Counts {
  const sum = (pick: (counts: Counts) => number): number => stores.reduce((total, counts) => total + pick(counts), 0);
  return {
    of: sum(({ of }) => of),
    indexed: sum(({ indexed }) => indexed),
    partly: sum(({ partly }) => partly),
    locked: sum(({ locked }) => locked),
    unreadable: sum(({ unreadable }) => unreadable),
  };
}

/** @example coverageWords(counts) // '2,998 of 3,001 indexed, 1 locked, 2 unreadable' */
export function coverageWords({ of, indexed, partly, locked, unreadable }: Counts): string {
  const waiting = of - indexed - locked - unreadable;
  const parts = [
    `${formatCount(indexed)} of ${formatCount(of)} indexed`,
    locked > 0 && `${formatCount(locked)} locked`,
    unreadable > 0 && `${formatCount(unreadable)} unreadable`,
    waiting > 0 && `${formatCount(waiting)} not read yet`,
    partly > 0 && `${formatCount(partly)} only in part`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

/** Each token with what it does; pressing one puts it into the field. */
const TOKENS = [
  { token: 'timeout retry', does: 'Both words, in one value or its path' },
  { token: '"API timeout"', does: 'Exactly these words' },
  { token: 'revenue.CompanyB:4200', does: 'This value at this path; a number counts as a whole' },
  { token: '$.context.cache:true', does: 'The path from its beginning' },
  { token: '-retry', does: 'Without this word, or without what a token matches' },
  { token: 'status:failed', does: 'running, completed, failed, interrupted, pending, unknown' },
  { token: 'trigger:error', does: 'auto, manual, error, input, update, fork, restore, edit' },
  { token: 'agent:researcher', does: 'Also task: store: system: with a part of the name' },
  { token: '>10MB', does: 'Larger than; <1kB smaller than' },
  { token: 'after:2026-01-31', does: 'Saved since then; before: earlier. Times are UTC' },
] as const;

interface SearchHelpProps {
  readonly onPick: (token: string) => void;
}

export function SearchHelp({ onPick }: SearchHelpProps) {
  return (
    <section className="search-help" aria-label="What can be searched for" data-testid="search-help">
      <h2>What can be searched for</h2>
      <p className="muted">Values, keys and step names in every state of the open stores.</p>
      <ul>
        {TOKENS.map(({ token, does }) => (
          <li key={token}>
            <button type="button" className="search-token data-small" onClick={() => onPick(token)}>
              {token}
            </button>
            <span className="second">{does}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
