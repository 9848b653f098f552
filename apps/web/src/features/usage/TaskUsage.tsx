import type { Measured, Usage } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../lib/queries.ts';
import { coverageWords } from '../errors/groups.ts';
import { formatCount, formatDuration, plural } from '../../lib/format.ts';
import { costWords } from './use-task-costs.ts';

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

// Sums in words, with how many checkpoints they speak of.

/** Whole tokens get separators; anything else stays as it is. */
export const tokenWords = ({ value }: Measured): string => {
  const count = Number(value);
  return Number.isSafeInteger(count) && String(count) === value ? formatCount(count) : value;
};

export const durationWords = ({ value }: Measured): string => formatDuration(Number(value));

/** `7 of 10 checkpoints report it`; nothing where all do. */
export const saidWords = ({ said }: Measured, checkpoints: number): string =>
  said === checkpoints ? '' : `${formatCount(said)} of ${formatCount(checkpoints)} checkpoints report it`;

/** One line: what a task used. @example '10 checkpoints · 7,570 tokens (7 of 10 checkpoints report it) · $0.045' */
function usageLine(usage: Usage): string {
  const part = (measured: Measured | undefined, words: (one: Measured) => string, unit = ''): string[] => {
    if (measured === undefined) return [];
    const said = saidWords(measured, usage.checkpoints);
    return [`${words(measured)}${unit}${said === '' ? '' : ` (${said})`}`];
  };
  return [
    plural(usage.checkpoints, 'checkpoint'),
    ...part(usage.tokens, tokenWords, ' tokens'),
    ...part(usage.costUsd, costWords),
    ...part(usage.durationMs, durationWords),
  ].join(' · ');
}

/** Dearest first, then most tokens, then longest: for display only. */
export function byUse(a: Usage, b: Usage): number {
  const number = (measured: Measured | undefined): number => Number(measured?.value ?? -1);
  return (
    number(b.costUsd) - number(a.costUsd) ||
    number(b.tokens) - number(a.tokens) ||
    number(b.durationMs) - number(a.durationMs)
  );
}
