import type { CheckpointStore } from '@checkpoint-inspector/core';
import { openPostgresStore } from '../postgres/store.ts';
import { openSqliteStore } from '../sqlite/store.ts';

/** Where a store of a test is, for processes of its own too. */
export type StorePlace = { readonly path: string } | { readonly url: string; readonly schema: string };

export type OpenStore = CheckpointStore & { close(): Promise<void> };

export const openAt = (
  place: StorePlace,
  options: { readonly readOnly?: boolean; readonly maxPerTask?: number } = {},
): Promise<OpenStore> =>
  'path' in place ? openSqliteStore({ ...place, ...options }) : openPostgresStore({ ...place, ...options });
