import type { Task, TaskOutcome } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Archive, FileWarning, Lock, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { type BadgeFact, Badges, STATUS_WORDS } from '../../components/index.ts';
import { shownNow } from '../../lib/masking.ts';
import { lockedStores } from '../../lib/readable.ts';
import { storesQuery, tasksQuery } from '../../lib/queries.ts';

/** A run that was stopped asks nobody: only the inbox knows which of them hold a question. */
export const GROUP_WORDS: Record<TaskOutcome, string> = { ...STATUS_WORDS, interrupted: 'Waiting or interrupted' };

interface TaskBadgesProps {
  readonly task: Task;
  /** True where a key opens every row that cannot be read. */
  readonly locked: boolean;
  /** In the pane: one, by its icon, so that the fact beside it is not cut. */
  readonly brief?: boolean;
}

export function TaskBadges({ task, locked, brief = false }: TaskBadgesProps) {
  const facts: readonly (BadgeFact | false)[] = [
    task.unreadable > 0 && {
      tone: 'warn',
      icon: locked ? Lock : FileWarning,
      children: `${task.unreadable} ${locked ? 'locked' : 'unreadable'}`,
    },
    task.kind === 'unassigned' && { title: 'Rows that name no task: unreadable or locked', children: 'no task' },
    task.kind === 'archived' && { icon: Archive, children: 'archived' },
    task.latestNote !== undefined && {
      tone: 'warn',
      icon: TriangleAlert,
      title: shownNow(task.latestNote),
      children: task.checkpointCount === 0 ? 'no checkpoints' : 'latest differs',
    },
  ];
  return <Badges facts={facts} most={brief ? 1 : 2} brief={brief} />;
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
