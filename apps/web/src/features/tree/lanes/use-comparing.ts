/** What differs in the lanes of a large tree, asked for in parts: those on the screen first, then those around them. */
import type { ForkTree, Lane } from '@checkpoint-inspector/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { api, type LaneFacts } from '../../../lib/api.ts';
import { lanesIn } from '../../../lib/forks.ts';
import { laneKey } from './book.ts';
import { nextLanes } from './next-lanes.ts';

type LaneList = Awaited<ReturnType<typeof api.lanes>>;

/** Cost, time and what was compared before, of all lanes; the server reads no state for it. */
const factsQuery = (store: string, task: string) =>
  queryOptions({
    queryKey: ['lanes', store, task, 'facts'],
    queryFn: ({ signal }) => api.lanes(store, task, { signal }, 'none'),
    structuralSharing: false,
  });

const compareKey = (store: string, task: string) => ['lanes', store, task, 'compare'];

const compareQuery = (store: string, task: string, labels: readonly string[]) =>
  queryOptions({
    queryKey: [...compareKey(store, task), labels.join()],
    queryFn: ({ signal }) => api.lanes(store, task, { signal }, labels.join()),
    staleTime: 0,
    gcTime: 0,
  });

interface Told {
  /** What was last heard of each lane, by key; it stays on the screen until there is something newer. */
  readonly by: ReadonlyMap<string, LaneFacts>;
  /** Lanes that need not be asked for again. */
  readonly done: ReadonlySet<string>;
  readonly list?: LaneList;
  readonly failed: boolean;
}

const NOTHING: Told = { by: new Map(), done: new Set(), failed: false };

export function useComparing(store: string, task: string, tree: ForkTree, enabled: boolean) {
  const client = useQueryClient();
  const { lanes } = lanesIn(tree);
  const [told, setTold] = useState(NOTHING);
  const { failed } = told;
  // It takes a pass over the whole task: what is on the screen goes before it.
  const [isSeen, setSeen] = useState(false);
  const { data: list } = useQuery({ ...factsQuery(store, task), enabled: enabled && (isSeen || failed) });
  if (list !== undefined && told.list !== list) setTold(withList(told, list));
  const onScreen = useRef(new Set<number>());
  const isIdle = useRef(true);
  const [asked, ask] = useState(0);

  const show = useCallback((ordinals: readonly number[]) => {
    for (const one of ordinals) {
      onScreen.current.delete(one);
      onScreen.current.add(one);
    }
    if (isIdle.current) ask((count) => count + 1);
  }, []);

  const open = useMemo(() => lanes.filter((lane) => !told.done.has(keyOf(tree, lane))), [lanes, tree, told.done]);
  useEffect(() => {
    if (!enabled || failed) return undefined;
    let isGone = false;
    isIdle.current = false;
    // The rows are drawn first, and say which of them are on the screen.
    const timer = setTimeout(() => {
      const next = nextLanes(open, lanes.length, [...onScreen.current].reverse());
      isIdle.current = next.length === 0;
      if (!next.some(({ ordinal }) => onScreen.current.has(ordinal))) setSeen(true);
      if (isIdle.current) return;
      client
        .fetchQuery(
          compareQuery(
            store,
            task,
            next.map(({ label }) => label),
          ),
        )
        .then(
          (answer) =>
            isGone ||
            setTold((before) =>
              withAnswer(
                before,
                next.map((lane) => keyOf(tree, lane)),
                answer,
              ),
            ),
          () => isGone || setTold((before) => ({ ...before, failed: true })),
        );
    }, 0);
    return () => {
      isGone = true;
      clearTimeout(timer);
      void client.cancelQueries({ queryKey: compareKey(store, task) });
    };
    // An answer, or lanes that come into view while nothing is asked for, lead to the next question.
  }, [client, store, task, tree, lanes, open, enabled, failed, asked]);

  const facts = useMemo(() => factsIn(told), [told]);
  return { facts, isComparing: open.length > 0 && !failed, isCounted: list !== undefined, show };
}

const keyOf = (tree: ForkTree, lane: Lane): string => laneKey(lane.label, tree.nodes[lane.nodes[0] ?? -1]?.ref);

/** A new list is of a new state of the store: only what it tells itself is still known to hold. */
function withList({ by, done, list: before }: Told, list: LaneList): Told {
  const known = list.items.filter(({ differences }) => differences !== undefined);
  const keys = known.map(({ lane, first }) => laneKey(lane, first));
  return {
    by: new Map([...by, ...known.map((one) => [laneKey(one.lane, one.first), one] as const)]),
    done: new Set(before === undefined ? [...done, ...keys] : keys),
    list,
    failed: false,
  };
}

/** Lanes that the answer leaves out are gone; those in it without differences are asked for again. */
function withAnswer(told: Told, asked: readonly string[], { items }: LaneList): Told {
  const [by, done] = [new Map(told.by), new Set([...told.done, ...asked])];
  for (const one of items) {
    const key = laneKey(one.lane, one.first);
    if (one.differences === undefined) done.delete(key);
    else by.set(key, one);
  }
  return { ...told, by, done };
}

/** The figures of the list with what was heard since. */
function factsIn({ by, list }: Told): readonly LaneFacts[] {
  if (list === undefined) return [...by.values()];
  return list.items.map((item) => {
    const { differences, error } = by.get(laneKey(item.lane, item.first)) ?? {};
    if (differences === undefined || item.differences !== undefined) return item;
    return { ...item, differences, ...(error === undefined ? {} : { error }) };
  });
}
