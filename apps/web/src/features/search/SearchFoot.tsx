import { Lock, TriangleAlert } from 'lucide-react';
import { Icon } from '../../components/index.ts';
import type { SearchAnswer } from '../../lib/wire.ts';
import { UnlockButton } from '../unlock/UnlockButton.tsx';
import { coverageWords, sumOf } from './coverage.ts';

/** How much of the stores was searched: a result that is missing may be in the rest. */
export function SearchFoot({ answer }: { readonly answer: SearchAnswer | undefined }) {
  if (answer === undefined) return <footer className="search-foot muted">Looking at the index</footer>;
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
                <b>{store.store}</b> {coverageWords(store)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {locked.map(({ store }) => (
        <span key={store} className="search-locked">
          <Icon of={Lock} /> {store} <UnlockButton store={store} />
        </span>
      ))}
      {problems.map(({ store, problem }) => (
        <span key={store} className="search-locked">
          <Icon of={TriangleAlert} /> {store}: {problem}
        </span>
      ))}
    </footer>
  );
}
