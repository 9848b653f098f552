import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../lib/triage-queries.ts';
import { coverageWords } from '../errors/groups.ts';
import { usageLine } from './words.ts';

/** In the inspector: what the whole task used so far. Absent where no checkpoint says anything. */
export function TaskUsage({ store, task }: { readonly store: string; readonly task: string }) {
  const { data } = useQuery(usageQuery({ store, task }));
  const [usage] = data?.items ?? [];
  if (data === undefined || usage === undefined) return null;
  if (usage.tokens === undefined && usage.costUsd === undefined && usage.durationMs === undefined) return null;
  return (
    <section className="section" data-testid="task-usage">
      <h3 className="label">This task</h3>
      <p>{usageLine(usage)}</p>
      {usage.running.includes('costUsd') && (
        <p className="small muted">Cost is a running total in this system; what lanes share counts once.</p>
      )}
      {!data.coverage.complete && <p className="small muted">{coverageWords(data.coverage)}.</p>}
    </section>
  );
}
