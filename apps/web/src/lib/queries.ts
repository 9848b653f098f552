/** Query options for everything the page reads. A key begins with what it is, then store, then task. */
import { type Address, type Explanation, formatAddress, InspectorError } from '@checkpoint-inspector/core';
import {
  infiniteQueryOptions,
  keepPreviousData,
  QueryClient,
  type QueryKey,
  queryOptions,
  useQuery,
} from '@tanstack/react-query';
import { whenIdle } from './hooks.ts';
import { isFile } from './viewer/page.ts';
import { api, type CheckpointRow, type ExplainAsked, type PlanPart, type TasksQuery } from './api.ts';

/** A checkpoint to begin at. */
export interface Around {
  readonly id: string;
  readonly ns?: string | undefined;
}

type Signalled = { readonly signal: AbortSignal };

export const read = <Data>(queryKey: QueryKey, call: (options: Signalled) => Promise<Data>) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => call({ signal }) });

/** Page by page, each by the cursor of the one before. */
const readPages = <Page extends { readonly cursor?: string | undefined }>(
  queryKey: QueryKey,
  call: (cursor: string | undefined, options: Signalled) => Promise<Page>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => call(pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  });

/** Going on with a list never ends a reading of it again: what that finds would be lost. */
export const NEXT_PAGE = { cancelRefetch: false } as const;

const placeKey = (kind: string, at: Address) => [kind, at.store, at.task, at.namespace ?? '', at.id];

/** Of what never changes under the same hash. */
export const hashedKey = (kind: 'state' | 'raw' | 'views', at: Address, hash?: string) => [
  ...placeKey(kind, at),
  hash ?? null,
];

/** With a hash the answer never changes: the same id may be saved again, but not with the same hash. */
export const keptByHash = (hash: string | undefined) => ({
  staleTime: hash === undefined ? 0 : Number.POSITIVE_INFINITY,
  gcTime: 60_000,
});

const PAGE = 100;
const TASK_LIMIT = 1000;

export const statusQuery = () => ({ ...read(['status'], api.status), staleTime: 60_000 });

/** Names in a file were masked when it was made. */
export const maskingQuery = () => ({ ...read(['masking'], api.masking), staleTime: 60_000, enabled: !isFile() });

export const storesQuery = () => queryOptions({ ...read(['stores'], api.stores), select: (answer) => answer.items });

/** An open store; absent until it is known. */
export const useStore = (id: string | undefined) => useQuery(storesQuery()).data?.find((info) => info.id === id);

/** What a store is called, else its id. */
export const useStoreLabel = (id: string): string => useStore(id)?.label ?? id;

/** The first thousand tasks of all stores, failed first. */
export const tasksQuery = (query: TasksQuery = {}) => ({
  ...queryOptions({
    ...read(['tasks', query], (options) => api.tasks({ limit: TASK_LIMIT, ...query }, options)),
    refetchInterval: ({ state }) => (state.data?.reading || state.data?.coverage ? READING_MS : false),
  }),
  placeholderData: keepPreviousData,
});

/** What people call a task; its id where it has no title, or isn't among the first thousand. */
export function useTaskTitle(store: string, task: string): string {
  const { data } = useQuery(tasksQuery());
  return data?.items.find((one) => one.store === store && one.id === task)?.title || task;
}

export const taskQuery = (store: string, task: string) =>
  read(['task', store, task], (options) => api.task(store, task, options));

/** The history, page by page; `around` begins at the page that holds this checkpoint. */
export const checkpointsQuery = (store: string, task: string, around?: Around) =>
  infiniteQueryOptions({
    ...readPages(['checkpoints', store, task, around ?? null], (cursor, options) => {
      const begin = cursor === undefined ? { around: around?.id, ns: around?.ns } : { cursor };
      return api.checkpoints(store, task, { limit: PAGE, ...begin }, options);
    }),
    refetchInterval: ({ state }) =>
      state.dataUpdateCount < ASKED_AGAIN && state.data?.pages.some(isUntold) === true ? ASK_AGAIN_MS : false,
  });

/** One page of the history by itself, for rows that the tree has named before. */
export const checkpointsAroundQuery = (store: string, task: string, around: Around) =>
  queryOptions({
    ...read(['checkpoints', store, task, 'around', around], (options) =>
      api.checkpoints(store, task, { limit: PAGE, around: around.id, ns: around.ns }, options),
    ),
    refetchInterval: ({ state }) =>
      state.dataUpdateCount < ASKED_AGAIN && state.data !== undefined && isUntold(state.data) ? ASK_AGAIN_MS : false,
  });

/** A busy server leaves summaries out of its first answer; what it can't tell it doesn't tell later either. */
const ASKED_AGAIN = 4;
const ASK_AGAIN_MS = 1_500;
const isUntold = ({ items }: { readonly items: readonly CheckpointRow[] }): boolean => items.some(lacksSummary);
const lacksSummary = (row: CheckpointRow): boolean =>
  row.parentId !== undefined && row.summary === undefined && row.problem === undefined && row.sizeBytes < 1_000_000;

/** The newest few, for a glance. */
export const lastStepsQuery = (store: string, task: string) => ({
  ...read(['checkpoints', store, task, 'last'], (options) => api.checkpoints(store, task, { limit: 6 }, options)),
  placeholderData: keepPreviousData,
});

export const treeQuery = (store: string, task: string) => ({
  ...read(['tree', store, task], async (options) => {
    const [columns, { decodeLineage }] = await Promise.all([api.tree(store, task, options), import('./lineage.ts')]);
    return decodeLineage(columns);
  }),
  // Comparing 50,000 rows one by one takes longer than drawing them.
  structuralSharing: false,
});

export const findQuery = (store: string, id: string) =>
  queryOptions({
    ...read(['find', store, id], (options) => api.find(store, id, options)),
    select: (answer) => answer.items,
  });

export const checkpointQuery = (at: Address) =>
  read(placeKey('checkpoint', at), (options) => api.checkpoint(at, options));

/** Errors, questions, pending writes and next nodes of a checkpoint, and which changes it refuses. */
export const besideQuery = (at: Address) => read(placeKey('beside', at), (options) => api.beside(at, options));

const EXPLAINING_MS = 500;

/** Facts about the branch that ends here; what is known comes at once, and the rest as it is found. */
export const explanationQuery = (at: Address, asked: ExplainAsked = {}) => ({
  ...read([...placeKey('explanation', at), asked], (options) => api.explanation(at, asked, options)),
  refetchInterval: ({ state: { data } }: { readonly state: { readonly data: Explanation | undefined } }) => {
    // Of a run that went well nobody reads on.
    const isRead = data?.error !== undefined || asked.against !== undefined || asked.expect !== undefined;
    return isRead && data?.examined.partial === true ? EXPLAINING_MS : (false as const);
  },
});

export const stateQuery = (at: Address, hash?: string) => ({
  ...read(hashedKey('state', at, hash), (options) => api.state(at, options)),
  ...keptByHash(hash),
});

export const diffQuery = (a: Address, b: Address, ignore?: readonly string[]) => ({
  ...read(['diff', formatAddress(a), formatAddress(b), ignore ?? null], (options) => api.diff(a, b, ignore, options)),
  placeholderData: keepPreviousData,
});

/** Two runs step by step; read again as the diff of two checkpoints is. */
export const runsQuery = (a: string, b: string) => ({
  ...read(['diff', a, b, 'runs'], (options) => api.compareRuns(a, b, options)),
  placeholderData: keepPreviousData,
});

/** Which checkpoints on the way from one to the other made each difference. */
export const stepsQuery = (a: Address, b: Address, ignore?: readonly string[]) =>
  read(['diff', formatAddress(a), formatAddress(b), ignore ?? null, 'steps'], (options) =>
    api.steps(a, b, ignore, options),
  );

export const goneQuery = (store: string, id: string, task?: string, ns?: string) => ({
  ...read(['gone', store, task ?? null, ns ?? null, id], (options) => api.gone(store, { id, task, ns }, options)),
  staleTime: 0,
});

/** The results of the query before stay until there are new ones. */
export const searchQuery = (text: string) => ({
  ...readPages(['search', text], (cursor, options) => api.search(text, cursor, options)),
  placeholderData: keepPreviousData,
  staleTime: 2_000,
  gcTime: 30_000,
});

export const receiptQuery = (id: string) => read(['receipt', id], (options) => api.receipt(id, options));

export const activityQuery = () => readPages(['activity'], api.activity);

export const trashQuery = () => readPages(['trash'], api.trash);

export const trashSummaryQuery = () => read(['trash', 'summary'], api.trashSummary);

/** Read again after a change, and not after each save of a running agent: it reads every state of the task. */
export const growthQuery = (store: string, task: string) => ({
  ...read(['storage', 'growth', store, task], (options) => api.growth(store, task, options)),
  staleTime: 30_000,
});

export const storageQuery = () => ({ ...read(['storage'], api.storage), placeholderData: keepPreviousData });

/** A plan never changes, so neither do its parts. */
export const planItemsQuery = (planId: string, part: PlanPart) => ({
  ...readPages(['plan-items', planId, part], (cursor, options) => api.planItems(planId, part, cursor, options)),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 30_000,
  retry: false,
});

// Errors, questions and usage: while a large store is being read the answer is asked for again.

const READING_MS = 1200;

interface Covered {
  readonly coverage: { readonly complete: boolean };
}

const untilComplete = ({ state: { data } }: { readonly state: { readonly data: Covered | undefined } }) =>
  data?.coverage.complete === false ? READING_MS : (false as const);

export const errorsQuery = () => ({ ...read(['errors'], api.errors), refetchInterval: untilComplete });

/** What the list of tasks says of each beyond the task itself; found in the same pass as errors and questions. */
export const outlinesQuery = () => ({ ...read(['outlines'], api.outlines), refetchInterval: untilComplete });

export const inboxQuery = () => ({ ...read(['inbox'], api.inbox), refetchInterval: untilComplete });

export const proposalsQuery = () =>
  queryOptions({
    ...read(['proposals'], api.proposals),
    select: ({ items }) => items,
    // Another process may have added one, which this server doesn't tell.
    refetchOnWindowFocus: 'always',
  });

export const agentsQuery = () => ({ ...read(['agents'], api.agents), refetchOnWindowFocus: 'always' as const });

/** The server looks again whether it can be applied: whenever a person comes back to it. */
export const proposalQuery = (id: string) => ({
  ...read(['proposals', id], (options) => api.proposal(id, options)),
  refetchOnWindowFocus: 'always' as const,
});

/** Of all tasks, or of one alone. */
export const usageQuery = (at?: { readonly store: string; readonly task: string }) => ({
  ...read(at ? ['usage', at.store, at.task] : ['usage'], (options) => api.usage({ ...at }, options)),
  refetchInterval: untilComplete,
});

export const annotationsQuery = (store: string, task: string) =>
  queryOptions({
    ...read(['annotations', store, task], (options) => api.annotations(store, task, options)),
    select: (answer) => answer.items,
  });

/** Answers that a second try may change; everything else is said at once. */
const worthRetrying = (error: Error): boolean =>
  InspectorError.is(error) && (error.code === 'busy' || error.data?.['offline'] === true);

/** Runs each once the page has what it asked for and nothing else to do; the answer undoes it. */
export function whenQuiet(client: QueryClient, runs: readonly (() => unknown)[]): () => void {
  const cache = client.getQueryCache();
  let cancel: (() => void) | undefined;
  // Before the first question there is no quiet, only a page that has not begun.
  const isQuiet = (): boolean => cache.getAll().length > 0 && client.isFetching() === 0;
  const look = (): void => {
    if (cancel !== undefined || !isQuiet()) return;
    cancel = whenIdle(() => {
      cancel = undefined;
      if (!isQuiet()) return;
      unfollow();
      for (const run of runs) run();
    });
  };
  const unfollow = cache.subscribe(look);
  look();
  return () => {
    unfollow();
    cancel?.();
  };
}

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
