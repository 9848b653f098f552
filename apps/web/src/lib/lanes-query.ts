import { queryOptions } from '@tanstack/react-query';
import { api } from './api.ts';
import { read } from './queries.ts';

/** Asked again while lanes are being compared: each answer knows more. */
export const lanesQuery = (store: string, task: string) =>
  queryOptions({
    ...read(['lanes', store, task], (options) => api.lanes(store, task, options)),
    refetchInterval: ({ state }) => (state.data?.complete === false ? LANE_WAIT_MS : false),
  });

const LANE_WAIT_MS = 100;
