import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { addressOf } from '../../lib/address.ts';
import { isBig } from '../../lib/big.ts';
import { useRested } from '../../lib/hooks.ts';
import { viewsQuery, type StateViews } from '../../lib/views.ts';
import { VIEWS, type View } from '../search.ts';

/** Stored bytes up to which a state is looked into only to know which tabs apply. */
const LOOK_BYTES = 256_000;
const REST_MS = 120;
const NOWHERE = { store: '', task: '', id: '' };

export interface KnownViews extends StateViews {
  /** Of this checkpoint; else of the one before it, or not known. */
  readonly current: boolean;
  readonly loading: boolean;
}

interface Wanted {
  readonly system: string | undefined;
  readonly meta: CheckpointMeta | undefined;
  readonly settled: boolean;
  readonly asked: View | undefined;
}

/** Chat and plan of the selected checkpoint; those of the one before it stay until they are known. */
export function useStateViews({ system, meta, settled, asked }: Wanted): KnownViews {
  const at = meta ? addressOf(meta) : NOWHERE;
  const place = `${at.store}/${at.task}/${at.id}`;
  // Stepping quickly through a history reads no states on the way.
  const rested = useRested(place, REST_MS) === place;
  const needed = asked === 'chat' || asked === 'plan';
  const readable = meta !== undefined && meta.problem === undefined && system !== undefined;
  const query = useQuery({
    ...viewsQuery(system ?? '', at, meta?.stateHash),
    enabled:
      readable &&
      settled &&
      !isBig(meta) &&
      (needed || (rested && (asked === 'state' || meta.sizeBytes <= LOOK_BYTES))),
    placeholderData: (before, from) =>
      from?.queryKey[1] === at.store && from.queryKey[2] === at.task ? before : undefined,
  });
  const known = readable ? query.data : undefined;
  return {
    ...known,
    current: known !== undefined && !query.isPlaceholderData,
    loading: query.isFetching || (needed && readable && known === undefined && !query.isError),
  };
}

/** The tabs that apply. One that the address asks for is there until it is known that it does not. */
export function tabsOf(views: KnownViews, asked: View | undefined): readonly View[] {
  const hoped = (view: View): boolean => asked === view && views.loading && !views.current;
  return VIEWS.filter((view) => {
    if (view === 'chat') return views.chat !== undefined || hoped(view);
    if (view === 'plan') return views.plan !== undefined || hoped(view);
    return true;
  });
}
