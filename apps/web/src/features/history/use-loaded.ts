/** The checkpoints of a task as far as they have been read: from the newest on, around the selected one, around rows in view. */
import { type CheckpointRef, refKey } from '@checkpoint-inspector/core';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { refOf } from '../../lib/address.ts';
import type { CheckpointRow } from '../../lib/api.ts';
import { type Around, checkpointsAroundQuery, checkpointsQuery } from '../../lib/queries.ts';
import { keepSummaries, type Told } from './kept.ts';

export const sameCheckpoint = (row: CheckpointRow, id: string, namespace: string | undefined): boolean =>
  row.id === id && (namespace === undefined || (row.namespace ?? '') === namespace);

/** A checkpoint that is not on the first page is looked for with a page of its own (`jumped`). */
export function useLoaded(store: string, task: string, cp: string | undefined, ns: string | undefined) {
  const top = useInfiniteQuery(checkpointsQuery(store, task));
  const topRows = useMemo(() => (top.data?.pages ?? []).flatMap((page) => page.items), [top.data]);
  const inTop = cp === undefined || topRows.some((row) => sameCheckpoint(row, cp, ns));
  const wanted = top.isSuccess && !inTop && top.hasNextPage ? { id: cp, ns } : undefined;
  // Once jumped, moving on inside that page must not fetch another one around each row.
  const jump = useJump(`${store}/${task}`, wanted, inTop);
  const around = useInfiniteQuery({ ...checkpointsQuery(store, task, jump), enabled: jump !== undefined });
  const aroundRows = useMemo(() => (around.data?.pages ?? []).flatMap((page) => page.items), [around.data]);
  const jumped = jump !== undefined && aroundRows.some((row) => sameCheckpoint(row, jump.id, jump.ns));
  const rows = useKeptSummaries(`${store}/${task}`, jumped ? aroundRows : topRows);
  return { list: jumped ? around : top, rows, topRows, jumped };
}

function useJump(place: string, wanted: Around | undefined, inTop: boolean): Around | undefined {
  const kept = useRef<{ place: string; around: Around | undefined }>({ place, around: undefined });
  if (kept.current.place !== place || inTop) kept.current = { place, around: undefined };
  if (kept.current.around === undefined && wanted) kept.current = { place, around: wanted };
  return kept.current.around;
}

/** What a row said stays until the server says more: under load it leaves summaries out of a page. */
export function useKeptSummaries(place: string, rows: readonly CheckpointRow[]): readonly CheckpointRow[] {
  const known = useRef<{ place: string; told: Told }>({ place, told: new Map() });
  return useMemo(() => {
    if (known.current.place !== place) known.current = { place, told: new Map() };
    return keepSummaries(known.current.told, rows);
  }, [place, rows]);
}

/** Pages that are kept up to date at once. */
const PAGES_KEPT = 8;
const NO_PAGES: readonly Around[] = [];

/** Pages around rows in view of which only the tree has told; `ask` names one that is missing. */
export function useAsked(store: string, task: string) {
  const place = `${store}/${task}`;
  const [asked, setAsked] = useState<{ readonly place: string; readonly pages: readonly Around[] }>();
  const pages = asked?.place === place ? asked.pages : NO_PAGES;
  const { rows, busy } = useQueries({
    queries: pages.map((page) => checkpointsAroundQuery(store, task, page)),
    combine: (answers) => ({
      rows: answers.flatMap(({ data }) => data?.items ?? []),
      busy: answers.some(({ isPending }) => isPending),
    }),
  });
  const tried = useRef(new Set<string>());
  const ask = useCallback(
    (ref: CheckpointRef) => {
      const key = `${place} ${refKey(ref)}`;
      // What a page did not bring is not asked for again.
      if (tried.current.has(key)) return;
      tried.current.add(key);
      setAsked((before) => {
        const others = before?.place === place ? before.pages : NO_PAGES;
        return { place, pages: [...others, { id: ref.id, ns: ref.namespace }].slice(-PAGES_KEPT) };
      });
    },
    [place],
  );
  return { rows: useKeptSummaries(place, rows), busy, ask };
}

/** The rows by their refs; of one that came twice, the last. */
export function byRef(...lists: readonly (readonly CheckpointRow[])[]): ReadonlyMap<string, CheckpointRow> {
  return new Map(lists.flatMap((rows) => rows.map((row) => [refKey(refOf(row)), row] as const)));
}
