/** Reading again after a change, and waiting while one is made. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';

/** They say what is there; everything else is asked for by what they say. */
const HISTORY = new Set<unknown>(['checkpoints', 'tree', 'lanes']);
/** They answer with nothing for what is gone, and the proof of a change calls by its number what the change takes. */
const NAMES = new Set<unknown>(['find']);
const SETTLE_MS = 30;

/** Changes under way, and all that were ever begun. */
let changes = 0;
let begun = 0;
/** The reading of the history that was begun last. */
let history: Promise<unknown> | undefined;
/** Requests held until the history after a change has been read; absent while nothing is being changed. */
let waiting: (() => void)[] | undefined;

const isHistory = ({ queryKey }: { readonly queryKey: QueryKey }): boolean => HISTORY.has(queryKey[0]);

/** Reads again what a change touched: the history first, so that what it has no more is not asked for. */
export async function refresh(client: QueryClient, touched: (key: QueryKey) => boolean = () => true): Promise<void> {
  const cache = client.getQueryCache();
  const before = begun;
  // A round over something else, such as a proposal, says nothing about what a change left.
  const saysWhatIs =
    changes === 0 && cache.findAll({ type: 'active', predicate: isHistory }).every(({ queryKey }) => touched(queryKey));
  const read = async (ofHistory: boolean): Promise<void> => {
    const predicate = (query: { readonly queryKey: QueryKey }): boolean =>
      isHistory(query) === ofHistory && touched(query.queryKey);
    const reading = cache.findAll({ predicate, fetchStatus: 'fetching' });
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
  if (saysWhatIs && before === begun) release(client);
  await read(false);
}

/**
 * Makes a change. Requests for single checkpoints wait meanwhile, and until the history after the change has been read:
 * by then the screen has left what is gone. A change that fails is followed by a refresh here, any other by
 * the caller's.
 */
export async function changing<T>(client: QueryClient, change: () => Promise<T>): Promise<T> {
  changes += 1;
  begun += 1;
  waiting ??= [];
  void client.cancelQueries({ predicate: (query) => !isHistory(query) && !NAMES.has(query.queryKey[0]) });
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

function release(client: QueryClient): void {
  if (waiting === undefined) return;
  const waited = waiting;
  waiting = undefined;
  // A page to come back to would begin with a history of before the change, and ask for what that has.
  client.removeQueries({ type: 'inactive', predicate: (query) => isHistory(query) && query.state.isInvalidated });
  for (const go of waited) go();
}
