import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { LaneFacts } from '../../../lib/api.ts';
import { lanesQuery } from '../../../lib/queries.ts';
import type { TreeModel } from '../use-tree.ts';
import { type LaneBook, laneBook } from './book.ts';
import { GROUPED_ABOVE } from './rows.ts';

/** So long the groups of a large tree are waited for; then its lanes are listed one by one until they are there. */
const PATIENCE_MS = 20_000;

/** The lanes and what is known of them by now; names follow while the server compares. */
export function useLaneBook(store: string, { view }: TreeModel): LaneBook {
  const { data } = useQuery(lanesQuery(store, view.task));
  const isPatient = usePatience(PATIENCE_MS);
  const known = useRef<readonly LaneFacts[]>([]);
  const few = data !== undefined && data.items.length <= GROUPED_ABOVE;
  // Groups are made once, of all values: half of them would make others, and move every row.
  if (data && (data.complete || few)) known.current = data.items;
  const facts = known.current;
  const isReading = !few && facts.length === 0 && isPatient;
  const compared = isReading ? (data?.compared ?? 0) : undefined;
  return useMemo(() => laneBook(view.tree, facts, compared), [view.tree, facts, compared]);
}

function usePatience(ms: number): boolean {
  const [isPatient, setPatient] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setPatient(false), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isPatient;
}
