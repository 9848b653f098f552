/** For tests: an index filled as the indexer does it, and asked as the page asks. */
import { createHash } from 'node:crypto';
import { parseQuery } from '../query/parse.ts';
import { storeId, type CheckpointMeta } from '@checkpoint-inspector/core';
import type { FindOptions, Found, SearchCache, StoreIndex } from '../cache/types.ts';

export interface Saved {
  readonly id: string;
  readonly text: string;
  readonly seq: number;
  readonly meta?: Partial<CheckpointMeta>;
}

export const KEY = 'native /data/store.db';

export function metaOf(task: string, { id, text, seq, meta = {} }: Saved): CheckpointMeta {
  return {
    store: storeId('s'),
    id,
    taskId: task,
    lineage: 'none',
    seq,
    timeBasis: 'utc',
    createdAt: new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString(),
    status: 'completed',
    labels: [],
    sizeBytes: text.length,
    revision: createHash('sha256').update(text).digest('hex'),
    isLatest: false,
    ...meta,
  };
}

/** Lists the checkpoints, the newest first, and writes the text of all that wait. */
export function indexAll(index: StoreIndex, task: string, saved: readonly Saved[]): void {
  const newest = saved.toSorted((a, b) => b.seq - a.seq);
  index.beginList(task);
  index.list(
    task,
    newest.map((one) => metaOf(task, one)),
  );
  while (!index.endList(task));
  writeWaiting(index, task, new Map(saved.map(({ id, text }) => [id, text])));
}

/** In steps of `sliceMs`; how many steps it took. */
export function writeWaiting(
  index: StoreIndex,
  task: string,
  texts: ReadonlyMap<string, string>,
  sliceMs = 1000,
): number {
  for (let steps = 0; ; steps++) {
    const waiting = index.waiting(1000);
    if (waiting.length === 0) return steps;
    const all = waiting.map(({ doc, ref, description }) => ({
      doc,
      task,
      text: texts.get(ref.id) ?? '{}',
      ...(description === undefined ? {} : { description }),
    }));
    for (let done = 0; done < all.length;) {
      const finished = index.write(all.slice(done), sliceMs);
      if (finished === 0) steps += 1;
      done += finished;
    }
  }
}

/** Best first, as the page shows them. */
export async function ask(cache: SearchCache, query: string, options: Partial<FindOptions> = {}): Promise<Found[]> {
  const { items } = await candidates(cache, query, options);
  const best = items.toSorted((a, b) => a.rank - b.rank || b.newestMs - a.newestMs || b.order - a.order);
  return best.flatMap((candidate) => candidate.look() ?? []);
}

export function candidates(cache: SearchCache, query: string, options: Partial<FindOptions> = {}) {
  const { query: parsed, problems } = parseQuery(query);
  if (problems[0]) throw new Error(problems[0].message);
  return cache.find(parsed, {
    stores: new Set([KEY]),
    until: performance.now() + 60_000,
    most: 1000,
    pause: () => Promise.resolve(),
    ...options,
  });
}

/** `path "text" first..last ×count`, for a glance. */
export function line({ path = '', snippet, firstSeen, lastSeen, count }: Found): string {
  return `${path} ${snippet?.text ?? ''} ${firstSeen.ref.id}..${lastSeen.ref.id} x${count}`;
}
