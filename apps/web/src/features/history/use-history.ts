import { type ForkTree, laneCount, lineageKinds } from '@checkpoint-inspector/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { forksOf } from '../../lib/forks.ts';
import { type Around, checkpointsQuery, treeQuery } from '../../lib/queries.ts';
import type { CheckpointRow } from '../../lib/api.ts';
import { keepSummaries, type Told } from './kept.ts';
import { laneRows, lanesUsed } from './lanes.ts';

const sameCheckpoint = (row: CheckpointRow, id: string, namespace: string | undefined): boolean =>
  row.id === id && (namespace === undefined || (row.namespace ?? '') === namespace);

/**
 * The history of a task as loaded so far. A checkpoint that is not on the first
 * page is looked for with a page of its own (`jumped`).
 */
export function useHistory(store: string, task: string, cp: string | undefined, ns: string | undefined) {
  const top = useInfiniteQuery(checkpointsQuery(store, task));
  const topRows = useMemo(() => (top.data?.pages ?? []).flatMap((page) => page.items), [top.data]);
  const inTop = cp === undefined || topRows.some((row) => sameCheckpoint(row, cp, ns));
  const wanted = top.isSuccess && !inTop && top.hasNextPage ? { id: cp, ns } : undefined;
  // Once jumped, moving on inside that page must not fetch another one around each row.
  const jump = useJump(`${store}/${task}`, wanted, inTop);
  const around = useInfiniteQuery({ ...checkpointsQuery(store, task, jump), enabled: jump !== undefined });
  const aroundRows = useMemo(() => (around.data?.pages ?? []).flatMap((page) => page.items), [around.data]);
  const jumped = jump !== undefined && aroundRows.some((row) => sameCheckpoint(row, jump.id, jump.ns));
  const used = jumped ? around : top;
  const rows = useKeptSummaries(`${store}/${task}`, jumped ? aroundRows : topRows);
  const selected =
    cp === undefined ? (rows.find((row) => row.isLatest) ?? rows[0]) : rows.find((row) => sameCheckpoint(row, cp, ns));
  const tree = useQuery(treeQuery(store, task));
  const known = tree.data && forksOf(task, tree.data);
  const forks = known?.tree;
  const linked = known && isLinked(known.tree) ? known : undefined;
  const lanes = useMemo(() => (linked ? laneRows(rows, linked) : []), [rows, linked]);
  return {
    list: used,
    rows,
    selected,
    jumped,
    tree: forks,
    treeFailed: tree.isError,
    treeRows: tree.data,
    lanes,
    laneCount: lanesUsed(lanes),
    nodeOf: known?.nodeOf,
    /** Some parents are known in another way than the rest. */
    marked: forks !== undefined && lineageKinds(forks).size > 1,
    lanesInAll: linked ? laneCount(linked.tree) : 1,
  };
}

/** Rows that have nothing to do with each other, such as locked files, make no lanes. */
const isLinked = ({ nodes }: ForkTree): boolean => nodes.length <= 1 || nodes.some((node) => node.parent !== undefined);

export type History = ReturnType<typeof useHistory>;

function useJump(place: string, wanted: Around | undefined, inTop: boolean): Around | undefined {
  const kept = useRef<{ place: string; around: Around | undefined }>({ place, around: undefined });
  if (kept.current.place !== place || inTop) kept.current = { place, around: undefined };
  if (kept.current.around === undefined && wanted) kept.current = { place, around: wanted };
  return kept.current.around;
}

/** What a row said stays until the server says more: under load it leaves summaries out of a page. */
function useKeptSummaries(place: string, rows: readonly CheckpointRow[]): readonly CheckpointRow[] {
  const known = useRef<{ place: string; told: Told }>({ place, told: new Map() });
  return useMemo(() => {
    if (known.current.place !== place) known.current = { place, told: new Map() };
    return keepSummaries(known.current.told, rows);
  }, [place, rows]);
}

/** Keys of rows that came after the list was first shown, for a few seconds. */
export function useFresh(place: string, rows: readonly CheckpointRow[]): (row: CheckpointRow) => boolean {
  const known = useRef<{ place: string; ids: Set<string> }>({ place: '', ids: new Set() });
  const keyOf = (row: CheckpointRow): string => `${row.namespace ?? ''}\n${row.id}`;
  const first = known.current.place !== place;
  useEffect(() => {
    if (rows.length === 0) return;
    if (known.current.place !== place) known.current = { place, ids: new Set() };
    for (const row of rows) known.current.ids.add(keyOf(row));
  }, [place, rows]);
  return (row) => !first && known.current.ids.size > 0 && !known.current.ids.has(keyOf(row));
}
