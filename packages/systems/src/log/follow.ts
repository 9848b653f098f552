import type { StoreEvent, Unwatch } from '@checkpoint-inspector/core';

const POLL_MS = 1_000;

/** Tells which sessions' files changed since the look before. Looks rest ten times as long as they take. */
export function followLogs(
  look: () => Promise<ReadonlyMap<string, string>>,
  onEvent: (event: StoreEvent) => void,
): Unwatch {
  let timer: NodeJS.Timeout | undefined;
  let last: ReadonlyMap<string, string> | undefined;
  let isStopped = false;
  const next = async (): Promise<void> => {
    const began = performance.now();
    // Gone or not readable: what reads it next says why.
    const now = await look().catch(() => new Map<string, string>());
    const before = last;
    last = now;
    if (isStopped) return;
    timer = setTimeout(() => void next(), Math.max(POLL_MS, 10 * (performance.now() - began)));
    timer.unref();
    if (!before) return;
    for (const task of new Set([...before.keys(), ...now.keys()])) {
      if (before.get(task) !== now.get(task)) onEvent({ task });
    }
  };
  void next();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
