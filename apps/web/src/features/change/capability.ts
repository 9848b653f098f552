/** Why a change cannot be made here, from what the store and the server say. */
import type { Capability, StoreInfo } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { useConnection } from '../../lib/live.ts';
import { statusQuery, storesQuery } from '../../lib/queries.ts';

type Act = keyof StoreInfo['capabilities'];

/** The reason, or `undefined` where the change is possible. */
export function changeBlock(
  act: Act,
  info: Pick<StoreInfo, 'capabilities'> | undefined,
  server: { readonly readOnly: boolean; readonly stale: boolean },
): string | undefined {
  if (server.stale) return 'The server does not answer.';
  if (server.readOnly) return 'Started with --read-only.';
  const capability: Capability | undefined = info?.capabilities[act];
  return typeof capability === 'string' ? capability : undefined;
}

/** Why nothing can be changed at all, or `undefined`. */
export function useServerBlock(): string | undefined {
  const { data: status } = useQuery(statusQuery());
  const stale = useConnection().state === 'stale';
  return changeBlock('delete', undefined, { readOnly: status?.readOnly ?? false, stale });
}

export function useChangeBlock(store: string): (act: Act) => string | undefined {
  const { data: stores } = useQuery(storesQuery());
  const { data: status } = useQuery(statusQuery());
  const stale = useConnection().state === 'stale';
  const info = stores?.find((candidate) => candidate.id === store);
  return (act) => changeBlock(act, info, { readOnly: status?.readOnly ?? false, stale });
}
