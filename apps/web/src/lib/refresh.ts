/** Reading again after a change, and waiting while one is made. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';

/** They say what is there; everything else is asked for by what they say. */
const HISTORY = new Set<unknown>(['checkpoints', 'tree', 'lanes']);
const SETTLE_MS = 30;

/** Changes under way. */
let changes = 0;
/** The reading of the history that was begun last. */
let history: Promise<unknown> | undefined;
/** Requests held until the history after a change has been read; absent while nothing is being changed. */
let waiting: (() => void)[] | undefined;

/** Reads again what a change touched: the history first, so that what it has no more is not asked for. */
export async function refresh(client: QueryClient, touched: (key: QueryKey) => boolean = () => true): Promise<void> {
  const saysWhatIs = changes === 0;
  const read = async (ofHistory: boolean): Promise<void> => {
    const predicate = ({ queryKey }: { readonly queryKey: QueryKey }): boolean =>
      HISTORY.has(queryKey[0]) === ofHistory && touched(queryKey);
    const reading = client.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' });
    const first = reading.filter(({ state }) => state.data === undefined);
    await client.invalidateQueries({ predicate });
    // A first reading isn't begun again by that, and its answer may be from before the change.
    if (first.length > 0) await client.invalidateQueries({ predicate: (query) => first.includes(query) });
  };
  history = read(true);
  // A later refresh cancels what this one has asked for: then its answer is the one to wait for.
  for (let seen: unknown; seen !== history; await history) seen = history;
  // The screen follows the history before the rest is read.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  if (saysWhatIs && changes === 0) release();
  await read(false);
}

/**
 * Makes a change. Requests for single checkpoints wait meanwhile, and until the history after the change has been read:
 * by then the screen has left what is gone. A change that fails is followed by a refresh here, any other by
 * the caller's.
 */
export async function changing<T>(client: QueryClient, change: () => Promise<T>): Promise<T> {
  changes += 1;
  waiting ??= [];
  void client.cancelQueries({ predicate: ({ queryKey }) => !HISTORY.has(queryKey[0]) });
  const [made] = await Promise.allSettled([change()]);
  changes -= 1;
  if (made.status === 'fulfilled') return made.value;
  void refresh(client);
  throw made.reason;
}

/** A request for one checkpoint, by its address or in a comparison. */
const OF_CHECKPOINT = /\/checkpoints\/|\/api\/diff|[?&]cp=/;

/** Until this may be asked for. */
export async function untilUnchanging(url: string): Promise<void> {
  const queue = waiting;
  if (queue !== undefined && OF_CHECKPOINT.test(url)) await new Promise<void>((resolve) => queue.push(resolve));
}

function release(): void {
  const waited = waiting ?? [];
  waiting = undefined;
  for (const go of waited) go();
}
