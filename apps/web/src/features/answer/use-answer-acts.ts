/** What one does next about a failure: compare, restore or fork, look at a value, edit it. */
import { type CheckpointRef, type Explanation, NO_LAST_GOOD, type Write } from '@checkpoint-inspector/core';
import { useNavigate } from '@tanstack/react-router';
import { refAt } from '../../lib/address.ts';
import { useChangeBlock, useChangeDialog } from '../change/index.tsx';
import { askHistory, askShouldBe } from '../path-history/ask.ts';
import { baseSelection, type Workbench } from '../workbench/use-workbench.ts';
import { stepPage, type Where } from './Explained.tsx';
import { costWords, numberOf } from './words.ts';

/** A way back to a checkpoint. */
export interface Way {
  readonly kind: 'restore' | 'fork';
  readonly label: string;
  /** How much work it undoes; absent where there is nothing to go back to. */
  readonly cost?: string;
  readonly disabledReason: string | undefined;
  readonly run: () => void;
}

export function useAnswerActs({ store, task, info, search, history, change }: Workbench) {
  const navigate = useNavigate();
  const dialogs = useChangeDialog();
  const blocked = useChangeBlock(store);
  const { archived, as, rules, only } = search;
  const where: Where = { store, keep: { archived, as, rules, only } };
  /** Values may have been written in the task that this one was forked from. */
  const open = ({ ref, path }: Write): void => void navigate(stepPage(where, ref, path));
  /** A system that can't restore a thread in place continues by a fork, and so does a step that was not saved. */
  const back = (to: CheckpointRef, number: string, mustFork: boolean): Way => {
    // A step has more than its ref, which a request must not.
    const ref = refAt(to.task, to.id, to.namespace);
    const kind = mustFork || (info !== undefined && info.capabilities.restore !== true) ? 'fork' : 'restore';
    return {
      kind,
      label: `${kind === 'fork' ? 'Fork' : 'Restore'} ${number}…`,
      disabledReason: blocked(kind),
      run: () => (kind === 'fork' ? dialogs.openFork(store, ref) : dialogs.openRestore(store, ref)),
    };
  };
  return {
    where,
    history: (write: Write): void => {
      open(write);
      askHistory(write.path);
    },
    shouldBe: (write: Write): void => {
      open(write);
      askShouldBe(write.path);
    },
    edit: ({ ref, path }: Write): void =>
      void navigate({
        to: '/t/$store/$task/edit',
        params: { store, task: ref.task },
        search: { cp: ref.id, ns: ref.namespace, path },
      }),
    /** The changes since the last good one; of a step that saved none, those of the step before it. */
    compare: ({ lastGood }: Explanation): void => {
      if (lastGood === undefined) return;
      const base = lastGood.back === 0 ? { base: undefined } : baseSelection(lastGood, task);
      change({ ...base, view: 'changes', path: undefined, pane: 'content' }, true);
    },
    /** The way back by the store's own record. */
    next: ({ lastGood, failingStep }: Explanation): Way => {
      if (lastGood === undefined)
        return { kind: 'restore', label: 'Restore', disabledReason: NO_LAST_GOOD, run: () => undefined };
      return { ...back(lastGood, numberOf(lastGood), failingStep?.before === true), cost: costWords(lastGood) };
    },
    /** To the checkpoint that a step began with; none where the tree doesn't know it. */
    before: (ref: CheckpointRef): Way | undefined => {
      const parent = history.tree?.nodes[history.nodeOf?.(ref)?.parent ?? -1];
      return parent?.row && back(parent.ref, numberOf(parent.row), false);
    },
  };
}

export type AnswerActs = ReturnType<typeof useAnswerActs>;
