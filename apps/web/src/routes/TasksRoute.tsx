import type { Task } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ChevronDown, Search } from 'lucide-react';
import clsx from 'clsx';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import {
  Button,
  EmptyState,
  Icon,
  Kbd,
  LinkButton,
  LoadingBar,
  Menu,
  onDemand,
  QueryError,
  Skeleton,
  TextField,
} from '../components/index.ts';
import { taskPage } from '../lib/address.ts';
import { ShowAround } from '../features/presenter/ShowAround.tsx';
import { FailedGroups } from '../features/errors/FailedGroups.tsx';
import { useFailedCheckpoint } from '../features/errors/groups.ts';
import {
  countArchived,
  type FacetName,
  filterTasks,
  headline,
  listed,
  removedBy,
  sortTasks,
} from '../features/tasks/facets.ts';
import { taskKey, taskRows, useHeldRows } from '../features/tasks/order.ts';
import { StoreFailures, TasksReading, TaskTable } from '../features/tasks/TaskTable.tsx';
import { useLockedStores } from '../features/tasks/TaskBadges.tsx';
import { announce } from '../lib/signal.ts';
import { formatCount, formatSize, plural } from '../lib/format.ts';
import { useMedia, useRested, useTitle } from '../lib/hooks.ts';
import { useKeys } from '../lib/keys.ts';
import { usePresenting } from '../lib/presenting.ts';
import { statusQuery, storesQuery, tasksQuery } from '../lib/queries.ts';
import { type Sort, SORTS, type TasksSearch } from '../lib/search.ts';
import '../features/tasks/tasks.css';

/** It keeps its place while its code is fetched, which is once the list is there. */
const FILTERS = (
  <aside className="pane side facets" aria-label="Filters">
    <div className="pane-head">
      <h2>Filter</h2>
    </div>
  </aside>
);
const FacetPane = onDemand(async () => (await import('../features/tasks/FacetPane.tsx')).FacetPane, FILTERS);
/** Only beside a wide list. */
const TaskPreview = onDemand(async () => (await import('../features/tasks/TaskPreview.tsx')).TaskPreview);

const route = getRouteApi('/tasks');
const SORT_WORDS: Record<Sort, string> = {
  failed: 'failed first',
  newest: 'newest first',
  name: 'by name',
  size: 'largest first',
  checkpoints: 'most checkpoints',
};
const FACET_WORDS: Record<FacetName, string> = { status: 'status', store: 'store', problem: 'problem' };

/** The home page: every task of every store, failed first. */
export function TasksRoute() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<TasksSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const stores = useQuery(storesQuery());
  const demo = useQuery(statusQuery()).data?.demo ?? false;
  const asked = useRested(search.q ?? '');
  const answer = useQuery(tasksQuery(asked === '' ? {} : { text: asked }));
  const everyTask = answer.data?.items ?? [];
  const all = listed(everyTask, search.archived);
  const archived = countArchived(everyTask);
  const locked = useLockedStores();
  const tasks = sortTasks(filterTasks(all, search), search.sort ?? 'failed');
  const sort = search.sort ?? 'failed';
  const shownBy = JSON.stringify([search.status, search.store, search.problem, search.archived, asked, sort]);
  const list = useHeldRows(taskRows(tasks, sort === 'failed'), shownBy);
  const order = list.rows.flatMap((row) => (row.kind === 'task' ? [row.task] : []));
  const [chosen, setChosen] = useState<string>();
  const active = order.find((task) => taskKey(task) === chosen) ?? order[0];
  const presenting = usePresenting();
  const withPreview = useMedia('(min-width: 1600px)') && !presenting;
  const filter = useRef<HTMLInputElement>(null);
  const open = (task: Task): void =>
    void navigate({ ...taskPage(task.store, task.id), search: { archived: search.archived } });
  const failedOf = useFailedCheckpoint();
  const openFailed = (task: Task): void => {
    const failed = failedOf(task);
    if (!failed) return announce('No checkpoint of this task has failed.');
    void navigate({
      ...taskPage(task.store, task.id),
      search: { cp: failed.id, ns: failed.namespace, archived: search.archived },
    });
  };
  const move = (by: 1 | -1): void => {
    const next = order[active === undefined ? 0 : order.indexOf(active) + by];
    if (next) setChosen(taskKey(next));
  };
  useTitle(headline(all));
  useEffect(() => setChosen(undefined), [shownBy]);
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => active && open(active),
    e: () => active && openFailed(active),
    '/': () => filter.current?.focus(),
  });
  return (
    <div
      className={clsx('tasks-page', withPreview && active && 'with-preview')}
      data-testid="tasks-page"
      data-state={answer.isPending ? 'loading' : answer.isError ? 'error' : 'ready'}
    >
      {answer.isPending ? (
        FILTERS
      ) : (
        <FacetPane
          tasks={all}
          archived={archived}
          locked={locked}
          stores={stores.data ?? []}
          search={search}
          onChange={change}
        />
      )}
      <section className="pane tasks-main" aria-label="Tasks">
        <LoadingBar active={answer.isFetching && !answer.isPending} />
        <header className="tasks-top">
          <div className="tasks-headline">
            <h1 className="page-title" aria-live="polite">
              {answer.isPending ? 'Tasks' : headline(all)}
            </h1>
            {answer.data && <span className="muted">{totals(all, stores.data?.length ?? 0)}</span>}
          </div>
          <TextField
            ref={filter}
            icon={Search}
            label="Filter tasks"
            value={search.q ?? ''}
            onChange={(q) => change({ q: q === '' ? undefined : q })}
            after={<Kbd>/</Kbd>}
            className="tasks-filter"
            testId="task-filter"
          />
          <Menu
            align="end"
            label="Sort"
            groups={[
              SORTS.map((sort) => ({
                label: SORT_WORDS[sort],
                checked: sort === (search.sort ?? 'failed'),
                onSelect: () => change({ sort: sort === 'failed' ? undefined : sort }),
              })),
            ]}
            trigger={
              <Button className="tasks-sort">
                Sort: {SORT_WORDS[search.sort ?? 'failed']}
                <Icon of={ChevronDown} size={12} />
              </Button>
            }
          />
        </header>
        {demo && <ShowAround />}
        <FailedGroups held={list.isHeld} />
        <StoreFailures failures={answer.data?.failures ?? []} stores={stores.data ?? []} />
        <TasksReading reading={answer.data?.reading} stores={stores.data ?? []} />
        {answer.isPending && <Skeleton rows={8} height={46} />}
        <QueryError query={answer} title="The tasks could not be read." />
        {answer.data && !answer.data.reading && tasks.length === 0 && (
          <NoTasks all={all} archived={archived} search={search} stores={stores.data?.length ?? 0} onChange={change} />
        )}
        {tasks.length > 0 && (
          <HeldList list={list}>
            <TaskTable rows={list.rows} stores={stores.data ?? []} locked={locked} active={active && taskKey(active)} />
          </HeldList>
        )}
        <footer className="tasks-foot">
          <span className="flex tasks-keys">
            <Kbd>j</Kbd>
            <Kbd>k</Kbd> move <Kbd>↵</Kbd> open <Kbd>e</Kbd> its error <Kbd>/</Kbd> filter
          </span>
          <span>
            {answer.data?.cursor === undefined || answer.data.reading
              ? ''
              : `The first ${formatCount(all.length)} tasks are listed; filter by text to find others.`}
          </span>
          <OrderNote list={list} />
        </footer>
      </section>
      {withPreview && active && <TaskPreview task={active} stores={stores.data ?? []} />}
    </div>
  );
}

type HeldRows = ReturnType<typeof useHeldRows>;

/** Nothing moves under the pointer or around the focus. */
function HeldList({ list, children }: { readonly list: HeldRows; readonly children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const isInside = (): boolean =>
    box.current !== null && (box.current.matches(':hover') || box.current.contains(document.activeElement));
  const release = (): void => {
    if (!isInside()) list.release();
  };
  return (
    <div
      ref={box}
      className="held-list"
      role="presentation"
      onPointerEnter={list.hold}
      onPointerLeave={() => requestAnimationFrame(release)}
      onFocus={list.hold}
      onBlur={() => requestAnimationFrame(release)}
    >
      {children}
    </div>
  );
}

/** What the order waits for, and the way to it. */
function OrderNote({ list }: { readonly list: HeldRows }) {
  if (list.moved === 0)
    return <span className="end">{list.isHeld ? 'The order is kept while you point at the list' : ''}</span>;
  return (
    <button type="button" className="link end" onClick={list.reorder} data-testid="reorder">
      {plural(list.moved, 'task')} moved, reorder
    </button>
  );
}

function totals(tasks: readonly Task[], stores: number): string {
  const checkpoints = tasks.reduce((sum, task) => sum + task.checkpointCount, 0);
  const bytes = tasks.reduce((sum, task) => sum + (task.sizeBytes ?? 0), 0);
  const size = bytes > 0 ? ` · ${formatSize(bytes)}` : '';
  return `${plural(tasks.length, 'task')} in ${plural(stores, 'store')} · ${plural(checkpoints, 'checkpoint')}${size}`;
}

interface NoTasksProps {
  readonly all: readonly Task[];
  readonly archived: number;
  readonly search: TasksSearch;
  readonly stores: number;
  readonly onChange: (change: Partial<TasksSearch>) => void;
}

/** Three different empties: no store, nothing saved yet, all filtered away. */
function NoTasks({ all, archived, search, stores, onChange }: NoTasksProps) {
  if (all.length === 0 && archived > 0) {
    return (
      <EmptyState action={<Button onClick={() => onChange({ archived: '1' })}>Show archived ({archived})</Button>}>
        {archived === 1 ? 'The only task here is archived.' : `All ${formatCount(archived)} tasks here are archived.`}
      </EmptyState>
    );
  }
  if (all.length === 0 && search.q !== undefined) {
    return (
      <EmptyState action={<Button onClick={() => onChange({ q: undefined })}>Clear the text</Button>}>
        No tasks match “{search.q}” in its name or id.
      </EmptyState>
    );
  }
  if (all.length === 0) {
    return (
      <EmptyState action={<LinkButton to="/stores">Open a store</LinkButton>}>
        {stores === 0
          ? 'No store is open. Open a SQLite file or a folder of checkpoints.'
          : 'The open stores have no checkpoints yet. The first one appears here as soon as it is saved.'}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      action={
        <span className="row-of-controls">
          {removedBy(all, search).map(({ facet, count }) => (
            <Button key={facet} onClick={() => onChange({ [facet]: undefined })}>
              Clear {FACET_WORDS[facet]} ({formatCount(count)} hidden)
            </Button>
          ))}
        </span>
      }
    >
      No tasks match these filters.
    </EmptyState>
  );
}
