/** The way through the changes, the same in each view: where each one is, and n and N. */
import { stateBytesOf, type CheckpointMeta, type Difference } from '@checkpoint-inspector/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { addressOf, NOWHERE } from '../../lib/address.ts';
import { stateQuery } from '../../lib/queries.ts';
import { toggled } from '../../lib/hooks.ts';
import { useKeys } from '../../lib/keys.ts';
import type { DiffAnswer } from '../../lib/api.ts';
import { groupDifferences, groupName, matchesFilter } from './groups.ts';
import { nearest, ranked, rankedOrder } from './ranking.ts';
import { containersOf, treeOrder } from './tree-rows.ts';

export const DIFF_VIEWS = ['ranked', 'list', 'tree', 'split'] as const;
export type DiffAs = (typeof DIFF_VIEWS)[number];

/** Old and new side by side come in the same order as the ranked list. */
export const isRanked = (as: DiffAs): boolean => as === 'ranked' || as === 'split';

interface WalkOptions {
  readonly diff: DiffAnswer | undefined;
  readonly as: DiffAs;
  readonly filter: string;
  readonly path: string | undefined;
  readonly onPath: (path: string | undefined) => void;
}

const NONE: readonly Difference[] = [];

/**
 * `items` pass the filter; `at` is the place of the focused one in the order of the view, -1 for none; `closed` are
 * groups and containers; `isUnfolded` where the folded rows are in the ranked list.
 */
function useDiffWalk({ diff, as, filter, path, onPath }: WalkOptions) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [unfolded, setUnfolded] = useState(false);
  const all = diff?.items ?? NONE;
  const items = useMemo(() => (filter === '' ? all : all.filter((item) => matchesFilter(item, filter))), [all, filter]);
  const order = useMemo(
    () =>
      isRanked(as)
        ? rankedOrder(items)
        : as === 'tree'
          ? treeOrder(items)
          : groupDifferences(items).flatMap((group) => group.items),
    [items, as],
  );
  const at = path === undefined ? -1 : nearest(order, path, (item) => item.path);
  const step = (by: 1 | -1): void => {
    const next = order[at + by];
    if (next === undefined) return;
    const around = isRanked(as) ? [] : as === 'tree' ? containersOf(next.path) : [groupName(next.path)];
    if (around.some((name) => closed.has(name)))
      setClosed((before) => new Set([...before].filter((name) => !around.includes(name))));
    onPath(next.path);
  };
  useKeys({ n: () => step(1), N: () => step(-1) });
  const toggle = useCallback((name: string) => setClosed((before) => toggled(before, name)), []);
  // What is looked for or looked at is never folded away.
  const isUnfolded = unfolded || filter !== '' || (isRanked(as) && at >= ranked(items).ranked.length);
  return { items, at, step, closed, toggle, isUnfolded, setUnfolded };
}

export type DiffWalk = ReturnType<typeof useDiffWalk>;

/** Up to this size a state is read only to count what is equal in it. */
const COUNTED_BYTES = 4_000_000;

interface ComparedOptions extends Omit<WalkOptions, 'diff'> {
  readonly diff: UseQueryResult<DiffAnswer>;
  /** Of the new state; absent as long as it is unknown. */
  readonly meta: CheckpointMeta | undefined;
  readonly all: boolean;
}

/** A diff with the way through it, and the new state's text where the view needs it. */
export function useCompared({ diff, meta, all, ...options }: ComparedOptions) {
  // An answer about other checkpoints may stay on the screen while loading, but not under a failure.
  const data = diff.isError ? undefined : diff.data;
  const needsState = all || (options.as === 'tree' && meta !== undefined && stateBytesOf(meta) <= COUNTED_BYTES);
  const at = meta === undefined ? NOWHERE : addressOf(meta);
  const state = useQuery({ ...stateQuery(at, meta?.revision), enabled: needsState && meta !== undefined });
  const walk = useDiffWalk({ diff: data, ...options });
  return { data, walk, text: needsState ? state.data?.text : undefined, isReading: all && state.isFetching };
}
