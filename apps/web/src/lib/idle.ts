/** Runs once the page has nothing else to do; the answer takes it back. */
export function whenIdle(run: () => unknown): () => void {
  // Not every browser has it; a second after the start it is quiet as a rule.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(run, 1000);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(run, { timeout: 3000 });
  return () => cancelIdleCallback(handle);
}
