import type { Task } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ChevronDown, Search } from 'lucide-react';
import clsx from 'clsx';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button, Icon, Kbd, LoadingBar, Menu, onDemand, QueryError, Skeleton, TextField } from '../components/index.ts';
import { taskPage } from '../lib/address.ts';
import { ShowAround } from '../features/presenter/offer.tsx';
import { isOffered } from '../features/presenter/offered.ts';
import { FailedGroups } from '../features/errors/FailedGroups.tsx';
import { useFailedCheckpoint } from '../features/errors/groups.ts';
import { countArchived, filterTasks, headline, listed, sortTasks } from '../features/tasks/facets.ts';
import { taskKey, taskRows, useHeldRows } from '../features/tasks/order.ts';
import { comparison, usePicked } from '../features/tasks/picked.ts';
import { TaskTable } from '../features/tasks/TaskTable.tsx';
import { useLockedStores } from '../features/tasks/TaskBadges.tsx';
import { announce } from '../lib/signal.ts';
import { formatCount, formatSize, plural } from '../lib/format.ts';
import { useDrawn, useIsHere, useMedia, useRested, useTitle } from '../lib/hooks.ts';
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

/** Once a task is selected. */
const PickedBar = onDemand(async () => (await import('../features/tasks/PickedBar.tsx')).PickedBar);
/** Where a store fails, or takes long. */
const StoreNotes = onDemand(async () => (await import('../features/tasks/StoreNotes.tsx')).StoreNotes);
const NoTasks = onDemand(async () => (await import('../features/tasks/NoTasks.tsx')).NoTasks);

const route = getRouteApi('/tasks');
const SORT_WORDS: Record<Sort, string> = {
  failed: 'failed first',
  newest: 'newest first',
  name: 'by name',
  size: 'largest first',
  checkpoints: 'most checkpoints',
};

/** The home page: every task of every store, failed first. */
export function TasksRoute() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isHere = useIsHere();
  const change = (part: Partial<TasksSearch>): void => {
    if (isHere()) void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  };
  const stores = useQuery(storesQuery());
  const demo = useQuery(statusQuery()).data?.demo ?? false;
  const asked = useRested(search.q ?? '');
  const answer = useQuery(tasksQuery(asked === '' ? {} : { text: asked }));
  const { items: everyTask = [], failures = [], reading } = answer.data ?? {};
  const isDrawn = useDrawn(!answer.isPending && !(reading && everyTask.length === 0));
  const all = listed(everyTask, search.archived);
  const archived = countArchived(everyTask);
  const locked = useLockedStores();
  const sort = search.sort ?? 'failed';
  const tasks = sortTasks(filterTasks(all, search), sort);
  const shownBy = JSON.stringify([search.status, search.store, search.problem, search.archived, asked, sort]);
  const isFiltered = asked !== '' || [search.status, search.store, search.problem].some((facet) => facet !== undefined);
  const listedKeys = new Set(tasks.map(taskKey));
  // What the headline speaks of: a status alone does not change how the tasks are.
  const scope = filterTasks(all, search, 'status');
  const list = useHeldRows(taskRows(tasks, sort === 'failed'), shownBy);
  const order = list.rows.flatMap((row) => (row.kind === 'task' ? [row.task] : []));
  const [chosen, setChosen] = useState<string>();
  const active = order.find((task) => taskKey(task) === chosen) ?? order[0];
  const picked = usePicked();
  const compared = comparison(picked.tasks);
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
  useTitle(headline(scope));
  useEffect(() => setChosen(undefined), [shownBy]);
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => active && open(active),
    e: () => active && openFailed(active),
    '/': () => filter.current?.focus(),
    x: () => active && picked.toggle(active),
    c: () => (compared ? void navigate(compared) : announce('Select two tasks to compare their runs.')),
    Escape: picked.clear,
  });
  return (
    <div
      className={clsx('tasks-page', withPreview && active && 'with-preview')}
      data-testid="tasks-page"
      data-state={answer.isPending ? 'loading' : answer.isError ? 'error' : 'ready'}
    >
      {isDrawn ? (
        <FacetPane
          tasks={all}
          archived={archived}
          locked={locked}
          stores={stores.data ?? []}
          search={search}
          onChange={change}
        />
      ) : (
        FILTERS
      )}
      <section className="pane tasks-main" aria-label="Tasks">
        <LoadingBar active={answer.isFetching && !answer.isPending} />
        <header className="tasks-top">
          <div className="tasks-headline">
            <h1 className="page-title" aria-live="polite">
              {answer.isPending ? 'Tasks' : headline(scope)}
            </h1>
            {answer.data && <span className="muted">{totals(scope, search.store?.length ?? stores.data?.length)}</span>}
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
          <SortMenu sort={sort} onSort={(by) => change({ sort: by === 'failed' ? undefined : by })} />
        </header>
        {demo && isOffered() && <ShowAround />}
        <FailedGroups held={list.isHeld} isListed={isFiltered ? (task) => listedKeys.has(task) : undefined} />
        {(failures.length > 0 || reading) && (
          <StoreNotes failures={failures} reading={reading} stores={stores.data ?? []} />
        )}
        {answer.isPending && <Skeleton rows={8} height={46} />}
        <QueryError query={answer} title="The tasks could not be read." />
        {answer.data && !reading && tasks.length === 0 && (
          <NoTasks
            all={all}
            archived={archived}
            search={search}
            stores={stores.data ?? []}
            filled={
              answer.data.cursor === undefined ? [...everyTask, ...failures].map(({ store }) => store) : undefined
            }
            onChange={change}
          />
        )}
        {tasks.length > 0 && (
          <HeldList list={list}>
            <TaskTable
              rows={list.rows}
              stores={stores.data ?? []}
              locked={locked}
              active={active && taskKey(active)}
              picked={picked}
            />
          </HeldList>
        )}
        {picked.tasks.length > 0 ? (
          <PickedBar picked={picked} />
        ) : (
          <TasksFoot list={list} first={answer.data?.cursor === undefined || reading ? undefined : all.length} />
        )}
      </section>
      {withPreview && active && <TaskPreview task={active} stores={stores.data ?? []} />}
    </div>
  );
}

function SortMenu({ sort, onSort }: { readonly sort: Sort; readonly onSort: (sort: Sort) => void }) {
  const items = SORTS.map((by) => ({ label: SORT_WORDS[by], checked: by === sort, onSelect: () => onSort(by) }));
  return (
    <Menu
      align="end"
      label="Sort"
      groups={[items]}
      trigger={
        <Button className="tasks-sort">
          Sort: {SORT_WORDS[sort]}
          <Icon of={ChevronDown} size={12} />
        </Button>
      }
    />
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

/** @param first so many are listed, where there are more */
function TasksFoot({ list, first }: { readonly list: HeldRows; readonly first: number | undefined }) {
  return (
    <footer className="tasks-foot">
      <span className="flex tasks-keys">
        <Kbd>j</Kbd>
        <Kbd>k</Kbd> move <Kbd>↵</Kbd> open <Kbd>e</Kbd> its error <Kbd>x</Kbd> select <Kbd>/</Kbd> filter
      </span>
      <span>
        {first === undefined ? '' : `The first ${formatCount(first)} tasks are listed; filter by text to find others.`}
      </span>
      <OrderNote list={list} />
    </footer>
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

function totals(tasks: readonly Task[], stores: number | undefined): string {
  const checkpoints = tasks.reduce((sum, task) => sum + task.checkpointCount, 0);
  const more = tasks.some((task) => task.atLeast) ? 'at least ' : '';
  const bytes = tasks.reduce((sum, task) => sum + (task.sizeBytes ?? 0), 0);
  const size = bytes > 0 ? ` · ${formatSize(bytes)}` : '';
  const where = stores === undefined ? '' : ` in ${plural(stores, 'store')}`;
  return `${plural(tasks.length, 'task')}${where} · ${more}${plural(checkpoints, 'checkpoint')}${size}`;
}
