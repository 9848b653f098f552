/** Query options for everything the page reads. A key begins with what it is, then store, then task. */
import { formatAddress, InspectorError, type Address } from '@checkpoint-inspector/core';
import { infiniteQueryOptions, keepPreviousData, QueryClient, queryOptions } from '@tanstack/react-query';
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
  receipt: (id: string) => ['receipt', id],
  activity: ['activity'],
  trash: ['trash'],
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
    queryFn: ({ signal }) => api.tree(store, task, { signal }),
    select: (answer) => answer.items,
  });

export const findQuery = (store: string, id: string) =>
  queryOptions({
    queryKey: keys.find(store, id),
    queryFn: ({ signal }) => api.find(store, id, { signal }),
    select: (answer) => answer.items,
  });

export const checkpointQuery = (at: Address) =>
  queryOptions({ queryKey: keys.checkpoint(at), queryFn: ({ signal }) => api.checkpoint(at, { signal }) });

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
