/**
 * What the work answers, unless the signal is aborted first: then its reason, at once. The work itself goes on to its end.
 * @throws what the work throws, or the reason of the signal
 * @example const state = await untilAborted(signal, () => remote.state(ref));
 */
export async function untilAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  if (signal === undefined) return work();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}
