/** Query options for everything the page reads. A key begins with what it is, then store, then task. */
import { type Address, decodeLineage, formatAddress, InspectorError } from '@checkpoint-inspector/core';
import {
  infiniteQueryOptions,
  keepPreviousData,
  QueryClient,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query';
import { api, type TasksQuery } from './api.ts';

/** A checkpoint to begin at. */
export interface Around {
  readonly id: string;
  readonly ns?: string;
}

export const keys = {
  status: ['status'],
  stores: ['stores'],
  tasks: (query: TasksQuery = {}) => ['tasks', query],
  task: (store: string, task: string) => ['task', store, task],
  checkpoints: (store: string, task: string, around?: Around) => ['checkpoints', store, task, around ?? null],
  tree: (store: string, task: string) => ['tree', store, task],
  find: (store: string, id: string) => ['find', store, id],
  checkpoint: (at: Address) => ['checkpoint', at.store, at.task, at.namespace ?? '', at.id],
  beside: (at: Address) => ['beside', at.store, at.task, at.namespace ?? '', at.id],
  state: (at: Address, hash?: string) => ['state', at.store, at.task, at.namespace ?? '', at.id, hash ?? null],
  raw: (at: Address, hash?: string) => ['raw', at.store, at.task, at.namespace ?? '', at.id, hash ?? null],
  views: (at: Address, hash: string | undefined, system: string) => [
    'views',
    at.store,
    at.task,
    at.namespace ?? '',
    at.id,
    hash ?? null,
    system,
  ],
  diff: (a: Address, b: Address, ignore?: readonly string[]) => [
    'diff',
    formatAddress(a),
    formatAddress(b),
    ignore ?? null,
  ],
  /** Saves elsewhere in the task do not change it: only a round over everything reads it again. */
  history: (end: Address, path: string) => ['path-history', formatAddress(end), path],
  gone: (store: string, task: string | undefined, ns: string | undefined, id: string) => [
    'gone',
    store,
    task ?? null,
    ns ?? null,
    id,
  ],
  search: (text: string) => ['search', text],
  receipt: (id: string) => ['receipt', id],
  activity: ['activity'],
  trash: ['trash'],
  trashSummary: ['trash', 'summary'],
  storage: ['storage'],
  planItems: (planId: string, part: PlanPart) => ['plan-items', planId, part],
} as const;

const PAGE = 100;
const TASK_LIMIT = 1000;

export const statusQuery = () =>
  queryOptions({ queryKey: keys.status, queryFn: ({ signal }) => api.status({ signal }), staleTime: 60_000 });

export const storesQuery = () =>
  queryOptions({
    queryKey: keys.stores,
    queryFn: ({ signal }) => api.stores({ signal }),
    select: (answer) => answer.items,
  });

/** The first thousand tasks of all stores, failed first. */
export const tasksQuery = (query: TasksQuery = {}) =>
  queryOptions({
    queryKey: keys.tasks(query),
    queryFn: ({ signal }) => api.tasks({ limit: TASK_LIMIT, ...query }, { signal }),
    placeholderData: keepPreviousData,
  });

export const taskQuery = (store: string, task: string) =>
  queryOptions({ queryKey: keys.task(store, task), queryFn: ({ signal }) => api.task(store, task, { signal }) });

/** The history, page by page; `around` begins at the page that holds this checkpoint. */
export const checkpointsQuery = (store: string, task: string, around?: Around) =>
  infiniteQueryOptions({
    queryKey: keys.checkpoints(store, task, around),
    queryFn: ({ pageParam, signal }) =>
      api.checkpoints(
        store,
        task,
        {
          limit: PAGE,
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
          ...(pageParam === undefined && around !== undefined
            ? { around: around.id, ...(around.ns === undefined ? {} : { ns: around.ns }) }
            : {}),
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  });

export const treeQuery = (store: string, task: string) =>
  queryOptions({
    queryKey: keys.tree(store, task),
    queryFn: async ({ signal }) => decodeLineage(await api.tree(store, task, { signal })),
    // Comparing 50,000 rows one by one takes longer than drawing them.
    structuralSharing: false,
  });

export const findQuery = (store: string, id: string) =>
  queryOptions({
    queryKey: keys.find(store, id),
    queryFn: ({ signal }) => api.find(store, id, { signal }),
    select: (answer) => answer.items,
  });

export const checkpointQuery = (at: Address) =>
  queryOptions({ queryKey: keys.checkpoint(at), queryFn: ({ signal }) => api.checkpoint(at, { signal }) });

/** Errors, questions, pending writes and next nodes of a checkpoint, and which changes it refuses. */
export const besideQuery = (at: Address) =>
  queryOptions({ queryKey: keys.beside(at), queryFn: ({ signal }) => api.beside(at, { signal }) });

/** With a hash the answer never changes: the same id may be saved again, but not with the same hash. */
export const stateQuery = (at: Address, hash?: string) =>
  queryOptions({
    queryKey: keys.state(at, hash),
    queryFn: ({ signal }) => api.state(at, { signal }),
    staleTime: hash === undefined ? 0 : Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

export const rawQuery = (at: Address, hash?: string) =>
  queryOptions({ queryKey: keys.raw(at, hash), queryFn: ({ signal }) => api.raw(at, { signal }), gcTime: 30_000 });

export const diffQuery = (a: Address, b: Address, ignore?: readonly string[]) =>
  queryOptions({
    queryKey: keys.diff(a, b, ignore),
    queryFn: ({ signal }) => api.diff(a, b, ignore, { signal }),
    placeholderData: keepPreviousData,
  });

export const goneQuery = (store: string, id: string, task?: string, ns?: string) =>
  queryOptions({
    queryKey: keys.gone(store, task, ns, id),
    queryFn: ({ signal }) =>
      api.gone(store, { id, ...(task === undefined ? {} : { task }), ...(ns === undefined ? {} : { ns }) }, { signal }),
    staleTime: 0,
  });

/** Page by page; the results of the query before stay until there are new ones. */
export const searchQuery = (text: string) =>
  infiniteQueryOptions({
    queryKey: keys.search(text),
    queryFn: ({ pageParam, signal }) => api.search(text, pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    placeholderData: keepPreviousData,
    staleTime: 2_000,
    gcTime: 30_000,
  });

export const receiptQuery = (id: string) =>
  queryOptions({ queryKey: keys.receipt(id), queryFn: ({ signal }) => api.receipt(id, { signal }) });

export const activityQuery = () =>
  infiniteQueryOptions({
    queryKey: keys.activity,
    queryFn: ({ pageParam, signal }) => api.activity(pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  });

export const trashQuery = () =>
  infiniteQueryOptions({
    queryKey: keys.trash,
    queryFn: ({ pageParam, signal }) => api.trash(pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  });

export type PlanPart = 'removes' | 'protected' | 'skipped';

export const trashSummaryQuery = () =>
  queryOptions({ queryKey: keys.trashSummary, queryFn: ({ signal }) => api.trashSummary({ signal }) });

export const storageQuery = () =>
  queryOptions({
    queryKey: keys.storage,
    queryFn: ({ signal }) => api.storage({ signal }),
    placeholderData: keepPreviousData,
  });

/** A plan never changes, so neither do its parts. */
export const planItemsQuery = (planId: string, part: PlanPart) =>
  infiniteQueryOptions({
    queryKey: keys.planItems(planId, part),
    queryFn: ({ pageParam, signal }) => api.planItems(planId, part, pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    retry: false,
  });

/** Answers that a second try may change; everything else is said at once. */
const worthRetrying = (error: Error): boolean =>
  InspectorError.is(error) && (error.code === 'busy' || error.data?.['offline'] === true);

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: false,
        retry: (count, error) => count < 2 && worthRetrying(error),
        // The server is on this machine: being offline says nothing about it.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}

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
