/** ISO time so many seconds before `now`. */
export const ago = (now: Date, seconds: number): string => new Date(now.getTime() - seconds * 1000).toISOString();

/** The same numbers at every start. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
