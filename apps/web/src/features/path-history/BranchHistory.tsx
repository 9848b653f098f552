import { type CheckpointMeta, type CheckpointRef, sameRef, type SentHistoryRow } from '@checkpoint-inspector/core';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { useAwaited } from '../../components/index.ts';
import { refOf, taskPage, toAddress } from '../../lib/address.ts';
import { useRested } from '../../lib/hooks.ts';
import { isLarge } from '../../lib/readable.ts';
import type { Workbench } from '../workbench/use-workbench.ts';
import { askHistory } from './ask.ts';
import { isAbove, tipOf } from './facts.ts';
import { PathHistory } from './PathHistory.tsx';
import { ShouldBe } from './ShouldBe.tsx';

interface BranchHistoryProps {
  readonly bench: Workbench;
  readonly meta: CheckpointMeta;
  readonly path: string;
  /** JSON text of the value in view; absent where it is not whole. */
  readonly value: string | undefined;
  /** Told when a row is opened, for a drawer to close. */
  readonly onLeave?: (() => void) | undefined;
}

const NEWER_MS = 400;

/** The history of the focused value on the branch of the checkpoint in view, newer checkpoints included. */
export function BranchHistory({ bench, meta, path, value, onLeave }: BranchHistoryProps) {
  const { store, task, history, change } = bench;
  const navigate = useNavigate();
  const tip = useBranchTip(bench, meta);
  // Where the newest is in view, the selection takes in what was saved before it is counted as newer.
  const isNewer = useRested((tip?.newer ?? 0) > 0, NEWER_MS);
  const open = (row: SentHistoryRow): void => {
    onLeave?.();
    const search = { cp: row.ref.id, ns: row.ref.namespace, path };
    if (row.ref.task !== task) {
      void navigate({ ...taskPage(store, row.ref.task), search });
      return;
    }
    const parent = { base: undefined, basens: undefined, basetask: undefined };
    change({ ...search, ...parent, view: 'changes', follow: undefined, pane: undefined }, true);
  };
  useAwaited(history.tree === undefined && !history.treeFailed);
  if (tip === undefined) return null;
  const end = toAddress(store, tip.ref);
  return (
    <>
      <ShouldBe where={{ store }} end={end} path={path} value={value} />
      <PathHistory
        end={end}
        taskSize={history.tree?.nodes.length ?? 0}
        large={isLarge(meta)}
        path={path}
        selected={refOf(meta)}
        newer={isNewer ? tip.newer : 0}
        onNewer={tip.renew}
        onOpen={open}
        onPath={(next) => {
          askHistory();
          change({ path: next });
        }}
      />
    </>
  );
}

/**
 * The end of the branch stays while the selection moves along it, and while an agent saves: the list must not change
 * under the reader.
 */
function useBranchTip({ store, task, history }: Workbench, meta: CheckpointMeta) {
  const { tree, nodeOf } = history;
  const [, setRound] = useState(0);
  const kept = useRef<{ readonly place: string; readonly ref: CheckpointRef }>(undefined);
  const node = nodeOf?.(refOf(meta));
  const end = useMemo(() => (tree && node ? tipOf(tree, node.index) : 0), [tree, node]);
  if (tree === undefined || node === undefined) return undefined;
  const place = `${store}/${task}`;
  const before = kept.current?.place === place ? nodeOf?.(kept.current.ref) : undefined;
  const keeps = before?.row !== undefined && isAbove(tree, node.index, before.index);
  const tip = keeps ? before : tree.nodes[end];
  if (tip === undefined) return undefined;
  kept.current = { place, ref: tip.ref };
  return {
    ref: tip.ref,
    newer: sameRef(tip.ref, tree.nodes[end]?.ref ?? tip.ref) ? 0 : stepsBelow(tree.nodes, tip.index, end),
    renew: () => {
      kept.current = undefined;
      setRound((round) => round + 1);
    },
  };
}

/** Steps from `tip` down to `end`; 0 when `end` is on another branch. */
function stepsBelow(nodes: readonly { readonly parent?: number }[], tip: number, end: number): number {
  let steps = 0;
  for (let at: number | undefined = end; at !== undefined; at = nodes[at]?.parent) {
    if (at === tip) return steps;
    steps++;
  }
  return 0;
}
