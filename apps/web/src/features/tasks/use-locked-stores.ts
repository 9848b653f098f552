import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { lockedStores } from '../../lib/locks.ts';
import { storesQuery, tasksQuery } from '../../lib/queries.ts';

/** Stores in which every problem is a lock; none while not all tasks are known. */
export function useLockedStores(): ReadonlySet<string> {
  const { data: stores } = useQuery(storesQuery());
  const { data: tasks } = useQuery(tasksQuery());
  return useMemo(
    () => (stores && tasks && tasks.cursor === undefined ? lockedStores(stores, tasks.items) : new Set<string>()),
    [stores, tasks],
  );
}
