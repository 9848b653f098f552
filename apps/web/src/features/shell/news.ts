/** What happened to the tasks since they were last looked at, in one breath. */
import { outcomeOf, type Task } from '@checkpoint-inspector/core';
import { plural, showId } from '../../lib/format.ts';

/** Tasks that are named; the rest is counted. */
const NAMED = 3;

/** Failures first; nothing where nothing is worth saying. @example 'invoice failed: API timeout. soak: 4 new checkpoints.' */
export function newsOf(before: readonly Task[], now: readonly Task[]): string | undefined {
  const keyOf = (task: Task): string => `${task.store}/${task.id}`;
  const known = new Map(before.map((task) => [keyOf(task), task]));
  const failed: string[] = [];
  const saved: string[] = [];
  for (const task of now) {
    const old = known.get(keyOf(task));
    const name = showId(task.title);
    // A log that was counted through has no more checkpoints than before.
    const isCounted = old?.atLeast === task.atLeast;
    const more = isCounted || !old ? task.checkpointCount - (old?.checkpointCount ?? 0) : 0;
    if (task.status === 'failed' && old?.status !== 'failed') {
      failed.push(`${name} failed${task.lastError === undefined ? '' : `: ${task.lastError}`}.`);
    } else if (task.outcome !== undefined && old !== undefined && outcomeOf(old) !== task.outcome) {
      failed.push(`${name}: ${task.lastError ?? 'a check failed'}.`);
    } else if (more > 0) saved.push(`${name}: ${plural(more, 'new checkpoint')}.`);
  }
  const all = [...failed, ...saved];
  if (all.length === 0) return undefined;
  const rest = all.length - NAMED;
  return [...all.slice(0, NAMED), ...(rest > 0 ? [`${plural(rest, 'other task')} changed.`] : [])].join(' ');
}
