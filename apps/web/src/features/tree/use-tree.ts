import { type CheckpointRef, compact, laneCount, refKey } from '@checkpoint-inspector/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useShown } from '../../lib/masking.ts';
import { checkpointsQuery, treeQuery } from '../../lib/queries.ts';
import { MOST_DOTS } from './geometry.ts';
import type { TellOf, Told } from './node-facts.ts';
import {
  focusKey,
  focusMatcher,
  listView,
  nodeOfFocus,
  parseFocus,
  shortestChain,
  treeBase,
  type TreeBase,
  type TreeMode,
  type TreeRouteProps,
  treeView,
  type TreeView,
} from './view-tree.ts';

const NO_IDS: readonly string[] = [];
/** Pixels beside the drawing, and those that a card with its edge should have. */
const BESIDE = 400;
const CARD = 172;

/** Rows, drawing, selection and opened chains; `model` is absent until the rows are there. */
export function useTree(props: TreeRouteProps) {
  const { store, task, expand = NO_IDS, onFocus, onExpand } = props;
  const { data: rows, error, isFetching, refetch } = useQuery(treeQuery(store, task));
  const base = useMemo(() => (rows === undefined ? undefined : treeBase(task, rows)), [task, rows]);
  const focus = usePresentFocus(base, props.focus);
  const tellOf = useTold(store, task, focus);
  const { cursor, moveTo, pinned } = useCursor(focus);
  const expanded = useMemo(() => new Set(expand), [expand]);

  const mode = useMode(`${store} ${task}`, base, props.mode);
  const view = useView({ base, mode, expanded, pinned });

  /** Selects a node, unfolding what hides it. */
  const select = useCallback(
    (node: number) => {
      const target = view?.tree.nodes[node];
      if (target === undefined) return;
      const own = view?.items[view.itemOfNode[node] ?? -1];
      moveTo(own?.kind === 'node' ? own.id : refKey(target.ref), focusKey(target.ref));
      if (target.row !== undefined) onFocus(focusKey(target.ref));
    },
    [view, moveTo, onFocus],
  );
  const selectItem = useCallback(
    (item: number) => {
      const here = view?.items[item];
      if (here === undefined) return;
      if (here.kind === 'chain') moveTo(here.id, undefined);
      else select(here.nodes[0] ?? -1);
    },
    [view, select, moveTo],
  );
  /** Opens a folded chain and selects its first checkpoint. */
  const open = useCallback(
    (item: number) => {
      const here = view?.items[item];
      if (here?.kind !== 'chain') return;
      moveTo(here.id.replace(/^chain:/, ''), undefined);
      onExpand([...expand, here.id]);
    },
    [view, expand, moveTo, onExpand],
  );
  const fold = useCallback((chain: string) => onExpand(expand.filter((id) => id !== chain)), [expand, onExpand]);
  /** Selects a checkpoint that may have arrived only just now. */
  const focusOn = useCallback((ref: CheckpointRef) => onFocus(focusKey(ref)), [onFocus]);
  const focusOnLatest = useCallback(() => onFocus(undefined), [onFocus]);
  const foldAll = useCallback(() => onExpand([]), [onExpand]);

  const model = useMemo(() => {
    if (view === undefined) return undefined;
    const selected = selectedItem(view, cursor, focus);
    const node = view.tree.nodes[selected === undefined ? -1 : (view.items[selected]?.nodes[0] ?? -1)];
    return {
      view,
      mode,
      selected,
      node,
      tellOf,
      expanded,
      select,
      selectItem,
      focusOn,
      focusOnLatest,
      open,
      fold,
      foldAll,
    };
  }, [view, mode, cursor, focus, tellOf, expanded, select, selectItem, focusOn, focusOnLatest, open, fold, foldAll]);

  return { model, error, loading: isFetching, retry: () => void refetch() };
}

/** Few lanes are drawn as cards or dots, many as rows. Narrow screens begin with a table: it needs no panning. */
function firstMode(lanes: number): TreeMode {
  if (lanes > MOST_DOTS) return 'lanes';
  if (window.innerWidth >= NARROW) return 'graph';
  return lanes > 1 ? 'lanes' : 'outline';
}

const NARROW = 800;

interface ViewOptions {
  readonly base: TreeBase | undefined;
  readonly mode: TreeMode;
  readonly expanded: ReadonlySet<string>;
  readonly pinned: ReadonlySet<string>;
}

/** Where lanes are listed nothing is drawn, and to lay out thousands takes long. */
function useView({ base, mode, expanded, pinned }: ViewOptions): TreeView | undefined {
  const [most] = useState(() => Math.floor((window.innerWidth - BESIDE) / CARD));
  const lists = mode === 'lanes';
  const listed = useMemo(() => (base && lists ? listView(base) : undefined), [base, lists]);
  const drawn = useMemo(
    () => (base && !lists ? treeView(base, expanded, keptNodes(base, pinned), shortestChain(base, most)) : undefined),
    [base, lists, expanded, pinned, most],
  );
  return listed ?? drawn;
}

/** What was right for the first tree stays: a lane that is saved later must not turn the page into another one. */
function useMode(place: string, base: TreeBase | undefined, chosen: TreeMode | undefined): TreeMode {
  const [first, setFirst] = useState<{ readonly place: string; readonly mode: TreeMode }>();
  const known = first?.place === place ? first.mode : undefined;
  const mode = known ?? (base === undefined ? 'lanes' : firstMode(laneCount(base.tree)));
  if (base !== undefined && known === undefined) setFirst({ place, mode });
  return chosen ?? mode;
}

export type TreeModel = NonNullable<ReturnType<typeof useTree>['model']>;

/** A selected checkpoint that was here and is gone (an undo took it away) gives way to the latest. */
function usePresentFocus(base: TreeBase | undefined, focus: string | undefined): string | undefined {
  const [present, setPresent] = useState<string>();
  if (base === undefined || focus === undefined) return focus;
  const isHere = nodeOfFocus(base, focus) !== undefined;
  if (isHere && present !== focus) setPresent(focus);
  return isHere || present !== focus ? focus : undefined;
}

/**
 * What the keys act on. `cursor` is an item's id, because the address cannot contain a chain or a ghost;
 * every checkpoint that was selected once stays unfolded, so that nothing closes behind the reader.
 */
function useCursor(focus: string | undefined) {
  const [cursor, setCursor] = useState<string>();
  const [pinned, setPinned] = useState<ReadonlySet<string>>(() => new Set(focus === undefined ? [] : [focus]));
  const [seen, setSeen] = useState(focus);
  if (seen !== focus) {
    setSeen(focus);
    setCursor(undefined);
    if (focus !== undefined && !pinned.has(focus)) setPinned(new Set([...pinned, focus]));
  }
  const moveTo = useCallback((item: string, key: string | undefined) => {
    setCursor(item);
    if (key !== undefined) setPinned((before) => (before.has(key) ? before : new Set([...before, key])));
  }, []);
  return { cursor, moveTo, pinned };
}

function keptNodes(base: TreeBase, pinned: ReadonlySet<string>): ReadonlySet<number> {
  if (pinned.size === 0) return new Set();
  const matchers = [...pinned].map(focusMatcher);
  const kept = base.tree.nodes.filter((node) => matchers.some((matches) => matches(node.ref)));
  return new Set(kept.map((node) => node.index));
}

function selectedItem(view: TreeView, cursor: string | undefined, focus: string | undefined): number | undefined {
  if (cursor !== undefined) {
    const item = view.items.findIndex((candidate) => candidate.id === cursor);
    if (item >= 0) return item;
  }
  const node = nodeOfFocus(view, focus);
  const item = node === undefined ? -1 : (view.itemOfNode[node] ?? -1);
  return item < 0 ? undefined : item;
}

/** What the history tells of the checkpoints around the selected one. */
function useTold(store: string, task: string, focus: string | undefined): TellOf {
  const [around, setAround] = useState(() => {
    if (focus === undefined) return undefined;
    const { id, namespace } = parseFocus(focus);
    return { id, ns: namespace };
  });
  const { data, isError } = useInfiniteQuery(checkpointsQuery(store, task, around));
  // What the address named is gone, and what was told around it is of before that.
  if (isError && around !== undefined) setAround(undefined);
  // A new function when secrets are revealed: all that is drawn with it is drawn again.
  const shown = useShown();
  return useMemo(() => {
    const known = new Map<string, Told>();
    for (const row of data?.pages.flatMap((page) => page.items) ?? []) {
      const { summary, error, costUsd, durationMs, tokenUsage } = row;
      const texts = { summary: summary && shown(summary), error: error && shown(error) };
      known.set(
        refKey({ task: row.taskId, namespace: row.namespace, id: row.id }),
        compact({ ...texts, costUsd, durationMs, tokenUsage }),
      );
    }
    return (node) => known.get(refKey(node.ref));
  }, [data, shown]);
}
