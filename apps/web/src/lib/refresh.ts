import type { QueryClient, QueryKey } from '@tanstack/react-query';

/** They say what is there; everything else is asked for by what they say. */
const HISTORY = new Set<unknown>(['checkpoints', 'tree']);
const SETTLE_MS = 30;

/** Reads again what a change touched: the history first, so that what it holds no more is not asked for. */
export async function refresh(client: QueryClient, touched: (key: QueryKey) => boolean = () => true): Promise<void> {
  const read = (history: boolean): Promise<void> =>
    client.invalidateQueries({
      predicate: ({ queryKey }) => HISTORY.has(queryKey[0]) === history && touched(queryKey),
    });
  await read(true);
  // The screen follows the history before the rest is read.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  await read(false);
}
