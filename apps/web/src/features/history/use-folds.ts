/** The list of a task with many lanes, as the tree has it: main and the way to the selection, the other lanes folded. */
import { type ForkTree, laneCount, type LineageRow, type StoreId, type TreeNode } from '@checkpoint-inspector/core';
import { useCallback, useMemo, useState } from 'react';
import type { CheckpointRow } from '../../lib/api.ts';
import type { Forks } from '../../lib/forks.ts';
import { type Entry, foldLanes, laneAndAbove, type LaneFold, laneKey, UNFOLDED_LANES } from './folds.ts';

interface Opened {
  readonly place: string;
  /** Lanes that were selected once: nothing closes behind the reader. */
  readonly seen: ReadonlySet<string>;
  /** Lanes that have a row of their own. */
  readonly single: ReadonlySet<string>;
  readonly all: boolean;
  readonly most: number;
}

/** Rows that are worked out at first: of a long task most are never looked at. */
const FIRST_ROWS = 400;
const NONE: ReadonlySet<string> = new Set();

const closed = (place: string): Opened => ({ place, seen: NONE, single: NONE, all: false, most: FIRST_ROWS });

interface FoldsOptions {
  readonly place: string;
  readonly forks: Forks | undefined;
  readonly selected: TreeNode | undefined;
  /** The selection moves on by itself, so what it leaves may close. */
  readonly following: boolean;
}

export function useFolds({ place, forks: known, selected, following }: FoldsOptions) {
  const [kept, setOpened] = useState<Opened>(() => closed(place));
  const opened = kept.place === place ? kept : closed(place);
  const forks = known && laneCount(known.tree) > UNFOLDED_LANES ? known : undefined;
  const lanes = forks?.lanes();
  const own = lanes?.laneOf[selected?.index ?? -1] ?? 0;
  const lane = lanes?.lanes[own];
  const key = forks && lane && laneKey(forks.tree, lane);
  if (key !== undefined && !following && !opened.seen.has(key))
    setOpened({ ...opened, seen: new Set([...opened.seen, key]) });
  const { seen, single, all, most } = opened;
  const until = selected?.index;
  const entries = useMemo((): readonly Entry[] | undefined => {
    if (!lanes || !forks) return undefined;
    const { tree } = forks;
    const wanted = lanes.lanes.filter((one) => all || one.ordinal === own || seen.has(laneKey(tree, one)));
    const listed = new Set(all ? wanted.map(({ ordinal }) => ordinal) : [0]);
    for (const { tip } of all ? [] : wanted) for (const at of laneAndAbove(lanes, tip)) listed.add(at);
    return foldLanes({ ...lanes, tree, listed, opened: single, most, until });
  }, [forks, lanes, own, seen, single, all, most, until]);
  const toggle = useCallback(
    (fold: LaneFold) => {
      const keys = forks ? fold.lanes.map((lane) => laneKey(forks.tree, lane)) : [];
      setOpened((last) => {
        const before = last.place === place ? last : closed(place);
        const rest = [...before.single].filter((key) => !keys.includes(key));
        return { ...before, single: new Set(fold.open ? rest : [...rest, ...keys]) };
      });
    },
    [forks, place],
  );
  const shown = entries?.length ?? 0;
  const more = useCallback(
    () => setOpened((before) => (shown < before.most ? before : { ...before, most: 2 * shown })),
    [shown],
  );
  const setAll = useCallback((next: boolean) => setOpened({ ...closed(place), all: next }), [place]);
  return { entries, toggle, more, all, setAll };
}

const told = new WeakMap<LineageRow, CheckpointRow>();

/** All that the tree has of a checkpoint, until its page is there. */
export function briefRow(store: StoreId, { ref, row }: TreeNode & { readonly row: LineageRow }): CheckpointRow {
  const before = told.get(row);
  if (before?.store === store) return before;
  const { id, namespace, parent, kind, time, status, seq, stepIndex, description, isLatest } = row;
  const brief: CheckpointRow = {
    store,
    id,
    taskId: ref.task,
    lineage: kind,
    seq,
    timeBasis: time === undefined ? 'none' : 'utc',
    status,
    labels: [],
    sizeBytes: 0,
    isLatest,
    ...(namespace === undefined ? {} : { namespace }),
    ...(parent === undefined ? {} : { parentId: parent.id }),
    ...(time === undefined ? {} : { createdAt: time }),
    ...(stepIndex === undefined ? {} : { stepIndex }),
    ...(description === undefined ? {} : { description }),
  };
  told.set(row, brief);
  return brief;
}

/** The checkpoint that the address names, else the latest. */
export function nodeSelected(tree: ForkTree, id: string | undefined, namespace: string | undefined) {
  if (id === undefined) return tree.nodes.findLast(({ row }) => row?.isLatest === true);
  return tree.nodes.find(
    ({ row, ref }) =>
      row !== undefined && ref.id === id && (namespace === undefined || (ref.namespace ?? '') === namespace),
  );
}
