/** Options that leave rows out. */
import { Option } from 'commander';
import { InspectorError, type CheckpointStatus, type TaskOutcome } from '@checkpoint-inspector/core';

export const STATUSES: readonly CheckpointStatus[] = [
  'running',
  'completed',
  'failed',
  'interrupted',
  'pending',
  'unknown',
];

/** Of tasks: also those that completed with a check that failed. */
export const OUTCOMES: readonly TaskOutcome[] = [...STATUSES, 'check_failed'];

/** An option is made for each verb: commander keeps no more than one owner. */
export const statusOption = (choices: readonly TaskOutcome[] = STATUSES): Option =>
  new Option('--status <status>', 'only with this status').choices(choices);

export const SINCE_OPTION = [
  '--since <time>',
  'only from this time on: an age such as 30m, 12h, 7d or 4w, or a date; what has no certain time is left out',
] as const;

const MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** An age without a unit is in days. @example ageOf('12h') // 43_200_000 */
export function ageOf(text: string): number | undefined {
  const [, number, unit = 'd'] = /^(\d+(?:\.\d+)?)([mhdw]?)$/.exec(text) ?? [];
  const age = Number(number) * (MS[unit === '' ? 'd' : unit] ?? Number.NaN);
  return Number.isFinite(age) ? age : undefined;
}

/** ISO 8601 UTC. @throws InspectorError invalid_input @example sinceOf('2026-01-31') // '2026-01-31T00:00:00.000Z' */
export function sinceOf(text: string | undefined, now = Date.now()): string | undefined {
  if (text === undefined) return undefined;
  const age = ageOf(text);
  const at = new Date(age === undefined ? (/^\d{4}-/.test(text) ? text : Number.NaN) : now - age);
  if (!Number.isNaN(at.getTime())) return at.toISOString();
  throw new InspectorError(
    'invalid_input',
    `--since must be an age such as 30m, 12h or 7d, or a date such as 2026-01-31, not "${text}".`,
  );
}
