import { taskPage } from '../../lib/address.ts';
import type { StoreInfo, Task } from '@checkpoint-inspector/core';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { CircleAlert } from 'lucide-react';
import { Badge, Icon, STATUS_WORDS, StatusIcon, VirtualList } from '../../components/index.ts';
import { formatAge, formatCount, formatSize, formatTime, showId } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { useRowHeight } from '../../lib/settings.ts';
import { useShown } from '../../lib/masking.ts';
import { useTaskCosts } from '../usage/TaskUsage.tsx';
import { TaskBadges, taskFact } from './TaskBadges.tsx';
import type { StoreFailure } from '../../lib/api.ts';

interface TaskTableProps {
  readonly tasks: readonly Task[];
  readonly stores: readonly StoreInfo[];
  readonly locked: ReadonlySet<string>;
  readonly active: number;
  readonly onActive: (index: number) => void;
  readonly onOpen: (task: Task) => void;
}

const taskKey = (task: Pick<Task, 'store' | 'id'>): string => `${task.store}/${task.id}`;

export function TaskTable({ tasks, stores, locked, active, onActive, onOpen }: TaskTableProps) {
  const now = useNow();
  const height = useRowHeight(2);
  const shown = useShown();
  const costs = useTaskCosts(tasks);
  const labels = new Map(stores.map((store) => [store.id, store.label]));
  const mostBytes = Math.max(1, ...tasks.map((task) => task.sizeBytes ?? 0));
  const mostRows = Math.max(1, ...tasks.map((task) => task.checkpointCount));
  return (
    <div className={clsx('task-table', costs && 'with-costs')}>
      <div className="task-row task-head" aria-hidden="true">
        <span />
        <span>Task</span>
        <span>Status</span>
        <span>System</span>
        <span>Store</span>
        <span className="number">Checkpoints</span>
        <span className="number">Size</span>
        {costs && <span className="number task-cost">Cost</span>}
        <span className="number">Activity</span>
      </div>
      <VirtualList
        items={tasks}
        keyOf={taskKey}
        heightOf={() => height + 2}
        label="Tasks"
        role="list"
        active={active}
        onActive={onActive}
        onOpen={(index) => {
          const task = tasks[index];
          if (task) onOpen(task);
        }}
        testId="task-table"
        render={(task, index) => (
          <Link
            {...taskPage(task.store, task.id)}
            search={{}}
            className={clsx('task-row selectable', index === active && 'selected')}
            data-testid="task-row"
            data-task={task.id}
            tabIndex={index === active ? 0 : -1}
          >
            <StatusIcon status={task.status} />
            <span className="task-name">
              <span className="flex">
                <span className="strong cut" title={showId(task.id)}>
                  {showId(task.title)}
                </span>
                <TaskBadges task={task} locked={locked.has(task.store)} />
              </span>
              <span className="small muted cut" title={task.lastError && shown(task.lastError)}>
                {shown(taskFact(task))}
              </span>
            </span>
            <span className="task-status" aria-hidden="true">
              {STATUS_WORDS[task.status]}
            </span>
            <span className="task-system">
              <Badge>{task.system}</Badge>
            </span>
            <span className="task-store second cut">{labels.get(task.store) ?? task.store}</span>
            <Measure
              className="task-count"
              text={formatCount(task.checkpointCount)}
              share={task.checkpointCount / mostRows}
            />
            <Measure
              className="task-size"
              text={task.sizeBytes === undefined ? '' : formatSize(task.sizeBytes)}
              share={(task.sizeBytes ?? 0) / mostBytes}
            />
            {costs && <span className="number task-cost second">{costs.get(taskKey(task)) ?? ''}</span>}
            <time
              className="number muted task-age"
              title={task.updatedAt && formatTime(task.updatedAt)}
              dateTime={task.updatedAt}
            >
              {task.updatedAt === undefined ? 'no time' : formatAge(task.updatedAt, now)}
            </time>
          </Link>
        )}
      />
    </div>
  );
}

function Measure({ text, share, className }: Record<'text' | 'className', string> & { readonly share: number }) {
  return (
    <span className={clsx('number measure', className)}>
      {text}
      {text !== '' && <i style={{ width: Math.max(4, Math.round(Math.sqrt(share) * 64)) }} />}
    </span>
  );
}

/** Stores that could not answer: named, while the others are listed. */
export function StoreFailures({ failures }: { readonly failures: readonly StoreFailure[] }) {
  if (failures.length === 0) return null;
  return (
    <ul className="store-failures" aria-label="Stores that could not be read">
      {failures.map(({ store, error }) => (
        <li key={store}>
          <Icon of={CircleAlert} />
          <span>
            <b>{store}</b> could not be read: {error.message} <span className="muted">{error.remedy}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
