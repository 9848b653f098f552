/** What one does next about a failure: compare, restore or fork, look at a cause, edit it. */
import { type CheckpointRef, NO_LAST_GOOD } from '@checkpoint-inspector/core';
import { useNavigate } from '@tanstack/react-router';
import type { Diagnosis, Suspect } from '../../lib/api.ts';
import { useChangeBlock, useChangeDialog } from '../change/index.tsx';
import { askHistory } from '../path-history/ask.ts';
import { baseSelection, selection, type Workbench } from '../workbench/use-workbench.ts';
import type { SuspectActs } from './Suspects.tsx';
import { numberOf } from './words.ts';

export interface NextAct {
  readonly kind: 'restore' | 'fork';
  readonly label: string;
  readonly disabledReason: string | undefined;
  readonly run: () => void;
}

export function useAnswerActs({ store, task, info, change }: Workbench) {
  const navigate = useNavigate();
  const dialogs = useChangeDialog();
  const blocked = useChangeBlock(store);
  /** Causes may lie in the task that this one was forked from. */
  const open = ({ ref, path }: Suspect): void => {
    const search = { ...selection(ref), path, view: 'changes', pane: 'content' } as const;
    if (ref.task !== task) void navigate({ to: '/t/$store/$task', params: { store, task: ref.task }, search });
    else change({ ...search, base: undefined, basens: undefined, basetask: undefined, follow: undefined }, true);
  };
  const suspectActs: SuspectActs = {
    onOpen: open,
    onHistory: (suspect) => {
      open(suspect);
      askHistory();
    },
    onEdit: ({ ref, path }) =>
      void navigate({
        to: '/t/$store/$task/edit',
        params: { store, task: ref.task },
        search: { cp: ref.id, ns: ref.namespace, path },
      }),
  };
  return {
    suspectActs,
    /** A view of this checkpoint; its changes are those of its own step. */
    view: (view: 'changes' | 'state'): void =>
      change(
        { view, pane: 'content', ...(view === 'changes' ? { since: 'step', base: undefined, path: undefined } : {}) },
        true,
      ),
    /** Shows a checkpoint of this branch. */
    show: (ref: CheckpointRef): void => {
      if (ref.task === task) change({ ...selection(ref), base: undefined, path: undefined, follow: undefined }, true);
      else void navigate({ to: '/t/$store/$task', params: { store, task: ref.task }, search: selection(ref) });
    },
    /** The changes since the last good one; of a step that saved none, those of the step before it. */
    compare: ({ lastGood, suspects }: Diagnosis): void => {
      if (lastGood === undefined) return;
      const base = lastGood.back === 0 ? { base: undefined } : baseSelection(lastGood.ref, task);
      change(
        { ...base, view: 'changes', path: lastGood.back === 0 ? undefined : suspects[0]?.path, pane: 'content' },
        true,
      );
    },
    /** A system that can't restore a thread in place continues by a fork. */
    next: ({ lastGood, failingStep }: Diagnosis): NextAct => {
      const forks = failingStep?.before === true || (info !== undefined && info.capabilities.restore !== true);
      const kind = forks ? 'fork' : 'restore';
      const verb = forks ? 'Fork' : 'Restore';
      if (lastGood === undefined) {
        return { kind, label: verb, disabledReason: NO_LAST_GOOD, run: () => undefined };
      }
      const { ref } = lastGood;
      return {
        kind,
        label: `${verb} ${numberOf(lastGood)}…`,
        disabledReason: blocked(kind),
        run: () => (forks ? dialogs.openFork(store, ref) : dialogs.openRestore(store, ref)),
      };
    },
  };
}

export type AnswerActs = ReturnType<typeof useAnswerActs>;
