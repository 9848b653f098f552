import { timeOfTicks } from '@checkpoint-inspector/core';

export { newerId, ticksOf, timeOf, timeOfTicks } from '@checkpoint-inspector/core';

/** Python writes an offset, JavaScript a Z. */
export const hasPythonsForm = (time: string | undefined): boolean => time !== undefined && /[+-]\d\d:\d\d$/.test(time);

/** The same as LangGraph for Python writes it, where the text beside it was: microseconds and an offset. */
export function timeLike(known: string | undefined, ticks: bigint): string {
  const time = timeOfTicks(ticks);
  if (!hasPythonsForm(known)) return time;
  const micros = String((ticks / 10n) % 1000n).padStart(3, '0');
  return `${time.slice(0, -1)}${micros}+00:00`;
}
