import { formatAddress, sameRef } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useChangeBlock, useChangeDialog } from '../../features/changes-dialogs/index.tsx';
import { useActions } from '../../features/shell/actions.ts';
import { listed } from '../../features/tasks/facets.ts';
import { taskRows } from '../../features/tasks/TasksPane.tsx';
import { askUnlock, UNLOCK_WORDS } from '../../features/unlock/ask.ts';
import { refOf, toAddress } from '../../lib/address.ts';
import { useKeys } from '../../lib/keys.ts';
import { isLocked } from '../../lib/locks.ts';
import { tasksQuery } from '../../lib/queries.ts';
import type { View } from '../search.ts';
import { baseSelection, selection, type Workbench } from './useWorkbench.ts';

export interface CheckpointAction {
  readonly disabledReason: string | undefined;
  readonly run: () => void;
}

/** What can be done with the selected checkpoint, for the bar, the keys and the palette. */
export function useCheckpointActions(bench: Workbench) {
  const { store, task, meta, base } = bench;
  const dialogs = useChangeDialog();
  const blocked = useChangeBlock(store);
  const navigate = useNavigate();
  const nothing = meta ? undefined : 'No checkpoint is selected.';
  const ref = meta && refOf(meta);
  const act = (name: 'restore' | 'fork' | 'delete', run: () => void): CheckpointAction => ({
    disabledReason: nothing ?? blocked(name),
    run,
  });
  return {
    restore: act('restore', () => ref && dialogs.openRestore(store, ref)),
    fork: act('fork', () => ref && dialogs.openFork(store, ref)),
    remove: act('delete', () => ref && dialogs.openDelete(store, [ref])),
    compare: {
      disabledReason: nothing ?? (base ? undefined : 'There is no base: choose one first.'),
      run: () => {
        if (!ref || !base) return;
        const [a, b] = [formatAddress(toAddress(store, base)), formatAddress(toAddress(store, ref))];
        void navigate({ to: '/compare', search: { a, b } });
      },
    },
    pin: { disabledReason: nothing, run: () => ref && bench.change(baseSelection(ref, task)) },
    swap: {
      disabledReason: nothing ?? (base?.task === task ? undefined : 'The base is in another task.'),
      run: () => ref && base && bench.change({ ...selection(base), ...baseSelection(ref, task), follow: undefined }),
    },
  } satisfies Record<string, CheckpointAction>;
}

export type CheckpointActions = ReturnType<typeof useCheckpointActions>;

/** Keys of the workbench, and its actions in the palette. */
export function useWorkbenchKeys(bench: Workbench, actions: CheckpointActions): void {
  const { history, search, tabs, view, change } = bench;
  const move = (by: 1 | -1): void => {
    const place = history.selected ? history.rows.indexOf(history.selected) : -1;
    const next = history.rows[place + by];
    if (next) bench.select(refOf(next));
  };
  const relative = useRelatives(bench);
  const toTask = useTaskSteps(bench);
  const run = (action: CheckpointAction) => () => action.disabledReason === undefined && action.run();
  const show = (to: View) => () => change({ view: to });
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    J: () => toTask(1),
    K: () => toTask(-1),
    '[': relative.parent,
    ']': relative.child,
    b: run(actions.pin),
    x: run(actions.swap),
    c: run(actions.compare),
    r: run(actions.restore),
    f: run(actions.fork),
    Delete: run(actions.remove),
    o: () => view === 'changes' && change({ only: search.only === '0' ? undefined : '0' }),
    F: () => change(search.follow ? { follow: undefined } : { follow: '1', cp: undefined, ns: undefined }),
    ...Object.fromEntries(tabs.map((name, index) => [String(index + 1), show(name)])),
  });
  useActions([
    { label: 'Restore…', kbd: 'r', ...actions.restore },
    { label: 'Fork…', kbd: 'f', ...actions.fork },
    { label: 'Compare with base', kbd: 'c', ...actions.compare },
    { label: 'Use as base', kbd: 'b', ...actions.pin },
    { label: 'Swap base and target', kbd: 'x', ...actions.swap },
    { label: 'Delete…', kbd: 'Del', ...actions.remove },
    ...(isLocked(bench.meta?.problem) ? [{ label: UNLOCK_WORDS, run: () => askUnlock(bench.store) }] : []),
    ...tabs.map((name, index) => ({ label: `Show ${name}`, kbd: String(index + 1), run: show(name) })),
  ]);
}

/** To the parent, and to the newest child. */
function useRelatives({ history: { tree }, meta, task, select }: Workbench) {
  const node = meta && tree?.nodes.find((candidate) => sameRef(candidate.ref, refOf(meta)));
  const go = (index: number | undefined) => (): void => {
    const target = index === undefined ? undefined : tree?.nodes[index];
    if (target?.row && target.ref.task === task) select(target.ref);
  };
  return { parent: go(node?.parent), child: go(node?.children.at(-1)) };
}

/** Through the tasks in the order of the pane. */
function useTaskSteps({ store, task, search: { archived } }: Workbench) {
  const tasks = useQuery(tasksQuery()).data?.items ?? [];
  const navigate = useNavigate();
  return (by: 1 | -1): void => {
    const order = taskRows(listed(tasks, archived, { store, id: task })).flatMap((row) =>
      row.kind === 'task' ? [row.task] : [],
    );
    const next = order[order.findIndex((one) => one.store === store && one.id === task) + by];
    if (next)
      void navigate({
        to: '/t/$store/$task',
        params: { store: next.store, task: next.id },
        search: { archived },
        replace: true,
      });
  };
}
