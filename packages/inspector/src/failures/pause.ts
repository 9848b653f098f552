/** Long work stops for others at least so often. */
const TURN_MS = 8;

export interface Pause {
  /** Resolves at once, or after other work had its turn. Call it between two small pieces of work. */
  (): Promise<void> | undefined;
}

/** @example const pause = createPause(); for (const row of rows) { look(row); await pause(); } */
export function createPause(turnMs = TURN_MS): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < turnMs) return undefined;
    return new Promise((resume) => {
      setImmediate(() => {
        since = performance.now();
        resume();
      });
    });
  };
}
