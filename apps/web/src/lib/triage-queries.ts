/** Errors, questions, usage, labels and notes. While a large store is being read the answer is asked for again. */
import { queryOptions } from '@tanstack/react-query';
import { api } from './api.ts';

const READING_MS = 1200;

interface Covered {
  readonly coverage: { readonly complete: boolean };
}

/** Asks again until all is looked through. */
const untilComplete = (query: { readonly state: { readonly data: Covered | undefined } }): number | false =>
  query.state.data !== undefined && !query.state.data.coverage.complete ? READING_MS : false;

export const errorsQuery = () =>
  queryOptions({
    queryKey: ['errors'],
    queryFn: ({ signal }) => api.errors({ signal }),
    refetchInterval: untilComplete,
  });

export const inboxQuery = () =>
  queryOptions({ queryKey: ['inbox'], queryFn: ({ signal }) => api.inbox({ signal }), refetchInterval: untilComplete });

/** Of all tasks, or of one alone. */
export const usageQuery = (at?: { readonly store: string; readonly task: string }) =>
  queryOptions({
    queryKey: at ? ['usage', at.store, at.task] : ['usage'],
    queryFn: ({ signal }) => api.usage(at ? { store: at.store, task: at.task } : {}, { signal }),
    refetchInterval: untilComplete,
  });

export type ErrorsAnswer = Awaited<ReturnType<typeof api.errors>>;
export type ErrorGroup = ErrorsAnswer['items'][number];
export type FailedTask = ErrorGroup['tasks'][number];
export type InboxItem = Awaited<ReturnType<typeof api.inbox>>['items'][number];
export type UsageAnswer = Awaited<ReturnType<typeof api.usage>>;
export type Coverage = ErrorsAnswer['coverage'];

export const annotationsQuery = (store: string, task: string) =>
  queryOptions({
    queryKey: ['annotations', store, task],
    queryFn: ({ signal }) => api.annotations(store, task, { signal }),
    select: (answer) => answer.items,
  });

export type Annotation = Awaited<ReturnType<typeof api.annotations>>['items'][number];
