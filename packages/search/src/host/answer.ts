import type { Candidate, FindOptions, Found, SearchCache } from '../cache/types.ts';
import type { IndexAnswer, IndexId, IndexSearch, Place } from './contract.ts';

const MOST_FOUND = 2_000;
/** The rest is for looking closer at what was found. */
const FIND_SHARE = 0.85;

interface Placed {
  readonly place: Place;
  readonly candidate: Candidate;
}

/** Finds in every index that is asked, puts it in one order, and looks closer at one page of it. */
export async function answer(
  { query, places, from, limit, timeLimitMs }: IndexSearch,
  cacheOf: (index: IndexId) => SearchCache,
  signal: AbortSignal | undefined,
): Promise<IndexAnswer> {
  const began = performance.now();
  const found: Placed[] = [];
  const cuts = new Set<'time' | 'count'>();
  const pause = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  };
  const limits: Omit<FindOptions, 'stores'> = { until: began + timeLimitMs * FIND_SHARE, most: MOST_FOUND, pause };
  const isAsking = query.terms.length + query.filters.length > 0;
  for (const index of isAsking ? new Set(places.map((place) => place.index)) : []) {
    const stores = new Set(places.filter((place) => place.index === index).map(({ key }) => key));
    const { items, cut } = await cacheOf(index).find(query, { ...limits, stores });
    for (const candidate of items) found.push({ place: { index, key: candidate.storeKey }, candidate });
    if (cut !== undefined) cuts.add(cut);
  }
  const ordered = inOrder(found);
  const page = look(ordered.slice(from, from + limit), began + timeLimitMs);
  const next = from + page.seen;
  return {
    items: page.items,
    ...(next < ordered.length ? { next } : {}),
    total: ordered.length,
    atLeast: cuts.size > 0,
    cut: cuts.has('time') || page.isCut,
  };
}

/** The task with the best match first, then the one that was written to last; its matches stay together. */
function inOrder(found: readonly Placed[]): Placed[] {
  const best = new Map<string, number>();
  const groupOf = ({ candidate: { storeKey, task } }: Placed) => `${storeKey}\n${task}`;
  for (const placed of found) {
    const group = groupOf(placed);
    best.set(group, Math.min(placed.candidate.rank, best.get(group) ?? Number.POSITIVE_INFINITY));
  }
  const rankOf = (placed: Placed) => best.get(groupOf(placed)) ?? placed.candidate.rank;
  return found.toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      b.candidate.newestMs - a.candidate.newestMs ||
      compare(groupOf(a), groupOf(b)) ||
      a.candidate.rank - b.candidate.rank ||
      b.candidate.order - a.candidate.order,
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Looks closer at each, as far as the time goes; `seen` of them. */
function look(placed: readonly Placed[], until: number) {
  const items: (Found & { readonly place: Place })[] = [];
  let seen = 0;
  for (const { place, candidate } of placed) {
    if (seen > 0 && performance.now() >= until) return { items, seen, isCut: true };
    seen += 1;
    const found = candidate.look();
    if (found !== undefined) items.push({ place, ...found });
  }
  return { items, seen, isCut: false };
}
