import { outcomeOf, type StoreInfo, type Task } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useMemo } from 'react';
import { FixedList, StatusIcon } from '../../components/index.ts';
import { taskPage } from '../../lib/address.ts';
import type { InboxItem, Outline } from '../../lib/api.ts';
import { formatCount, formatAge, formatSize, formatTime, showId } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { inboxQuery, outlinesQuery } from '../../lib/queries.ts';
import { useRowHeight } from '../../lib/settings.ts';
import { useTaskCosts } from '../usage/use-task-costs.ts';
import { taskFact } from './facts.ts';
import { rowKey, taskKey, type TaskRow } from './order.ts';
import type { Picked } from './picked.ts';
import { StepStrip, stepWords } from './StepStrip.tsx';
import { GROUP_WORDS, TaskBadges } from './TaskBadges.tsx';

/** What the row of a task says beyond the task itself. */
export function useRowFacts() {
  const outlines = useQuery(outlinesQuery()).data?.items;
  const waiting = useQuery(inboxQuery()).data?.items;
  return useMemo(() => {
    const outlineOf = new Map((outlines ?? []).map((one) => [`${one.store}/${one.task}`, one]));
    const waitingOf = new Map((waiting ?? []).map((one) => [`${one.at.store}/${one.at.task}`, one]));
    return (task: Task): RowFacts => ({ outline: outlineOf.get(taskKey(task)), waiting: waitingOf.get(taskKey(task)) });
  }, [outlines, waiting]);
}

interface RowFacts {
  readonly outline: Outline | undefined;
  readonly waiting: InboxItem | undefined;
}

interface TaskTableProps {
  readonly rows: readonly TaskRow[];
  readonly stores: readonly StoreInfo[];
  readonly locked: ReadonlySet<string>;
  /** The key of the active task. */
  readonly active: string | undefined;
  readonly picked: Picked;
}

const HEAD_PX = 28;

export function TaskTable({ rows, stores, locked, active, picked }: TaskTableProps) {
  const now = useNow();
  const height = useRowHeight(2) + 2;
  const tasks = useMemo(() => rows.flatMap((row) => (row.kind === 'task' ? [row.task] : [])), [rows]);
  const costs = useTaskCosts(tasks);
  const factsOf = useRowFacts();
  const labels = useMemo(() => new Map(stores.map((store) => [store.id, store.label])), [stores]);
  return (
    <div className={clsx('task-table', costs && 'with-costs', picked.tasks.length > 0 && 'picking')}>
      <div className="task-row task-head" aria-hidden="true">
        <span />
        <span>Task</span>
        <span className="task-steps">Steps</span>
        <span className="task-store">Store</span>
        <span className="number task-size">Size</span>
        {costs && <span className="number task-cost">Cost</span>}
        <span className="number">Activity</span>
      </div>
      <FixedList
        items={rows}
        keyOf={rowKey}
        heightOf={(row) => (row.kind === 'head' ? HEAD_PX : height)}
        isRow={(row) => row.kind === 'task'}
        label="Tasks"
        active={rows.findIndex((row) => rowKey(row) === active)}
        testId="task-table"
        render={(row) =>
          row.kind === 'head' ? (
            <div role="listitem" className="task-group-item">
              <h2 className="group-head task-group">
                {GROUP_WORDS[row.status]} <span className="muted">{formatCount(row.count)}</span>
              </h2>
            </div>
          ) : (
            <>
              {tasks.length > 1 && <Pick task={row.task} picked={picked} active={taskKey(row.task) === active} />}
              <Row
                task={row.task}
                facts={factsOf(row.task)}
                label={labels.get(row.task.store) ?? row.task.store}
                locked={locked.has(row.task.store)}
                active={taskKey(row.task) === active}
                cost={costs && (costs.get(taskKey(row.task)) ?? '')}
                now={now}
              />
            </>
          )
        }
      />
    </div>
  );
}

interface PickProps {
  readonly task: Task;
  readonly picked: Picked;
  readonly active: boolean;
}

/** Beside the link of the row, not in it. */
function Pick({ task, picked, active }: PickProps) {
  return (
    <label className="task-pick" title="Select two tasks to compare their runs">
      <input
        type="checkbox"
        aria-label={`Select ${showId(task.title)}`}
        checked={picked.has(task)}
        onChange={() => picked.toggle(task)}
        tabIndex={active ? 0 : -1}
      />
    </label>
  );
}

interface RowProps {
  readonly task: Task;
  readonly facts: RowFacts;
  readonly label: string;
  readonly locked: boolean;
  readonly active: boolean;
  readonly cost: string | undefined;
  readonly now: number;
}

function Row({ task, facts: { outline, waiting }, label, locked, active, cost, now }: RowProps) {
  const shown = useShown();
  const { text, about } = taskFact(task, outline, waiting, now);
  return (
    <Link
      {...taskPage(task.store, task.id)}
      search={{}}
      className={clsx('task-row selectable', active && 'selected')}
      data-testid="task-row"
      data-task={task.id}
      tabIndex={active ? 0 : -1}
    >
      <StatusIcon status={outcomeOf(task)} />
      <span className="task-name">
        <span className="flex">
          <span className="strong cut" title={showId(task.id)}>
            {showId(task.title)}
          </span>
          <TaskBadges task={task} locked={locked} />
        </span>
        <span className="small cut task-fact" title={shown(text)}>
          {shown(text)}
          {about !== undefined && (
            // Another text is another element: one that only moved along would count as moved under the pointer.
            <span key={`${text} ${about}`} className="muted">
              {' '}
              · {shown(about)}
            </span>
          )}
        </span>
      </span>
      <span className="task-steps">
        <StepStrip outline={outline} />
        <span key={outline && stepWords(outline)} className="number second">
          {outline && stepWords(outline)}
        </span>
      </span>
      <span className="task-store">
        <span className="cut">{label}</span>
        <span className="small muted cut">{task.system}</span>
      </span>
      <span key={`size ${task.sizeBytes}`} className="number task-size second">
        {task.sizeBytes === undefined ? '' : formatSize(task.sizeBytes)}
      </span>
      {cost !== undefined && <span className="number task-cost second">{cost}</span>}
      <time
        className="number muted task-age"
        title={task.updatedAt && formatTime(task.updatedAt)}
        dateTime={task.updatedAt}
      >
        {task.updatedAt === undefined ? 'no time' : formatAge(task.updatedAt, now)}
      </time>
    </Link>
  );
}
