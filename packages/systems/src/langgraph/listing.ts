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
import type { Key, Queries } from './queries.ts';
import { keyText } from './seen-versions.ts';

/** Head first, then by id, newest first. `head` is the thread's latest. */
export async function pageOfCheckpoints(
  store: StoreId,
  queries: Queries,
  thread: string,
  head: Key | undefined,
  query: PageQuery,
): Promise<Page<CheckpointMeta>> {
  const limit = pageLimit(query.limit);
  const isHead = (key: Key): boolean => key.id === head?.id && key.ns === head.ns;
  const start = query.around ? await startAround(queries, thread, query.around, head, limit) : startAfter(query.cursor);
  const keys = start.top && head ? [head] : [];
  // One more than shown tells whether there is another page; the head may be in between once more.
  const rest = (await queries.older(thread, start.from, limit + 2)).filter((key) => !isHead(key));
  const all = [...(start.including ? [start.including] : []), ...rest];
  keys.push(...all.slice(0, limit - keys.length));
  const described = await new Describer(queries, thread).describe(keys);
  const items = described.map((one) => toMeta(store, thread, one, 0, isHead(one.row)));
  const last = keys.at(-1);
  const shown = keys.length - (start.top && head ? 1 : 0);
  const more = last !== undefined && all.length > shown;
  const cursor = more ? (shown === 0 ? encodeCursor(['', 'top']) : encodeCursor([`=${last.id}`, last.ns])) : undefined;
  return { items: await numbered(queries, thread, items, head), ...(cursor === undefined ? {} : { cursor }) };
}

/** The row of one checkpoint, as the list has it. */
export async function metaOfKey(
  store: StoreId,
  queries: Queries,
  thread: string,
  head: Key | undefined,
  key: Key,
): Promise<CheckpointMeta | undefined> {
  const [described] = await new Describer(queries, thread).describe([key]);
  const isHead = key.id === head?.id && key.ns === head.ns;
  return described && toMeta(store, thread, described, await queries.place(thread, key), isHead);
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

async function startAround(
  queries: Queries,
  thread: string,
  around: CheckpointRef,
  head: Key | undefined,
  limit: number,
): Promise<Start> {
  const key = { ns: around.namespace ?? '', id: around.id };
  const found = await queries.summaries(thread, [key]);
  if (found.length === 0 || around.task !== thread) throw noCheckpoint({ ...around, task: thread });
  if (key.id === head?.id && key.ns === head.ns) return { top: true };
  const before = Math.floor((limit - 1) / 2);
  const after = await queries.newer(thread, key, before + 1);
  const newer = after.filter((other) => other.id !== head?.id || other.ns !== head.ns);
  const first = newer.slice(0, before).at(-1) ?? key;
  if (newer.length < before) return { top: true };
  return { top: false, including: first, from: first };
}

/** Places in save order. Neighbours in the list are neighbours there, except around the head, which is listed first. */
async function numbered(
  queries: Queries,
  thread: string,
  items: readonly CheckpointMeta[],
  head: Key | undefined,
): Promise<CheckpointMeta[]> {
  const first = items.find(({ isLatest }) => !isLatest);
  const [headSeq, firstSeq] = await Promise.all([
    head === undefined ? 0 : queries.place(thread, head),
    first === undefined ? 0 : queries.place(thread, { ns: first.namespace ?? '', id: first.id }),
  ]);
  let seq: number | undefined;
  return items.map((item) => {
    if (item.isLatest) return { ...item, seq: headSeq };
    if (seq === undefined) seq = firstSeq;
    else seq -= seq - 1 === headSeq ? 2 : 1;
    return { ...item, seq };
  });
}

/** Rows of a tree that are read at once. */
const AT_ONCE = 500;

/** Every checkpoint of the thread, oldest first. `damaged` as far as that is known. */
export async function* lineageOf(
  queries: Queries,
  thread: string,
  head: Key | undefined,
  damaged: readonly Key[],
  withFacts = false,
): AsyncIterable<LineageRowWithFacts> {
  const keys = await queries.keys(thread);
  if (keys.length === 0) return;
  const tips = new Map(keys.map(({ ns, id }) => [ns, id]));
  const marked = new Set(damaged.map(keyText));
  const failed = new Set((await queries.failed(thread)).map(keyText));
  const isFailed = (key: Key): boolean => failed.size > 0 && failed.has(keyText(key));
  // The newest of its namespace, or damaged: what it says depends on more than its outline.
  const isApart = (key: Key): boolean => tips.get(key.ns) === key.id || (marked.size > 0 && marked.has(keyText(key)));
  const describer = new Describer(queries, thread);
  const readFrom = async (from: number) => {
    const part = keys.slice(from, from + AT_ONCE);
    const rows = await queries.outlines(thread, part);
    const outlined = await describer.outline(rows, isFailed);
    const apart = await describer.describe(part.filter(isApart));
    return { part, rows, outlined, apart: new Map(apart.map((one) => [keyText(one.row), one])) };
  };
  // A server reads the next rows while these are used.
  let next = readFrom(0);
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const { part, rows, outlined, apart } = await next;
    if (from + AT_ONCE < keys.length) next = unheard(readFrom(from + AT_ONCE));
    let at = 0;
    for (const [n, { ns, id, size }] of rows.entries()) {
      // Some may be gone by now.
      while (part[at]?.id !== id || part[at]?.ns !== ns) at++;
      const described = (apart.size > 0 ? apart.get(keyText({ ns, id })) : undefined) ?? outlined[n];
      const line = described && toLineage(described, from + ++at, id === head?.id && ns === head.ns);
      if (line) yield withFacts && size !== undefined ? { ...line, facts: { sizeBytes: size } } : line;
    }
  }
}

/** Whoever stops in between doesn't hear of its failure. */
function unheard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
