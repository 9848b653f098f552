import type { Task } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Archive, FileWarning, Lock, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { Badge } from '../../components/index.ts';
import { shownNow } from '../../lib/masking.ts';
import { lockedStores } from '../../lib/readable.ts';
import { storesQuery, tasksQuery } from '../../lib/queries.ts';

interface TaskBadgesProps {
  readonly task: Task;
  /** True where a key opens every row that cannot be read. */
  readonly locked: boolean;
  readonly most?: number;
}

/** At most one badge for the pane, all of them for the table. */
export function TaskBadges({ task, locked, most = 2 }: TaskBadgesProps) {
  const badges = [
    task.unreadable > 0 && locked && (
      <Badge key="locked" tone="warn" icon={Lock}>
        {task.unreadable} locked
      </Badge>
    ),
    task.unreadable > 0 && !locked && (
      <Badge key="unreadable" tone="warn" icon={FileWarning}>
        {task.unreadable} unreadable
      </Badge>
    ),
    task.kind === 'unassigned' && (
      <Badge key="unassigned" title="Rows that name no task: unreadable or locked">
        no task
      </Badge>
    ),
    task.kind === 'archived' && (
      <Badge key="archived" icon={Archive}>
        archived
      </Badge>
    ),
    task.latestNote !== undefined && (
      <Badge key="note" tone="warn" icon={TriangleAlert} title={shownNow(task.latestNote)}>
        {task.checkpointCount === 0 ? 'no checkpoints' : 'latest differs'}
      </Badge>
    ),
  ].filter((badge) => badge !== false);
  return <>{badges.slice(0, most)}</>;
}

/** The most telling fact in one line. */
export function taskFact(task: Task): string {
  if (task.lastError !== undefined) return task.lastError;
  const saved = `${task.checkpointCount.toLocaleString('en')} ${task.checkpointCount === 1 ? 'checkpoint' : 'checkpoints'}`;
  return task.agentId === undefined ? saved : `${saved} · ${task.agentId}`;
}

/** Stores in which every problem is a lock; none while not all tasks are known. */
export function useLockedStores(): ReadonlySet<string> {
  const { data: stores } = useQuery(storesQuery());
  const { data: tasks } = useQuery(tasksQuery());
  return useMemo(
    () => (stores && tasks && tasks.cursor === undefined ? lockedStores(stores, tasks.items) : new Set<string>()),
    [stores, tasks],
  );
}
