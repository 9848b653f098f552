import { useNavigate } from '@tanstack/react-router';
import { type Ref, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { taskPage } from '../../lib/address.ts';
import { VirtualList } from '../../components/index.ts';
import { plural, showId } from '../../lib/format.ts';
import { grouped, useMedia } from '../../lib/hooks.ts';
import { useStoreLabel, useTaskTitle } from '../../lib/queries.ts';
import { useShown } from '../../lib/masking.ts';
import type { SearchItem } from '../../lib/api.ts';
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
      ...taskPage(store, ref.task),
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
  const label = useStoreLabel(row.kind === 'task' ? row.store : '');
  if (row.kind === 'hit') return <SearchHit item={row.item} narrow={narrow} onOpen={onOpen} />;
  if (row.kind === 'more') {
    return (
      <div role="presentation" className="search-more small" onClick={() => onOpen('last')}>
        {plural(row.hidden, 'more result')} in this task
      </div>
    );
  }
  return <TaskHeading row={row} label={label} />;
}

function TaskHeading({ row, label }: { readonly row: Extract<ResultRow, { kind: 'task' }>; readonly label: string }) {
  const navigate = useNavigate();
  const { store, task } = row;
  const title = useTaskTitle(store, task);
  const shown = useShown();
  const toTask = (): void => void navigate({ ...taskPage(store, task), search: {} });
  return (
    <div className="search-task" data-testid="search-task">
      {/* No link: a list box can contain none. The results below lead into the task as well. */}
      <span role="presentation" className="strong cut" title={showId(task)} onClick={toTask}>
        {shown(showId(title))}
      </span>
      <span className="small muted cut">{label}</span>
      <span className="end small muted">{plural(row.count, 'result')}</span>
    </div>
  );
}

const PATIENCE_MS = 5_000;

/** Puts the focus on the tree of the state once it is drawn, unless the reader is somewhere else by then. */
function focusStateTree(): void {
  const find = (): boolean => {
    const tree = document.querySelector<HTMLElement>('[data-testid="state-tree"]');
    if (tree === null) return false;
    if (document.activeElement === document.body || document.activeElement === null) tree.focus();
    return true;
  };
  if (find()) return;
  const seen = new MutationObserver(() => find() && seen.disconnect());
  seen.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => seen.disconnect(), PATIENCE_MS);
}

type ResultRow =
  | {
      readonly kind: 'task';
      readonly key: string;
      readonly store: string;
      readonly task: string;
      readonly count: number;
    }
  | { readonly kind: 'hit'; readonly key: string; readonly item: SearchItem }
  | { readonly kind: 'more'; readonly key: string; readonly group: string; readonly hidden: number };

/** A task shows so many results until it is asked for all. */
export const SHOWN_PER_TASK = 8;

const groupOf = ({ store, ref }: SearchItem): string => JSON.stringify([store, ref.task]);

/** Results under their tasks, in the order they came. @example resultRows(items, new Set()) */
export function resultRows(items: readonly SearchItem[], unfolded: ReadonlySet<string>): ResultRow[] {
  return [...grouped(items, groupOf)].flatMap(([group, found]) => rowsOf(group, found, unfolded.has(group)));
}

function rowsOf(group: string, found: readonly SearchItem[], all: boolean): ResultRow[] {
  const [first] = found;
  if (first === undefined) return [];
  // A single one is shown rather than the line that says it is hidden.
  const shown = all || found.length <= SHOWN_PER_TASK + 1 ? found : found.slice(0, SHOWN_PER_TASK);
  const rows: ResultRow[] = [
    { kind: 'task', key: `task ${group}`, store: first.store, task: first.ref.task, count: found.length },
    ...shown.map((item): ResultRow => ({ kind: 'hit', key: keyOf(item), item })),
  ];
  const hidden = found.length - shown.length;
  return hidden === 0 ? rows : [...rows, { kind: 'more', key: `more ${group}`, group, hidden }];
}

function keyOf({ store, in: where, path, snippet, firstSeen, lastSeen }: SearchItem): string {
  const ends = [firstSeen.ref, lastSeen.ref].map(({ namespace, id }) => [namespace ?? '', id]);
  return JSON.stringify([store, lastSeen.ref.task, where, path ?? null, snippet?.text ?? null, ends]);
}
