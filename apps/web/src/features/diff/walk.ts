/** The way through the changes, the same in each view: what stands where, and n and N. */
import type { Difference } from '@checkpoint-inspector/core';
import { useCallback, useMemo, useState } from 'react';
import { useKeys } from '../../lib/keys.ts';
import type { DiffAnswer } from '../../lib/api.ts';
import { groupDifferences, groupName, matchesFilter } from './groups.ts';
import { containersOf, treeOrder } from './tree-rows.ts';

export const DIFF_VIEWS = ['list', 'tree', 'split'] as const;
export type DiffAs = (typeof DIFF_VIEWS)[number];

const isBelow = (path: string, container: string): boolean =>
  path.startsWith(container) && /^[.[]/.test(path.slice(container.length));

/**
 * The row of a path: its own, else the closest that covers it, else the first below it.
 * @example nearest(['$.a', '$.b.c'], '$.a.x', (path) => path) // 0
 */
export function nearest<T>(rows: readonly T[], path: string, pathOf: (row: T) => string | undefined): number {
  let covering = -1;
  let covered = -1;
  let below = -1;
  for (const [index, row] of rows.entries()) {
    const own = pathOf(row);
    if (own === undefined) continue;
    if (own === path) return index;
    if (own.length > covered && isBelow(path, own)) [covering, covered] = [index, own.length];
    if (below < 0 && isBelow(own, path)) below = index;
  }
  return covering >= 0 ? covering : below;
}

export interface DiffWalk {
  /** Those that pass the filter. */
  readonly items: readonly Difference[];
  /** Place of the focused change in the order of the view; -1: none. */
  readonly at: number;
  readonly step: (by: 1 | -1) => void;
  /** Closed groups and containers. */
  readonly closed: ReadonlySet<string>;
  readonly toggle: (name: string) => void;
}

interface WalkOptions {
  readonly diff: DiffAnswer | undefined;
  readonly as: DiffAs;
  readonly filter: string;
  readonly path: string | undefined;
  readonly onPath: (path: string | undefined) => void;
}

const NONE: readonly Difference[] = [];

export function useDiffWalk({ diff, as, filter, path, onPath }: WalkOptions): DiffWalk {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const all = diff?.items ?? NONE;
  const items = useMemo(() => (filter === '' ? all : all.filter((item) => matchesFilter(item, filter))), [all, filter]);
  const order = useMemo(
    () => (as === 'tree' ? treeOrder(items) : groupDifferences(items).flatMap((group) => group.items)),
    [items, as],
  );
  const at = path === undefined ? -1 : nearest(order, path, (item) => item.path);
  const step = (by: 1 | -1): void => {
    const next = order[at + by];
    if (next === undefined) return;
    const around = as === 'tree' ? containersOf(next.path) : [groupName(next.path)];
    if (around.some((name) => closed.has(name)))
      setClosed((before) => new Set([...before].filter((name) => !around.includes(name))));
    onPath(next.path);
  };
  useKeys({ n: () => step(1), N: () => step(-1) });
  const toggle = useCallback((name: string) => {
    setClosed((before) => {
      const next = new Set(before);
      if (!next.delete(name)) next.add(name);
      return next;
    });
  }, []);
  return { items, at, step, closed, toggle };
}
