import type { SearchAnswer } from '../../lib/api.ts';
import { formatCount } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { StoreLabel } from '../stores/StoreLabel.tsx';
import { useRecent } from './recent.ts';
import { SearchHelp } from './SearchFoot.tsx';

interface SearchAsideProps {
  readonly answer: SearchAnswer | undefined;
  /** Words of the language, unless the page shows them already. */
  readonly onPick: ((token: string) => void) | undefined;
  readonly onSearch: (words: string) => void;
}

/** Beside the results: what was searched for before, ways to narrow it, and how much of each store was searched. */
export function SearchAside({ answer, onPick, onSearch }: SearchAsideProps) {
  return (
    <aside className="search-aside" aria-label="About this search">
      <RecentSearches onSearch={onSearch} />
      {onPick && <SearchHelp onPick={onPick} />}
      {answer && <Searched answer={answer} />}
    </aside>
  );
}

export function RecentSearches({ onSearch }: Pick<SearchAsideProps, 'onSearch'>) {
  const recent = useRecent();
  const shown = useShown();
  if (recent.length === 0) return null;
  return (
    <section className="search-recent" aria-label="Recent searches" data-testid="search-recent">
      <h2>Recent</h2>
      <ul>
        {recent.map((words) => (
          <li key={words}>
            <button type="button" className="search-token data-small cut" onClick={() => onSearch(words)}>
              {shown(words)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Searched({ answer: { coverage } }: { readonly answer: SearchAnswer }) {
  return (
    <section className="search-searched" aria-label="Checkpoints searched, by store">
      <h2>Searched</h2>
      <ul>
        {coverage.map(({ store, of, indexed }) => (
          <li key={store}>
            <span className="cut">
              <StoreLabel id={store} />
            </span>
            <span className="muted">
              {indexed === of ? formatCount(of) : `${formatCount(indexed)} of ${formatCount(of)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
