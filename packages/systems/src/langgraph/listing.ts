import type {
  CheckpointMeta,
  CheckpointRef,
  LineageRowWithFacts,
  Page,
  PageQuery,
  StoreId,
} from '@checkpoint-inspector/core';
import { decodeCursor, encodeCursor, noCheckpoint, pageLimit } from '@checkpoint-inspector/core';
import { Describer, toLineage, toMeta } from './meta.ts';
import type { Key, Outlines, Queries } from './queries.ts';

/** Head first, then by id, newest first. `head` is the thread's latest. */
export function pageOfCheckpoints(
  store: StoreId,
  queries: Queries,
  thread: string,
  head: Key | undefined,
  query: PageQuery,
): Page<CheckpointMeta> {
  const limit = pageLimit(query.limit);
  const isHead = (key: Key): boolean => key.id === head?.id && key.ns === head.ns;
  const start = query.around ? startAround(queries, thread, query.around, head, limit) : startAfter(query.cursor);
  const keys = start.top && head ? [head] : [];
  // One more than shown tells whether there is another page; the head may be in between once more.
  const rest = queries.older(thread, start.from, limit + 2).filter((key) => !isHead(key));
  const all = [...(start.including ? [start.including] : []), ...rest];
  keys.push(...all.slice(0, limit - keys.length));
  const describer = new Describer(queries, thread);
  // The oldest first: what had run before a checkpoint is then known, and not read once more.
  const oldestFirst = keys.toReversed().flatMap((key) => {
    const described = describer.describe(key);
    return described ? [toMeta(store, thread, described, 0, isHead(key))] : [];
  });
  const last = keys.at(-1);
  const shown = keys.length - (start.top && head ? 1 : 0);
  const more = last !== undefined && all.length > shown;
  const cursor = more ? (shown === 0 ? encodeCursor(['', 'top']) : encodeCursor([`=${last.id}`, last.ns])) : undefined;
  const items = oldestFirst.toReversed();
  return { items: numbered(queries, thread, items, head), ...(cursor === undefined ? {} : { cursor }) };
}

/** The row of one checkpoint, as the list has it. */
export function metaOfKey(
  store: StoreId,
  queries: Queries,
  thread: string,
  head: Key | undefined,
  key: Key,
): CheckpointMeta | undefined {
  if (queries.summary(thread, key) === undefined) return undefined;
  const described = new Describer(queries, thread).describe(key);
  const isHead = key.id === head?.id && key.ns === head.ns;
  return described && toMeta(store, thread, described, queries.place(thread, key), isHead);
}

interface Start {
  /** The page begins with the head. */
  readonly top: boolean;
  /** The first row after the head, where it is known by name. */
  readonly including?: Key;
  /** The others are after this one. */
  readonly from?: Key;
}

function startAfter(cursor: string | undefined): Start {
  if (cursor === undefined) return { top: true };
  const [first = '', ns = ''] = decodeCursor(cursor, ['string', 'string']).map(String);
  return first === '' ? { top: false } : { top: false, from: { id: first.slice(1), ns } };
}

function startAround(
  queries: Queries,
  thread: string,
  around: CheckpointRef,
  head: Key | undefined,
  limit: number,
): Start {
  const key = { ns: around.namespace ?? '', id: around.id };
  if (queries.summary(thread, key) === undefined || around.task !== thread) {
    throw noCheckpoint({ ...around, task: thread });
  }
  if (key.id === head?.id && key.ns === head.ns) return { top: true };
  const before = Math.floor((limit - 1) / 2);
  const newer = queries.newer(thread, key, before + 1).filter((other) => other.id !== head?.id || other.ns !== head.ns);
  const first = newer.slice(0, before).at(-1) ?? key;
  if (newer.length < before) return { top: true };
  return { top: false, including: first, from: first };
}

/** Places in save order. Neighbours in the list are neighbours there, except around the head, which is listed first. */
function numbered(
  queries: Queries,
  thread: string,
  items: readonly CheckpointMeta[],
  head: Key | undefined,
): CheckpointMeta[] {
  const headSeq = head === undefined ? 0 : queries.place(thread, head);
  let seq: number | undefined;
  return items.map((item) => {
    if (item.isLatest) return { ...item, seq: headSeq };
    if (seq === undefined) seq = queries.place(thread, { ns: item.namespace ?? '', id: item.id });
    else seq -= seq - 1 === headSeq ? 2 : 1;
    return { ...item, seq };
  });
}

/** Every checkpoint of the thread, oldest first, in one pass over its rows. */
export function* lineageOf(
  queries: Queries & Outlines,
  thread: string,
  head: Key | undefined,
  withFacts = false,
  damaged: readonly Key[] = [],
): Iterable<LineageRowWithFacts> {
  const describer = new Describer(queries, thread);
  // The newest of its namespace, or damaged: what it says depends on more than its outline.
  const apart = new Set([...queries.tips(thread), ...damaged].map(keyText));
  const failed = new Set(queries.failed(thread).map(keyText));
  let seq = 0;
  for (const row of queries.outlines(thread)) {
    seq++;
    const key = keyText(row);
    const described = apart.has(key) ? describer.describe(row) : describer.outline(row, failed.has(key));
    if (described === undefined) continue;
    const line = toLineage(described, seq, row.id === head?.id && row.ns === head.ns);
    yield withFacts ? { ...line, facts: { sizeBytes: row.size } } : line;
  }
}

const keyText = ({ id, ns }: Key): string => `${id} ${ns}`;
