import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { LaneFacts } from '../../../lib/api.ts';
import { lanesIn } from '../../../lib/forks.ts';
import { lanesQuery } from '../../../lib/lanes-query.ts';
import type { TreeModel } from '../use-tree.ts';
import { type LaneBook, laneBook, type LaneInfo } from './book.ts';
import { GROUPED_ABOVE } from './rows.ts';
import { useComparing } from './use-comparing.ts';

/** So long the groups of a large tree are waited for; then its lanes are listed one by one until they are there. */
const PATIENCE_MS = 20_000;
/** Checkpoints that are looked at for what the store reports. */
const LOOKED_AT = 30;
const NO_FACTS: readonly LaneFacts[] = [];
const nothing = (): void => undefined;

/** The lanes, at once, with what is known of them by now; what differs follows while the server compares. */
export function useLaneBook(store: string, { view, tellOf }: TreeModel): LaneBook {
  const { task, tree } = view;
  const isMany = lanesIn(tree).lanes.length > GROUPED_ABOVE;
  const few = useQuery({ ...lanesQuery(store, task), enabled: !isMany });
  const many = useComparing(store, task, tree, isMany);
  const isPatient = usePatience(PATIENCE_MS);
  const isComparing = isPatient && (isMany ? many.isComparing : few.data?.complete !== true && !few.isError);
  const isCounted = isMany ? many.isCounted : few.data !== undefined;
  const facts = isMany ? many.facts : (few.data?.items ?? NO_FACTS);
  const show = isMany ? many.show : nothing;
  const reports = useMemo(() => {
    const told = tree.nodes.slice(-LOOKED_AT).map(tellOf);
    return {
      cost: told.some((one) => one?.costUsd !== undefined),
      time: told.some((one) => one?.durationMs !== undefined),
    };
  }, [tree, tellOf]);
  return useMemo(
    () => laneBook(tree, facts, { isComparing, isCounted, show, reports }),
    [tree, facts, isComparing, isCounted, show, reports],
  );
}

/** These lanes are on the screen now: those that have not been compared are next. */
export function useOnScreen({ show }: LaneBook, lanes: readonly LaneInfo[]): void {
  const wanted = lanes.flatMap(({ lane, compared }) => (compared ? [] : [lane.ordinal])).join(' ');
  useEffect(() => {
    if (wanted !== '') show(wanted.split(' ').map(Number));
  }, [show, wanted]);
}

function usePatience(ms: number): boolean {
  const [isPatient, setPatient] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setPatient(false), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isPatient;
}
