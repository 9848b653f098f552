import { outcomeOf, type Task } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import clsx from 'clsx';
import { Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import {
  EmptyState,
  IconButton,
  LoadingBar,
  QueryError,
  Skeleton,
  StatusIcon,
  TextField,
  VirtualList,
} from '../../components/index.ts';
import { taskPage } from '../../lib/address.ts';
import type { StoreFailure } from '../../lib/api.ts';
import { formatCount, formatAge, formatTime, showId } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { storesQuery, tasksQuery } from '../../lib/queries.ts';
import { useRowHeight } from '../../lib/settings.ts';
import { countArchived, countBy, listed } from './facets.ts';
import { taskFact } from './facts.ts';
import { ArchivedFacet, StoreIcon } from './FacetPane.tsx';
import { rowKey, taskRows } from './order.ts';
import { GROUP_WORDS, TaskBadges, useLockedStores } from './TaskBadges.tsx';
import { useRowFacts } from './TaskTable.tsx';
import './tasks.css';

interface TasksPaneProps {
  readonly store: string;
  readonly task: string;
  readonly archived: '1' | undefined;
  readonly onArchived: (archived: '1' | undefined) => void;
}

/** The tasks of all stores beside the history, grouped by status. */
export function TasksPane({ store, task, archived, onArchived }: TasksPaneProps) {
  const answer = useQuery(tasksQuery());
  const navigate = useNavigate();
  const now = useNow();
  const shown = useShown();
  const [filter, setFilter] = useState<string>();
  const height = useRowHeight(2);
  const everyTask = answer.data?.items;
  const all = useMemo(
    () => everyTask && listed(everyTask, archived, { store, id: task }),
    [everyTask, archived, store, task],
  );
  const archivedCount = countArchived(everyTask ?? []);
  const locked = useLockedStores();
  const factsOf = useRowFacts();
  const factOf = (one: Task): string => {
    const { outline, waiting } = factsOf(one);
    return taskFact(one, outline, waiting, now).text;
  };
  const rows = useMemo(() => {
    const wanted = (filter ?? '').toLowerCase();
    return taskRows((all ?? []).filter((one) => `${one.title} ${one.id}`.toLowerCase().includes(wanted)));
  }, [all, filter]);
  const active = rows.findIndex((row) => row.kind === 'task' && row.task.store === store && row.task.id === task);
  const open = (index: number): void => {
    const row = rows[index];
    if (row?.kind === 'task')
      void navigate({
        ...taskPage(row.task.store, row.task.id),
        search: (before) => ({ archived, pane: before.pane === 'tasks' ? ('history' as const) : undefined }),
      });
  };
  return (
    <aside
      className="pane side"
      aria-label="Tasks"
      data-testid="tasks-pane"
      data-state={answer.isPending ? 'loading' : answer.isError ? 'error' : 'ready'}
    >
      <LoadingBar active={answer.isFetching && !answer.isPending} />
      <div className="pane-head">
        {filter === undefined ? (
          <>
            <h2>Tasks</h2>
            <span className="muted">{all && formatCount(all.length)}</span>
            <IconButton className="end head-button" label="Filter tasks" icon={Search} onClick={() => setFilter('')} />
          </>
        ) : (
          <TextField
            autoFocus
            className="grow"
            label="Filter tasks"
            value={filter}
            onChange={setFilter}
            onKeyDown={(event) => event.key === 'Escape' && setFilter(undefined)}
          />
        )}
      </div>
      {answer.isPending && <Skeleton />}
      <QueryError query={answer} />
      {answer.data && rows.length === 0 && (
        <EmptyState>{shown(whyNone(filter ?? '', answer.data.failures))}</EmptyState>
      )}
      <VirtualList
        items={rows}
        keyOf={rowKey}
        heightOf={(row) => (row.kind === 'head' ? 28 : height)}
        label="Tasks"
        active={active}
        onActive={open}
        onOpen={open}
        isRow={(row) => row.kind === 'task'}
        testId="tasks-list"
        render={(row, index) =>
          row.kind === 'head' ? (
            <div className="group-head">
              {GROUP_WORDS[row.status]} <span>{formatCount(row.count)}</span>
            </div>
          ) : (
            <TaskItem
              task={row.task}
              fact={factOf(row.task)}
              locked={locked.has(row.task.store)}
              selected={index === active}
              now={now}
              onClick={() => open(index)}
            />
          )
        }
      />
      {archivedCount > 0 && (
        <div className="archived-facet">
          <ArchivedFacet
            on={archived !== undefined}
            count={archivedCount}
            onToggle={(on) => onArchived(on ? '1' : undefined)}
          />
        </div>
      )}
      <StoreFacets tasks={all ?? []} />
    </aside>
  );
}

/** Why no task is listed. */
export function whyNone(filter: string, failures: readonly Pick<StoreFailure, 'error'>[]): string {
  if (filter !== '') return `No task has “${filter}” in its name or id.`;
  return failures[0]?.error.message ?? 'The open stores have no tasks.';
}

interface TaskItemProps {
  readonly task: Task;
  readonly fact: string;
  readonly locked: boolean;
  readonly selected: boolean;
  readonly now: number;
  readonly onClick: () => void;
}

function TaskItem({ task, fact, locked, selected, now, onClick }: TaskItemProps) {
  const shown = useShown();
  return (
    // The list around it has the keys; the mouse needs the row itself.
    <div
      className={clsx('row-two selectable', selected && 'selected')}
      data-testid="task-item"
      data-task={task.id}
      onClick={onClick}
      role="presentation"
    >
      <span className="line-1">
        <StatusIcon status={outcomeOf(task)} />
        <span className={clsx('cut grow', selected && 'strong')} title={showId(task.id)}>
          {showId(task.title)}
        </span>
        {task.updatedAt !== undefined && (
          <time className="small muted" dateTime={task.updatedAt} title={formatTime(task.updatedAt)}>
            {formatAge(task.updatedAt, now)}
          </time>
        )}
      </span>
      <span className="line-2 task-item-fact">
        <span className="cut grow" title={shown(fact)}>
          {shown(fact)}
        </span>
        <TaskBadges task={task} locked={locked} brief />
      </span>
    </div>
  );
}

function StoreFacets({ tasks }: { readonly tasks: readonly Task[] }) {
  const stores = useQuery(storesQuery());
  const navigate = useNavigate();
  const counts = countBy(tasks, (task) => task.store);
  return (
    <nav className="pane-foot store-facets" aria-label="Stores">
      <h3 className="label">Stores</h3>
      {(stores.data ?? []).map((info) => (
        <button
          key={info.id}
          type="button"
          title={info.location}
          onClick={() => void navigate({ to: '/tasks', search: { store: [info.id] } })}
        >
          <StoreIcon location={info.location ?? info.label} />
          <span className="cut">{info.label}</span>
          <span className="muted end">{formatCount(counts.get(info.id) ?? 0)}</span>
        </button>
      ))}
    </nav>
  );
}
