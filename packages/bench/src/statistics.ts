export const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** The smallest value that so large a part of all values does not exceed; not a number where there are none. */
export function quantile(values: readonly number[], part: number): number {
  const all = sorted(values);
  return all[Math.min(all.length - 1, Math.max(0, Math.ceil(all.length * part) - 1))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** By the clock, in milliseconds. */
export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** The same items, beginning with another one each time. */
export const rotated = <T>(items: readonly T[], by: number): T[] => {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
};
