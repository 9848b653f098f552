/** What the list of tasks shows of their usage, apart from the rest, which it need not load. */
import type { Measured, Task } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { formatMoney } from '../../lib/format.ts';
import { useMedia } from '../../lib/hooks.ts';
import { usageQuery } from '../../lib/queries.ts';

/** @example costWords({ value: '2.67', said: 3 }) // '$2.67' */
export const costWords = ({ value }: Measured): string => formatMoney(Number(value));

/** Adding up so many is done when it is asked for on the page of its own, not for a column. */
const MOST = 20_000;

/** What each task cost, by store and task; absent if the column doesn't fit, no costs are stored, or there is too much to read. */
export function useTaskCosts(tasks: readonly Task[]): ReadonlyMap<string, string> | undefined {
  const wide = useMedia('(min-width: 1400px)');
  const rows = tasks.reduce((sum, task) => sum + task.checkpointCount, 0);
  const { data } = useQuery({ ...usageQuery(), enabled: wide && rows > 0 && rows <= MOST });
  return useMemo(() => {
    const said = (data?.items ?? []).flatMap(({ store, task, costUsd }) =>
      costUsd === undefined ? [] : [[`${store}/${task}`, costWords(costUsd)] as const],
    );
    return wide && said.length > 0 ? new Map(said) : undefined;
  }, [data, wide]);
}
