import { formatAddress, type Receipt, type TreeNode } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { refOf, taskPage, toAddress } from '../../lib/address.ts';
import { baseSelection, selection, type Workbench } from '../../features/workbench/use-workbench.ts';
import { showToast } from '../../components/index.ts';
import { useBeside } from '../../features/beside/use-beside.ts';
import { useCopies } from '../../features/copy/use-copies.ts';
import { useChangeBlock, useChangeDialog } from '../../features/change/index.tsx';
import { announce, askExport } from '../../lib/signal.ts';
import { askHistory, askShouldBe } from '../../features/path-history/ask.ts';
import { nextError } from '../../features/errors/next-error.ts';
import { useActions } from '../../features/shell/actions.ts';
import { listed } from '../../features/tasks/facets.ts';
import { taskRows } from '../../features/tasks/order.ts';
import { askUnlock, UNLOCK_WORDS } from '../../features/unlock/ask.tsx';
import { useKeys } from '../../lib/keys.ts';
import { isLocked } from '../../lib/readable.ts';
import { tasksQuery } from '../../lib/queries.ts';
import { type View, VIEWS } from '../../lib/search.ts';
import { isFile } from '../../lib/viewer/page.ts';

interface CheckpointAction {
  readonly disabledReason: string | undefined;
  readonly run: () => void;
}

/** What can be done with the selected checkpoint, for the bar, the keys and the palette. */
export function useCheckpointActions(bench: Workbench) {
  const { store, task, meta, base } = bench;
  const dialogs = useChangeDialog();
  const blocked = useChangeBlock(store);
  const refused = useBeside(meta)?.refused ?? {};
  const navigate = useNavigate();
  const nothing = meta ? undefined : 'No checkpoint is selected.';
  const ref = meta && refOf(meta);
  const act = (name: 'restore' | 'fork' | 'edit' | 'delete', run: () => void): CheckpointAction => ({
    disabledReason: nothing ?? blocked(name) ?? refused[name],
    run,
  });
  // What a change has made is what one wants to see next.
  const toNew = ({ written: [made] }: Receipt): void => {
    if (made?.task === task) bench.select(made);
  };
  return {
    restore: act('restore', () => ref && dialogs.openRestore(store, ref, toNew)),
    fork: act('fork', () => ref && dialogs.openFork(store, ref, toNew)),
    edit: act('edit', () => {
      if (!ref) return;
      void navigate({
        to: '/t/$store/$task/edit',
        params: { store, task },
        search: { cp: ref.id, ns: ref.namespace, path: bench.search.path },
      });
    }),
    remove: act('delete', () => ref && dialogs.openDelete(store, [ref])),
    tidy: { disabledReason: blocked('delete'), run: () => dialogs.openPrune([{ store, task }]) },
    compare: {
      disabledReason: nothing ?? (base ? undefined : 'Choose a base first.'),
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
  const copies = useCopies(bench).keys;
  const run = (action: CheckpointAction) => () => {
    if (action.disabledReason === undefined) action.run();
    else showToast({ title: action.disabledReason });
  };
  const show = (to: View) => () => {
    // A number belongs to its tab; where the tab is absent nothing else comes up in its place.
    if (tabs.includes(to)) change({ view: to });
    else announce(`This checkpoint has no ${to}.`);
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    J: () => toTask(1),
    K: () => toTask(-1),
    e: toError(bench, 1),
    E: toError(bench, -1),
    '[': relative.parent,
    ']': relative.child,
    b: run(actions.pin),
    x: run(actions.swap),
    c: run(actions.compare),
    r: run(actions.restore),
    f: run(actions.fork),
    i: run(actions.edit),
    Delete: run(actions.remove),
    o: () => view === 'changes' && change({ only: search.only === '0' ? undefined : '0' }),
    'y e': () => !isFile() && askExport({ store: bench.store, task: bench.task }),
    F: () => change(search.follow ? { follow: undefined } : { follow: '1', cp: undefined, ns: undefined }),
    1: show('changes'),
    2: show('state'),
    3: show('chat'),
    4: show('plan'),
    5: show('raw'),
    6: show('meta'),
    '{': relative.forkAbove,
    '}': relative.forkBelow,
    'y p': copies['y p'],
    'y v': copies['y v'],
    'y l': copies['y l'],
    'y m': copies['y m'],
  });
  const changes = [
    { label: 'Restore…', kbd: 'r', ...actions.restore },
    { label: 'Fork…', kbd: 'f', ...actions.fork },
    { label: 'Edit, then fork…', kbd: 'i', ...actions.edit },
    { label: 'Delete…', kbd: 'Del', ...actions.remove },
    { label: 'Tidy up this task…', ...actions.tidy },
    { label: 'Export…', kbd: 'y e', run: () => askExport({ store: bench.store, task: bench.task }) },
  ];
  useActions([
    ...(isFile() ? [] : changes),
    { label: 'Compare with base', kbd: 'c', ...actions.compare },
    { label: 'Use as base', kbd: 'b', ...actions.pin },
    { label: 'Swap base and target', kbd: 'x', ...actions.swap },
    { label: 'History of this value', kbd: 'h', run: () => askHistory() },
    { label: 'This should be…', kbd: 's', run: () => askShouldBe() },
    ...(isLocked(bench.meta?.problem) ? [{ label: UNLOCK_WORDS, run: () => askUnlock(bench.store) }] : []),
    ...tabs.map((name) => ({ label: `Show ${name}`, kbd: String(VIEWS.indexOf(name) + 1), run: show(name) })),
    { label: 'Copy as Markdown', kbd: 'y m', run: copies['y m'] },
  ]);
}

/** To the next failed checkpoint in the order of the view. The latest, where it failed and was not chosen, is the first. */
function toError({ history, search, task, select }: Workbench, by: 1 | -1) {
  return (): void => {
    const { selected, rows, treeRows: all } = history;
    const from = selected && refOf(selected);
    const isFirst = search.cp === undefined && selected?.status === 'failed';
    const target = isFirst ? from : nextError({ rows, all, task }, from, by);
    if (target) select(target);
    else if (all === undefined) announce('The history is still being read. Try again in a moment.');
    else announce('No checkpoint of this task has failed.');
  };
}

/** To the parent, to the newest child, and to the fork points above and below. */
function useRelatives({ history: { tree, nodeOf }, meta, task, select }: Workbench) {
  const node = meta && nodeOf?.(refOf(meta));
  const go = (index: number | undefined) => (): void => {
    const target = index === undefined ? undefined : tree?.nodes[index];
    if (target?.row && target.ref.task === task) select(target.ref);
  };
  const next = (at: TreeNode, down: boolean): number | undefined => (down ? at.children.at(-1) : at.parent);
  const toFork = (down: boolean) => (): void => {
    for (let at = node && next(node, down); at !== undefined;) {
      const here = tree?.nodes[at];
      if (here === undefined) break;
      if (here.children.length > 1 && here.row) return go(at)();
      at = next(here, down);
    }
    announce(down ? 'No fork point after this checkpoint.' : 'No fork point before this checkpoint.');
  };
  return {
    parent: go(node?.parent),
    child: go(node?.children.at(-1)),
    forkAbove: toFork(false),
    forkBelow: toFork(true),
  };
}

function useTaskSteps({ store, task, search: { archived } }: Workbench) {
  const tasks = useQuery(tasksQuery()).data?.items ?? [];
  const navigate = useNavigate();
  return (by: 1 | -1): void => {
    const order = taskRows(listed(tasks, archived, { store, id: task })).flatMap((row) =>
      row.kind === 'task' ? [row.task] : [],
    );
    const next = order[order.findIndex((one) => one.store === store && one.id === task) + by];
    if (next) void navigate({ ...taskPage(next.store, next.id), search: { archived }, replace: true });
  };
}
