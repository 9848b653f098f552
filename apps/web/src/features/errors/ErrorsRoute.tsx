import { sameRef } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useEffect, useMemo, useRef, useState } from 'react';
import { checkpointPage } from '../../lib/address.ts';
import { Badge, Button, EmptyState, LinkButton, ListRoute, StatusIcon, VirtualList } from '../../components/index.ts';
import { formatCount, formatAge, formatAgo, formatTime, showId } from '../../lib/format.ts';
import { useMedia, useNow } from '../../lib/hooks.ts';
import { useKeys } from '../../lib/keys.ts';
import { useShown } from '../../lib/masking.ts';
import { errorsQuery, storesQuery, tasksQuery, useStoreLabel } from '../../lib/queries.ts';
import { HourBars } from './HourBars.tsx';
import type { ErrorGroup, FailedTask } from '../../lib/api.ts';
import { AnswerCard } from '../answer/AnswerCard.tsx';
import { numberOf, shortName } from '../answer/words.ts';
import { TaskPreview } from '../tasks/TaskPreview.tsx';
import { CoverageFoot } from './CoverageFoot.tsx';
import { GroupWords } from './FailedGroups.tsx';
import {
  coverageWords,
  groupCounts,
  groupId,
  groupsHeadline,
  keptGroups,
  recoveredWords,
  timesWords,
} from './groups.ts';
import { LastGoodLink, sinceGood } from './LastGoodLink.tsx';
import { type ErrorRow, errorRows } from './rows.ts';
import '../tasks/tasks.css';
import './triage.css';

const route = getRouteApi('/errors');
const NONE: readonly ErrorGroup[] = [];
const HEIGHTS = { group: 44, task: 44, more: 32 } as const;

/** Every failed checkpoint of every store by the kind of its message, each with the way back to what was good. */
export function ErrorsRoute() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const answer = useQuery(errorsQuery());
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(() => new Set(search.group ? [search.group] : []));
  const groups = answer.data?.items ?? NONE;
  const list = useHeldGroups(groups);
  const rows = useMemo(() => errorRows(list.groups, unfolded), [list.groups, unfolded]);
  const [activeKey, setActiveKey] = useState<string>();
  const active = rows.findIndex(({ key }) => key === activeKey);
  const wanted = rows[rows.findIndex((row) => row.key === search.group) + 1];
  const wantedKey = search.group === undefined ? undefined : wanted?.key;
  useEffect(() => {
    if (wantedKey !== undefined) setActiveKey(wantedKey);
  }, [wantedKey]);
  const move = (by: 1 | -1): void => {
    for (let index = active + by; index >= 0 && index < rows.length; index += by) {
      const row = rows[index];
      if (row?.kind === 'task') return setActiveKey(row.key);
    }
  };
  const act = (run: (task: FailedTask) => void) => (): void => {
    const row = rows[active];
    if (row?.kind === 'task') run(row.task);
  };
  const open = act(({ store, task, failed }) => void navigate(checkpointPage(store, { ...failed, task })));
  const compare = act(({ lastNotFailed, failed }) => {
    if (lastNotFailed && !sameRef(lastNotFailed, failed))
      void navigate({ to: '/compare', search: sinceGood(lastNotFailed, failed) });
  });
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    e: () => move(1),
    E: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: open,
    c: compare,
  });
  // Until one is chosen, the first of the beginning: the order moves on with each failure.
  const first = useRef<string>(undefined);
  const isTask = (row: ErrorRow): boolean => row.kind === 'task';
  const looked = rows[active] ?? rows.find((row) => row.key === first.current) ?? rows.find(isTask);
  first.current ??= looked?.key;
  const withPreview = useMedia('(min-width: 1280px)') && looked?.kind === 'task';
  const page = (
    <ListRoute
      title="Errors"
      testId="errors-page"
      query={answer}
      failed="The errors could not be read."
      showsFetching={answer.data?.coverage.complete === false}
      said={
        answer.data && (
          <span className="muted" aria-live="polite">
            {headline(groups)}
          </span>
        )
      }
      foot={
        <CoverageFoot coverage={answer.data?.coverage} failures={answer.data?.failures ?? []}>
          Messages are grouped ignoring numbers, ids, times, paths and quoted values.
        </CoverageFoot>
      }
    >
      {groups.length === 0 && answer.data && (
        <EmptyState title="No errors" action={<LinkButton to="/tasks">Go to tasks</LinkButton>}>
          {answer.data.coverage.complete
            ? 'No checkpoints in the open stores have failed.'
            : coverageWords(answer.data.coverage)}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <div className="held-errors" role="presentation" onPointerEnter={list.hold} onPointerLeave={list.release}>
          <VirtualList
            items={rows}
            keyOf={(row) => row.key}
            heightOf={(row) => HEIGHTS[row.kind]}
            measured
            role="list"
            label="Failures by message, with their tasks"
            active={active}
            className="error-list"
            testId="error-list"
            render={(row, index) => (
              <Row
                row={row}
                active={index === active}
                onUnfold={(id) => setUnfolded((before) => new Set([...before, id]))}
              />
            )}
          />
        </div>
      )}
    </ListRoute>
  );
  if (!withPreview) return page;
  return (
    <div className="errors-with-preview">
      {page}
      <FailurePreview task={looked.task} />
    </div>
  );
}

/** Held while the pointer is in the list: no row moves away under it. */
function useHeldGroups(now: readonly ErrorGroup[]) {
  const [held, setHeld] = useState<readonly ErrorGroup[]>();
  return {
    groups: useMemo(() => (held ? keptGroups(held, now) : now), [held, now]),
    hold: (): void => setHeld(now.length === 0 ? undefined : now),
    release: (): void => setHeld(undefined),
  };
}

/** Where there is room: what went wrong with the row that is looked at. */
function FailurePreview({ task: failed }: { readonly task: FailedTask }) {
  const task = useQuery(tasksQuery()).data?.items.find(({ store, id }) => store === failed.store && id === failed.task);
  const { data: stores = [] } = useQuery(storesQuery());
  if (task === undefined) return <aside className="pane side task-preview" aria-label="Preview" />;
  return (
    <TaskPreview
      task={task}
      stores={stores}
      answer={<AnswerCard at={failed.failed} said={failed.current ? failed.message : undefined} />}
    />
  );
}

function headline(groups: readonly ErrorGroup[]): string {
  return [groupsHeadline(groups), recoveredWords(groups)].filter((part) => part !== undefined).join(', ');
}

interface RowProps {
  readonly row: ErrorRow;
  readonly active: boolean;
  readonly onUnfold: (id: string) => void;
}

function Row({ row, active, onUnfold }: RowProps) {
  if (row.kind === 'group') return <GroupHead group={row.group} />;
  if (row.kind === 'task') return <TaskRow task={row.task} outcome={row.group.outcome ?? 'failed'} active={active} />;
  return (
    <div className="error-more">
      <Button size="sm" variant="ghost" onClick={() => onUnfold(groupId(row.group.key))}>
        {formatCount(row.count)} more
      </Button>
    </div>
  );
}

function GroupHead({ group }: { readonly group: ErrorGroup }) {
  const shown = useShown();
  const now = useNow();
  return (
    <div className="error-group" data-testid="error-group" data-count={group.count} data-tasks={group.tasks.length}>
      <h2 className="two-lines" title={shown(group.pattern)}>
        <GroupWords pattern={group.pattern} />
      </h2>
      <span className="small muted">{groupCounts(group)}</span>
      <HourBars hours={group.hours} outcome={group.outcome} className="error-group-hours" />
      {group.firstSeen !== undefined && group.lastSeen !== undefined && (
        <span
          className="small muted error-group-seen"
          title={`${formatTime(group.firstSeen)} to ${formatTime(group.lastSeen)}`}
        >
          {group.firstSeen === group.lastSeen
            ? formatAgo(group.lastSeen, now)
            : `first ${formatAgo(group.firstSeen, now)}, latest ${formatAgo(group.lastSeen, now)}`}
        </span>
      )}
    </div>
  );
}

/** `#10 compile`: the number, and the name where the message does not say it. */
function stepWords(step: NonNullable<FailedTask['step']>, message: string | undefined): string {
  return [numberOf(step), shortName(step, message)].filter((part) => part !== undefined).join(' ');
}

interface TaskRowProps {
  readonly task: FailedTask;
  readonly outcome: 'failed' | 'check_failed';
  readonly active: boolean;
}

function TaskRow({ task, outcome, active }: TaskRowProps) {
  const shown = useShown();
  const now = useNow();
  const { store, failed } = task;
  return (
    <div className={clsx('error-task selectable', active && 'selected')} data-testid="error-task" data-task={task.task}>
      <StatusIcon status={outcome} />
      <Link className="error-task-name" {...checkpointPage(store, { ...failed, task: task.task })}>
        <span className="flex">
          <span className="strong cut">{showId(task.title)}</span>
          {!task.current && (
            <Badge tone="quiet" title="The task has moved on from this checkpoint">
              recovered
            </Badge>
          )}
          {task.count > 1 && <Badge tone="quiet">{timesWords(task.count)}</Badge>}
        </span>
        <span className="small muted cut" title={task.message && shown(task.message)}>
          {task.message === undefined ? 'No message was stored.' : shown(task.message)}
          {task.step && ` · ${shown(stepWords(task.step, task.message))}`}
        </span>
      </Link>
      <span className="small muted cut error-task-store">{useStoreLabel(store)}</span>
      <time
        className="small muted number error-task-age"
        dateTime={task.time}
        title={task.time && formatTime(task.time)}
      >
        {task.time === undefined ? 'no time' : formatAge(task.time, now)}
      </time>
      <LastGoodLink title={task.title} before={task.lastNotFailed} failed={failed} />
    </div>
  );
}
