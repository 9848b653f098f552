import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { storageQuery, tasksQuery } from '../../lib/queries.ts';

/** The report looks at every row, so while agents save it is read again no more often than this. */
const AGAIN_MS = 10_000;

/** What everything takes up, read again after saves: the list of tasks says that there were some. */
export function useStorage(againMs = AGAIN_MS) {
  const query = useQuery(storageQuery());
  const { data: tasks } = useQuery(tasksQuery());
  const known = useRef(tasks);
  const { refetch, dataUpdatedAt } = query;
  useEffect(() => {
    known.current ??= tasks;
    if (tasks === known.current) return undefined;
    const timer = setTimeout(
      () => {
        known.current = tasks;
        void refetch();
      },
      Math.max(0, dataUpdatedAt + againMs - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [tasks, refetch, dataUpdatedAt, againMs]);
  return query;
}
