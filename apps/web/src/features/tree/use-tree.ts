import { type CheckpointRef, refKey } from '@checkpoint-inspector/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useShown } from '../../lib/masking.ts';
import { checkpointsQuery, treeQuery } from '../../lib/queries.ts';
import type { SummaryOf } from './node-facts.ts';
import {
  focusKey,
  focusMatcher,
  nodeOfFocus,
  parseFocus,
  treeBase,
  type TreeBase,
  type TreeRouteProps,
  treeView,
  type TreeView,
} from './view-tree.ts';

const NO_IDS: readonly string[] = [];

/** Rows, drawing, selection and opened chains; `model` is absent until the rows are there. */
export function useTree(props: TreeRouteProps) {
  const { store, task, expand = NO_IDS, onFocus, onExpand } = props;
  const { data: rows, error, isFetching, refetch } = useQuery(treeQuery(store, task));
  const base = useMemo(() => (rows === undefined ? undefined : treeBase(task, rows)), [task, rows]);
  const focus = usePresentFocus(base, props.focus);
  const summaryOf = useSummaries(store, task, focus);
  const { cursor, moveTo, pinned } = useCursor(focus);
  const expanded = useMemo(() => new Set(expand), [expand]);

  const view = useMemo(
    () => (base === undefined ? undefined : treeView(base, expanded, keptNodes(base, pinned))),
    [base, expanded, pinned],
  );

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
      selected,
      node,
      summaryOf,
      expanded,
      select,
      selectItem,
      focusOn,
      focusOnLatest,
      open,
      fold,
      foldAll,
    };
  }, [view, cursor, focus, summaryOf, expanded, select, selectItem, focusOn, focusOnLatest, open, fold, foldAll]);

  return { model, error: rows === undefined ? error : null, loading: isFetching, retry: () => void refetch() };
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
 * What the keys stand on. `cursor` is an item's id, because the address cannot hold a chain or a ghost;
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

/** The history's own summaries for the checkpoints around the selected one. */
function useSummaries(store: string, task: string, focus: string | undefined): SummaryOf {
  const [around] = useState(() => {
    if (focus === undefined) return undefined;
    const { id, namespace } = parseFocus(focus);
    return { id, ns: namespace };
  });
  const { data } = useInfiniteQuery(checkpointsQuery(store, task, around));
  // A new function when secrets are revealed: all that is drawn with it is drawn again.
  const shown = useShown();
  return useMemo(() => {
    const known = new Map<string, string>();
    for (const row of data?.pages.flatMap((page) => page.items) ?? []) {
      if (row.summary !== undefined)
        known.set(refKey({ task: row.taskId, namespace: row.namespace, id: row.id }), shown(row.summary));
    }
    return (node) => known.get(refKey(node.ref));
  }, [data, shown]);
}
