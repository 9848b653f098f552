import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useImperativeHandle, useMemo, useRef, useState, type Ref } from 'react';
import { VirtualList } from '../../components/index.ts';
import { plural, showId } from '../../lib/format.ts';
import { useMedia } from '../../lib/hooks.ts';
import { storesQuery } from '../../lib/queries.ts';
import { useShown } from '../../lib/masking.ts';
import type { SearchItem } from '../../lib/wire.ts';
import { focusStateTree } from './focus-state.ts';
import { resultRows, type ResultRow } from './rows.ts';
import { SearchHit } from './SearchHit.tsx';

export interface ResultsHandle {
  /** Moves the focus into the list. */
  enter(): void;
  /** Opens the chosen result, or the first one. */
  open(which: 'first' | 'last'): void;
}

interface SearchResultsProps {
  readonly items: readonly SearchItem[];
  readonly onEndReached: () => void;
  /** Up from the first row. */
  readonly onLeave: () => void;
  readonly ref: Ref<ResultsHandle>;
}

const HEIGHTS = { task: 32, hit: 48, more: 28 } as const;
const NARROW_HEIGHTS = { task: 36, hit: 66, more: 32 } as const;

/** Results under their tasks; arrows choose, Enter opens the state with the value in focus. */
export function SearchResults({ items, onEndReached, onLeave, ref }: SearchResultsProps) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => resultRows(items, unfolded), [items, unfolded]);
  const [chosen, setChosen] = useState<string>();
  const first = rows.findIndex((row) => row.kind === 'hit');
  const found = rows.findIndex((row) => row.key === chosen);
  const active = found === -1 ? first : found;
  const frame = useRef<HTMLDivElement>(null);
  const openItem = useOpen();
  const narrow = useMedia('(max-width: 799px)');
  const heights = narrow ? NARROW_HEIGHTS : HEIGHTS;
  const open = (index: number, which: 'first' | 'last'): void => {
    const row = rows[index];
    if (row?.kind === 'hit') openItem(row.item, which);
    if (row?.kind === 'more') setUnfolded(new Set(unfolded).add(row.group));
  };
  useImperativeHandle(ref, () => ({
    enter: () => frame.current?.querySelector<HTMLElement>('[role="listbox"]')?.focus(),
    open: (which) => open(active, which),
  }));
  return (
    <div ref={frame} className="search-results">
      <VirtualList
        items={rows}
        keyOf={(row) => row.key}
        heightOf={(row) => heights[row.kind]}
        label="Results"
        testId="search-results"
        active={active}
        isRow={(row) => row.kind !== 'task'}
        onActive={(index) => setChosen(rows[index]?.key)}
        onOpen={(index) => open(index, 'last')}
        onKey={(event) => {
          if (event.key === 'Enter' && event.shiftKey) {
            event.preventDefault();
            open(active, 'first');
          }
          if (event.key === 'ArrowUp' && active === first) {
            event.preventDefault();
            onLeave();
          }
        }}
        onEndReached={onEndReached}
        rowProps={(row, index) => (row.kind === 'task' ? {} : { 'data-active': index === active })}
        render={(row, index) => <Row row={row} narrow={narrow} onOpen={(which) => open(index, which)} />}
      />
    </div>
  );
}

/** Opens the checkpoint's state with the path in focus, or the checkpoint itself. */
function useOpen(): (item: SearchItem, which: 'first' | 'last') => void {
  const navigate = useNavigate();
  return ({ store, path, firstSeen, lastSeen }, which) => {
    const { ref } = which === 'first' ? firstSeen : lastSeen;
    // A key that was masked in the index leads nowhere.
    const place = path === undefined || path.includes('••••') ? {} : { view: 'state' as const, path };
    void navigate({
      to: '/t/$store/$task',
      params: { store, task: ref.task },
      search: { cp: ref.id, ns: ref.namespace, pane: 'content', ...place },
    }).then(() => 'path' in place && focusStateTree());
  };
}

interface RowProps {
  readonly row: ResultRow;
  readonly narrow: boolean;
  readonly onOpen: (which: 'first' | 'last') => void;
}

function Row({ row, narrow, onOpen }: RowProps) {
  const shown = useShown();
  const stores = useQuery(storesQuery()).data;
  const navigate = useNavigate();
  if (row.kind === 'hit') return <SearchHit item={row.item} narrow={narrow} onOpen={onOpen} />;
  if (row.kind === 'more') {
    return (
      <div role="presentation" className="search-more small" onClick={() => onOpen('last')}>
        {plural(row.hidden, 'more result')} in this task
      </div>
    );
  }
  const label = stores?.find(({ id }) => id === row.store)?.label ?? row.store;
  const { store, task } = row;
  const toTask = (): void => void navigate({ to: '/t/$store/$task', params: { store, task }, search: {} });
  return (
    <div className="search-task" data-testid="search-task">
      {/* No link: a list box can hold none. The results below lead into the task as well. */}
      <span role="presentation" className="strong cut" onClick={toTask}>
        {shown(showId(row.task))}
      </span>
      <span className="small muted cut">{label}</span>
      <span className="end small muted">{plural(row.count, 'result')}</span>
    </div>
  );
}
