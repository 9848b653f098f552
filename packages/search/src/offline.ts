/** Search without an index: every state of one store is gone through. For a page that has no server. */
import {
  everyItem,
  InspectorError,
  parseJson,
  refKey,
  refOfMeta,
  sourceOf,
  stringOf,
  walkJson,
  type CheckpointMeta,
  type CheckpointSource,
} from '@checkpoint-inspector/core';
import { fold } from './cache/fold.ts';
import { KIND, type TextKind } from './cache/kinds.ts';
import type { Found, FoundCheckpoint } from './cache/types.ts';
import { nameFilter } from './find/conditions.ts';
import { createMatcher, lastKey, type Matcher, type Place } from './find/matcher.ts';
import { snippetOf } from './find/snippet.ts';
import { parseQuery } from './query/parse.ts';
import { TOKEN_NAMES } from './query/tokens.ts';
import type { SearchFilter } from './query/types.ts';
import type { SearchAnswer, SearchItem } from './service.ts';

const MOST_FOUND = 500;

/**
 * Answers as the index would, but for the order within a task: what was saved last comes first.
 * @throws InspectorError invalid_input
 * @example const { items } = await searchStates(source, 'revenue status:failed');
 */
export async function searchStates(
  source: CheckpointSource,
  text: string,
  signal?: AbortSignal,
): Promise<SearchAnswer> {
  const began = performance.now();
  const { query, problems } = parseQuery(text);
  const [first] = problems;
  if (first) throw new InspectorError('invalid_input', first.message, { data: { problems, tokens: [...TOKEN_NAMES] } });
  const matcher = createMatcher(query.terms);
  const { info } = source;
  const byTask = nameFilter(query.filters, 'task');
  const isAsked =
    nameFilter(query.filters, 'store')(info.id, info.label) && nameFilter(query.filters, 'system')(info.system);
  const found = new Map<string, Ranked>();
  let count = 0;
  for await (const task of everyItem((at) => source.tasks(at))) {
    if (!isAsked || !byTask(task.id, task.title)) continue;
    for await (const meta of everyItem((at) => source.checkpoints(task.id, at))) {
      count += 1;
      if (found.size >= MOST_FOUND || !passes(meta, query.filters)) continue;
      await new Promise((resolve) => setTimeout(resolve));
      signal?.throwIfAborted();
      for (const hit of matcher ? await hitsIn(source, meta, matcher) : whole(meta, query.filters))
        add(found, hit, meta);
    }
  }
  const placeOf = ({ ref, path }: SearchItem): string => JSON.stringify([ref.task, path]);
  const all = [...found.values()].toSorted((a, b) => a.rank - b.rank).map(({ item }) => item);
  const valued = new Set(all.filter((item) => item.in === 'value').map(placeOf));
  const items = all.filter((item) => item.in !== 'path' || !valued.has(placeOf(item)));
  const coverage = { store: info.id, of: count, indexed: count, partly: 0, locked: 0, unreadable: 0, isSettled: true };
  const tookMs = Math.round(performance.now() - began);
  return { items, total: items.length, atLeast: found.size >= MOST_FOUND, cut: false, tookMs, coverage: [coverage] };
}

type Hit = Pick<Found, 'in' | 'path' | 'pathMarks' | 'snippet'> & { readonly rank: number };

/** A search for facts alone. */
const whole = (_meta: CheckpointMeta, filters: readonly SearchFilter[]): Hit[] =>
  filters.length === 0 ? [] : [{ in: 'checkpoint', pathMarks: [], rank: 0 }];

interface Ranked {
  readonly rank: number;
  readonly item: SearchItem;
}

/** The same value at the same place of a task is one row, in as many checkpoints as have it. */
function add(found: Map<string, Ranked>, { rank, ...hit }: Hit, meta: CheckpointMeta): void {
  const here = foundAt(meta);
  const { ref, status } = here;
  const key = JSON.stringify([
    meta.taskId,
    hit.in,
    hit.path,
    hit.in !== 'path' && hit.snippet?.text,
    hit.in === 'checkpoint' && refKey(ref),
  ]);
  const known = found.get(key)?.item;
  const first = { ...hit, store: meta.store, ref, status, lastSeen: here };
  found.set(key, { rank, item: { ...(known ?? first), firstSeen: here, count: (known?.count ?? 0) + 1 } });
}

function foundAt(meta: CheckpointMeta): FoundCheckpoint {
  const { seq, stepIndex, status, createdAt, description, sizeBytes } = meta;
  return {
    ref: refOfMeta(meta),
    seq,
    status,
    sizeBytes,
    ...(stepIndex !== undefined && { stepIndex }),
    ...(createdAt !== undefined && { createdAt }),
    ...(description !== undefined && { description }),
  };
}

async function hitsIn(source: CheckpointSource, meta: CheckpointMeta, matcher: Matcher): Promise<Hit[]> {
  const hits: Hit[] = [];
  const name = meta.description;
  if (name !== undefined && matcher.matches({ path: '', kind: KIND.name, text: name })) {
    const snippet = snippetOf(KIND.name, name, matcher.marksIn(name), false);
    hits.push({ in: 'name', pathMarks: [], snippet, rank: 1 });
  }
  const state = meta.problem === undefined ? await source.state(refOfMeta(meta)) : undefined;
  if (state === undefined) return hits;
  for (const { path, kind, start, end } of walkJson(state.text)) {
    const isScalar = kind !== 'object' && kind !== 'array' && end !== undefined;
    const token = isScalar ? state.text.slice(start, end) : undefined;
    const text = kind === 'string' && token !== undefined ? said(token) : token;
    const place = { path, kind: textKindOf(kind), ...(text !== undefined && { text }) };
    const where = hitAt(place, matcher);
    if (where === undefined) continue;
    const snippet = text === undefined ? {} : { snippet: snippetOf(place.kind, text, matcher.marksIn(text), false) };
    const rank = matcher.rank(where === 'path' ? { path, kind: KIND.path } : place);
    hits.push({ in: where, path, pathMarks: matcher.pathMarks(path), ...snippet, rank });
  }
  return hits;
}

/** As the index has it: a key is found by itself where that is all that was asked for, and else by its values. */
function hitAt(place: Place, matcher: Matcher): 'value' | 'path' | undefined {
  const { text: wanted, side } = matcher.driver;
  const isInPath = side !== 'value' && fold(place.path).includes(wanted);
  const isInValue = side !== 'path' && place.text !== undefined && fold(place.text).includes(wanted);
  const isKey = isInPath && matcher.matches({ path: place.path, kind: KIND.path });
  if (isInValue && matcher.matches(place)) return 'value';
  if (isInPath && !isKey) return place.text !== undefined && matcher.matches(place) ? 'value' : undefined;
  return isKey && (place.path === '$' || fold(lastKey(place.path)).includes(wanted)) ? 'path' : undefined;
}

const textKindOf = (kind: string): TextKind => (kind === 'string' ? KIND.string : KIND.scalar);

function said(token: string): string {
  const node = parseJson(token);
  return node.kind === 'string' ? stringOf(token, node) : sourceOf(token, node);
}

/** Of several by one name one is enough; all else must hold. */
function passes(meta: CheckpointMeta, filters: readonly SearchFilter[]): boolean {
  const byAgent = nameFilter(filters, 'agent');
  if (!byAgent(meta.agentId ?? '')) return false;
  for (const by of ['status', 'trigger'] as const) {
    const wanted = filters.filter((filter) => filter.by === by && !filter.not);
    if (wanted.length > 0 && !wanted.some((filter) => holds(meta, filter))) return false;
  }
  return filters.every((filter) =>
    (filter.by === 'status' || filter.by === 'trigger') && !filter.not
      ? true
      : holds(meta, filter) !== (filter.not ?? false),
  );
}

function holds(meta: CheckpointMeta, filter: SearchFilter): boolean {
  const time = meta.createdAt === undefined ? Number.NaN : Date.parse(meta.createdAt);
  if (filter.by === 'status') return meta.status === filter.status;
  if (filter.by === 'trigger') return meta.trigger === filter.trigger;
  if (filter.by === 'larger') return meta.sizeBytes > filter.bytes;
  if (filter.by === 'smaller') return meta.sizeBytes < filter.bytes;
  if (filter.by === 'before') return time < Date.parse(filter.time);
  if (filter.by === 'after') return time >= Date.parse(filter.time);
  // Names are told apart from facts above; a negated one is, too.
  return !filter.not;
}
