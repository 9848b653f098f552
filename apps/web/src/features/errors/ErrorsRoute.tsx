import { formatAddress } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useEffect, useMemo, useState } from 'react';
import { checkpointPage } from '../../lib/address.ts';
import { Badge, Button, EmptyState, ListRoute, StatusIcon, VirtualList } from '../../components/index.ts';
import { formatAge, formatTime, plural, showId } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { useKeys } from '../../lib/keys.ts';
import { useShown } from '../../lib/masking.ts';
import { errorsQuery, useStoreLabel } from '../../lib/queries.ts';
import { HourBars } from './HourBars.tsx';
import type { ErrorGroup, FailedTask } from '../../lib/api.ts';
import { CoverageFoot } from './CoverageFoot.tsx';
import { coverageWords, type ErrorRow, errorRows, groupCounts, groupId, groupsHeadline, standing } from './groups.ts';
import { GroupWords, LastGoodLink } from './FailedGroups.tsx';
import './triage.css';

const route = getRouteApi('/errors');
const HEIGHTS = { group: 44, task: 44, more: 32 } as const;

/** Every failed checkpoint of every store by the kind of its message, each with the way back to what was good. */
export function ErrorsRoute() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const answer = useQuery(errorsQuery());
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(() => new Set(search.group ? [search.group] : []));
  const groups = answer.data?.items ?? [];
  const rows = useMemo(() => errorRows(answer.data?.items ?? [], unfolded), [answer.data, unfolded]);
  const [active, setActive] = useState(-1);
  const wanted = rows.findIndex((row) => row.key === search.group) + 1;
  useEffect(() => {
    if (wanted > 0) setActive(wanted);
  }, [wanted]);
  const move = (by: 1 | -1): void => {
    for (let index = active + by; index >= 0 && index < rows.length; index += by) {
      if (rows[index]?.kind !== 'task') continue;
      setActive(index);
      return;
    }
  };
  const act = (run: (task: FailedTask) => void) => (): void => {
    const row = rows[active];
    if (row?.kind === 'task') run(row.task);
  };
  const open = act(({ store, task, failed }) => void navigate(checkpointPage(store, { ...failed, task })));
  const compare = act(({ lastGood, failed }) => {
    if (lastGood) void navigate({ to: '/compare', search: { a: formatAddress(lastGood), b: formatAddress(failed) } });
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
  return (
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
        <EmptyState>
          {answer.data.coverage.complete
            ? 'No checkpoint of the open stores has failed.'
            : coverageWords(answer.data.coverage)}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <VirtualList
          items={rows}
          keyOf={(row) => row.key}
          heightOf={(row) => HEIGHTS[row.kind]}
          measured
          role="list"
          label="Failed groups with their tasks"
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
      )}
    </ListRoute>
  );
}

function headline(groups: readonly ErrorGroup[]): string {
  const past = groups.length - standing(groups).length;
  return `${groupsHeadline(groups)}${past === 0 ? '' : `, ${plural(past, 'other')} recovered from`}`;
}

interface RowProps {
  readonly row: ErrorRow;
  readonly active: boolean;
  readonly onUnfold: (id: string) => void;
}

function Row({ row, active, onUnfold }: RowProps) {
  if (row.kind === 'group') return <GroupHead group={row.group} />;
  if (row.kind === 'task') return <TaskRow task={row.task} active={active} />;
  return (
    <div className="error-more">
      <Button size="sm" variant="ghost" onClick={() => onUnfold(groupId(row.group.key))}>
        {row.count} more
      </Button>
    </div>
  );
}

function GroupHead({ group }: { readonly group: ErrorGroup }) {
  const now = useNow();
  return (
    <div className="error-group" data-testid="error-group" data-count={group.count} data-tasks={group.tasks.length}>
      <h2>
        <GroupWords pattern={group.pattern} />
      </h2>
      <span className="small muted">{groupCounts(group)}</span>
      <HourBars hours={group.hours} className="error-group-hours" />
      {group.firstSeen !== undefined && group.lastSeen !== undefined && (
        <span className="small muted" title={`${formatTime(group.firstSeen)} to ${formatTime(group.lastSeen)}`}>
          {group.firstSeen === group.lastSeen
            ? formatAge(group.lastSeen, now)
            : `first ${formatAge(group.firstSeen, now)}, last ${formatAge(group.lastSeen, now)} ago`}
        </span>
      )}
    </div>
  );
}

function TaskRow({ task, active }: { readonly task: FailedTask; readonly active: boolean }) {
  const shown = useShown();
  const now = useNow();
  const { store, failed } = task;
  return (
    <div className={clsx('error-task selectable', active && 'selected')} data-testid="error-task" data-task={task.task}>
      <StatusIcon status="failed" />
      <Link className="error-task-name" {...checkpointPage(store, { ...failed, task: task.task })}>
        <span className="flex">
          <span className="strong cut">{showId(task.title)}</span>
          {!task.current && (
            <Badge tone="quiet" title="The task has moved on from this checkpoint">
              recovered
            </Badge>
          )}
          {task.count > 1 && <Badge tone="quiet">{task.count} times</Badge>}
        </span>
        <span className="small muted cut" title={task.message && shown(task.message)}>
          {task.message === undefined ? 'No message is stored.' : shown(task.message)}
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
      <LastGoodLink title={task.title} good={task.lastGood} failed={failed} />
    </div>
  );
}
