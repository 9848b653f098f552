import {
  type CheckpointRef,
  type ForkTree,
  laneCount,
  laneTitle,
  lineageKinds,
  refKey,
  storeId,
  type TreeNode,
} from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { type Forks, forksOf } from '../../lib/forks.ts';
import { lanesQuery } from '../../lib/lanes-query.ts';
import { treeQuery } from '../../lib/queries.ts';
import { refOf } from '../../lib/address.ts';
import { useLate } from '../../lib/hooks.ts';
import type { CheckpointRow, LaneFacts } from '../../lib/api.ts';
import type { WorkbenchSearch } from '../../lib/search.ts';
import type { LaneFold } from './folds.ts';
import { type LaneRow, laneRows, lanesUsed } from './lanes.ts';
import { briefRow, nodeSelected, useFolds } from './use-folds.ts';
import { byRef, sameCheckpoint, useAsked, useLoaded } from './use-loaded.ts';

export interface RowItem {
  readonly kind: 'row';
  readonly row: CheckpointRow;
  /** Only the tree has told of it so far. */
  readonly brief: boolean;
}

export type HistoryItem = RowItem | { readonly kind: 'fold'; readonly fold: LaneFold };

type Wanted = Pick<WorkbenchSearch, 'cp' | 'ns' | 'follow'>;

/** The history of a task: page by page, or where it has many lanes, as its tree has it. */
export function useHistory(store: string, task: string, { cp, ns, follow }: Wanted) {
  const place = `${store}/${task}`;
  const loaded = useLoaded(store, task, cp, ns);
  const asked = useAsked(store, task);
  const tree = useQuery(treeQuery(store, task));
  const known = tree.data && forksOf(task, tree.data);
  const linked = known && isLinked(known.tree) ? known : undefined;
  const node = useMemo(() => linked && nodeSelected(linked.tree, cp, ns), [linked, cp, ns]);
  const folds = useFolds({ place, forks: linked, selected: node, following: follow === '1' });
  const { entries } = folds;
  const items = useMemo((): readonly HistoryItem[] => {
    if (!entries || !linked) return loaded.rows.map((row) => ({ kind: 'row', row, brief: false }));
    const read = byRef(asked.rows, loaded.topRows, loaded.rows);
    const itemOf = (at: TreeNode): RowItem[] => {
      const row = read.get(refKey(at.ref));
      if (row) return [{ kind: 'row', row, brief: false }];
      return at.row ? [{ kind: 'row', row: briefRow(storeId(store), { ...at, row: at.row }), brief: true }] : [];
    };
    // What was saved since the tree was read.
    const newer = loaded.topRows.filter((row) => linked.nodeOf(refOf(row)) === undefined);
    return [
      ...newer.map((row): RowItem => ({ kind: 'row', row, brief: false })),
      ...entries.flatMap((entry): HistoryItem[] =>
        entry.kind === 'node' ? itemOf(entry.node) : [{ kind: 'fold', fold: entry }],
      ),
    ];
  }, [entries, linked, loaded.rows, loaded.topRows, asked.rows, store]);
  const rows = useMemo(() => items.flatMap((item) => (item.kind === 'row' ? [item.row] : [])), [items]);
  const latest = useTold(place, rows, known, tree.isFetching);
  const selected = cp === undefined ? latest : rows.find((row) => sameCheckpoint(row, cp, ns));
  const lanes = useMemo(() => (linked ? linesOf(items, linked) : []), [items, linked]);
  const lanesInAll = linked ? laneCount(linked.tree) : 1;
  return {
    list: loaded.list,
    /** What has been read of the task, with summaries. */
    read: useMemo(() => [...asked.rows, ...loaded.rows], [asked.rows, loaded.rows]),
    /** Every checkpoint that is listed, newest first. */
    rows,
    items,
    selected,
    jumped: loaded.jumped && entries === undefined,
    /** Absent where no lane is folded. */
    folds: entries && folds,
    ask: asked.busy ? undefined : asked.ask,
    tree: known?.tree,
    treeFailed: tree.isError,
    treeRows: tree.data,
    lanes,
    laneCount: useMemo(() => lanesUsed(lanes), [lanes]),
    nodeOf: known?.nodeOf,
    /** Some parents are known differently from the rest. */
    marked: known !== undefined && lineageKinds(known.tree).size > 1,
    lanesInAll,
    /** What the lane is called that ends with this checkpoint. */
    laneEnding: useLaneNames(store, task, lanesInAll),
  };
}

/** So long a row waits for a tree that nothing is reading: one of before the save may have come after it. */
const AHEAD_MS = 2_000;

/** The newest row. One that the tree will tell of waits for it, so that a save moves every pane once. */
function useTold(
  place: string,
  rows: readonly CheckpointRow[],
  forks: Forks | undefined,
  isReading: boolean,
): CheckpointRow | undefined {
  const before = useRef<{ readonly place: string; readonly row: CheckpointRow }>(undefined);
  const latest = rows.find((row) => row.isLatest) ?? rows[0];
  const isAhead = latest !== undefined && forks !== undefined && forks.nodeOf(refOf(latest)) === undefined;
  const isLate = useLate(latest === undefined ? '' : `${place} ${refKey(refOf(latest))}`, isAhead, AHEAD_MS);
  const waits = isAhead && (isReading || !isLate);
  const last = before.current?.place === place && waits ? before.current.row : undefined;
  const told = (last && rows.find((row) => sameCheckpoint(row, last.id, last.namespace ?? ''))) ?? latest;
  before.current = told && { place, row: told };
  return told;
}

function linesOf(items: readonly HistoryItem[], forks: Forks): LaneRow[] {
  const places = items.map((item) =>
    item.kind === 'row'
      ? { node: forks.nodeOf(refOf(item.row)), kind: item.row.lineage }
      : { kind: 'none' as const, from: item.fold.from },
  );
  return laneRows(places, forks);
}

/** More lanes are told apart in the tree. */
const MOST_NAMED = 60;
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** By the checkpoint at its end, what each lane is called; main needs no name where it is alone. */
function useLaneNames(store: string, task: string, lanes: number): (end: CheckpointRef) => string | undefined {
  const { data } = useQuery({ ...lanesQuery(store, task), enabled: lanes > 1 && lanes <= MOST_NAMED });
  const names = useMemo(
    () => (data ? new Map(data.items.map((lane) => [refKey(lane.tip), nameOf(lane)])) : NO_NAMES),
    [data],
  );
  return (end) => names.get(refKey(end));
}

const nameOf = (lane: LaneFacts): string => (lane.nameLength > 0 ? laneTitle(lane) : lane.lane);

/** Rows that have nothing to do with each other, such as locked files, make no lanes. */
const isLinked = ({ nodes }: ForkTree): boolean => nodes.length <= 1 || nodes.some((node) => node.parent !== undefined);

export type History = ReturnType<typeof useHistory>;

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
