import type { Address, Task } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { errorsQuery } from '../../lib/triage-queries.ts';

/** The failed checkpoint of a task: the one it stands at now, else its newest. */
export function useFailedCheckpoint(): (task: Pick<Task, 'store' | 'id'>) => Address | undefined {
  const { data } = useQuery(errorsQuery());
  return ({ store, id }) => {
    const failed = (data?.items ?? []).flatMap(({ tasks }) =>
      tasks.filter((task) => task.store === store && task.task === id),
    );
    const newest = failed.toSorted((a, b) => Date.parse(b.time ?? '') - Date.parse(a.time ?? ''));
    return (failed.find(({ current }) => current) ?? newest[0])?.failed;
  };
}
