/** Answers what the page asks of the API from a bundle in the page: the same paths and the same objects. */
import {
  diffJson,
  idFromSegment,
  InspectorError,
  parseAddress,
  parseExpectation,
  parseRunAddress,
  refIn,
  storeId,
  type CheckpointSource,
} from '@checkpoint-inspector/core';
import {
  besideAt,
  compareRuns,
  createOffline,
  findTask,
  metaOf,
  metasOf,
  ndjson,
  openHistory,
  rawOf,
  resolveRef,
  searchStates,
  stateOf,
  stepsBetween,
  type Offline,
} from '@checkpoint-inspector/inspector/offline';

interface Asked {
  readonly method: string;
  /** Decoded parts of the path behind `/api`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly signal: AbortSignal | undefined;
}

const NOTHING = { items: [], coverage: { n: 0, of: 0, complete: true }, failures: [] };

/** Of the program that made the file, and when. */
export interface Made {
  readonly version: string;
  readonly startedAt: string;
}

/** @example const answer = createAnswers(source, made); const response = await answer('/api/stores'); */
export function createAnswers(source: CheckpointSource, made: Made): typeof fetch {
  const offline = createOffline(source);
  return async (input, init = {}) => {
    try {
      const asked = askedOf(input, init);
      const answer = await answerTo(asked, source, offline, made);
      return answer instanceof Response ? answer : Response.json(answer);
    } catch (thrown) {
      const signal = init.signal ?? undefined;
      if (signal?.aborted) throw thrown;
      const error = InspectorError.from(thrown);
      return Response.json(error.toWire(), { status: error.status });
    }
  };
}

function askedOf(input: RequestInfo | URL, init: RequestInit): Asked {
  const text = typeof input === 'string' ? input : 'url' in input ? input.url : input.href;
  const url = new URL(text.slice(text.indexOf('/api/')), 'http://viewer');
  const path = url.pathname
    .split('/')
    .slice(2)
    .map((part) => idFromSegment(decodeURIComponent(part)));
  return { method: init.method ?? 'GET', path, query: url.searchParams, signal: init.signal ?? undefined };
}

async function answerTo(asked: Asked, source: CheckpointSource, offline: Offline, made: Made): Promise<unknown> {
  const { method, path, query, signal } = asked;
  const [first, , kind] = path;
  if (method !== 'GET') throw refused();
  if (first === 'stores' && kind === 'tasks') return ofTask(asked, source, offline);
  if (first === 'stores' && kind === 'checkpoints') return ofCheckpoint(asked, source);
  const { failures } = offline;
  const task = query.get('task') ?? undefined;
  const of = task === undefined ? {} : { task };
  if (first === 'status') return { ...made, readOnly: true, demo: false, pid: 0 };
  if (first === 'stores') return kind === undefined ? { items: [source.info] } : { items: [] };
  if (first === 'tasks') return failures.tasks(pageOf(query));
  if (first === 'errors') return failures.errors();
  if (first === 'inbox') return failures.inbox();
  if (first === 'outlines') return failures.outlines();
  if (first === 'usage') return failures.usage(of);
  if (first === 'search') return searchStates(source, query.get('q') ?? '', signal);
  if (first === 'diff') return path[1] === 'steps' ? stepsOf(source, query) : diffOf(offline, source, query);
  if (first === 'compare') return compareOf(source, query, signal);
  if (first === 'events') return events(signal);
  if (first === 'activity' || first === 'trash') return NOTHING;
  throw refused();
}

const refused = () =>
  new InspectorError('unsupported', 'This page is a file: it shows a bundle, and can do nothing else.', {
    remedy: 'Open the bundle with checkpoint-inspector.',
  });

function pageOf(query: URLSearchParams): { limit?: number; cursor?: string; text?: string } {
  const [limit, cursor, text] = ['limit', 'cursor', 'text'].map((name) => query.get(name) ?? undefined);
  return {
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(cursor !== undefined && { cursor }),
    ...(text !== undefined && { text }),
  };
}

async function ofTask({ path, query, signal }: Asked, source: CheckpointSource, offline: Offline): Promise<unknown> {
  const [, , , task = '', what, more] = path;
  const { id: store } = source.info;
  const cp = query.get('cp') ?? undefined;
  const end = { task, ...(cp !== undefined && { cp }), ns: query.get('ns') ?? '' };
  if (what === undefined) return findTask(source, task);
  if (what === 'checkpoints') {
    const around = query.get('around');
    const ns = query.get('ns');
    const ref = around === null ? {} : { around: refIn(task, { id: around, ...(ns ? { namespace: ns } : {}) }) };
    return offline.summaries.fill(source, await source.checkpoints(task, { ...pageOf(query), ...ref }));
  }
  if (what === 'tree' && more === 'columns')
    return new Response(await offline.trees.columns(store, task), { headers: { 'content-type': 'application/json' } });
  if (what === 'lanes') {
    const compare = query.get('compare') ?? 'all';
    const which = compare === 'all' || compare === 'none' ? compare : compare.split(',');
    return offline.lanes.list(store, task, { compare: which, ...(signal && { signal }) });
  }
  if (what === 'explain') {
    const [against, expect] = [query.get('against'), query.get('expect')];
    const asked = {
      ...end,
      ...(against !== null && { against: runOf(source, against) }),
      ...(expect !== null && { expect: parseExpectation(expect) }),
    };
    return offline.explanations.of(store, asked, { known: true, ...(signal && { signal }) });
  }
  if (what === 'history') {
    const stop = new AbortController();
    signal?.addEventListener('abort', () => stop.abort());
    const roles = offline.summaries.knownRoles(source, task);
    const lines = await openHistory(source, { ...end, path: query.get('path') ?? '$' }, stop.signal, undefined, roles);
    return new Response(ndjson(lines, () => stop.abort()));
  }
  throw refused();
}

async function ofCheckpoint({ path, query }: Asked, source: CheckpointSource): Promise<unknown> {
  const [, , , id, what] = path;
  if (id === undefined) return { items: await metasOf(source, query.get('id') ?? '') };
  const [task, ns] = [query.get('task'), query.get('ns')];
  const ref = await resolveRef(source, id, { ...(task !== null && { task }), ...(ns !== null && { ns }) });
  if (what === undefined) return metaOf(source, ref);
  if (what === 'beside') return besideAt(source, ref);
  if (what === 'annotations') return { ref, labels: [] };
  if (what === 'raw') return new Response((await rawOf(source, ref)).bytes);
  if (what !== 'state' || path[5] !== undefined || query.has('path')) throw refused();
  const { text, revision, derived } = await stateOf(source, ref);
  const headers = { 'content-type': 'application/json', etag: `"${revision}"` };
  return new Response(text, {
    headers: { ...headers, ...(derived !== undefined && { 'x-state-derived': encodeURIComponent(derived) }) },
  });
}

async function pairOf(source: CheckpointSource, query: URLSearchParams) {
  const asked = query.getAll('ignore');
  const rules = asked.length === 0 ? source.info.volatilePaths : asked.filter((rule) => rule !== '');
  const [a, b] = ['a', 'b'].map((name) => {
    const { store, task, namespace, id } = parseAddress(query.get(name) ?? '');
    if (storeId(store) !== source.info.id) throw refused();
    return refIn(task, { id, ...(namespace === undefined ? {} : { namespace }) });
  });
  if (a === undefined || b === undefined) throw refused();
  return { a, b, ignore: [...rules] };
}

async function diffOf({ summaries }: Offline, source: CheckpointSource, query: URLSearchParams): Promise<unknown> {
  const { a, b, ignore } = await pairOf(source, query);
  const [before, after] = [await stateOf(source, a), await stateOf(source, b)];
  const found = diffJson(before.text, after.text, { ignore });
  const roles = await summaries.rolesOf(source, b.task);
  return { ...found, items: roles.marked(found.items), ignoreRules: ignore };
}

async function stepsOf(source: CheckpointSource, query: URLSearchParams): Promise<unknown> {
  const { a, b, ignore } = await pairOf(source, query);
  return stepsBetween(source, a, b, ignore);
}

function runOf({ info }: CheckpointSource, text: string) {
  const { store, task, namespace: ns = '', id: cp } = parseRunAddress(text);
  if (store !== info.id) throw refused();
  return { task, ...(cp !== undefined && { cp, ns }) };
}

function compareOf(source: CheckpointSource, query: URLSearchParams, signal: AbortSignal | undefined) {
  const run = (name: string) => ({ source, query: runOf(source, query.get(name) ?? '') });
  return compareRuns(run('a'), run('b'), { signal });
}

const PING_MS = 10_000;

/** Nothing ever happens here; the page only wants to hear that it is still connected. */
function events(signal: AbortSignal | undefined): Response {
  const ping = new TextEncoder().encode('event: ping\ndata:\n\n');
  let timer: ReturnType<typeof setInterval> | undefined;
  const end = (): void => clearInterval(timer);
  signal?.addEventListener('abort', end);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(ping);
      timer = setInterval(() => controller.enqueue(ping), PING_MS);
    },
    cancel: end,
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
