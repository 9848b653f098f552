import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import { useStore } from '../../lib/queries.ts';
import { checkpointPage, type TaskPlace } from '../../lib/address.ts';
import { EmptyState, ErrorState, LoadingBar, Skeleton } from '../../components/index.ts';
import { showId } from '../../lib/format.ts';
import { useKeys } from '../../lib/keys.ts';
import { nextOf } from './navigation.ts';
import { Outline } from './Outline.tsx';
import { TreeCanvas } from './TreeCanvas.tsx';
import { TreePanel } from './TreePanel.tsx';
import { type TreeMode, TreeTools } from './TreeTools.tsx';
import { type TreeModel, useTree } from './use-tree.ts';
import './tree.css';

const route = getRouteApi('/t/$store/$task/tree');

/** The fork tree of a task: graph or outline of the same items, and the selected checkpoint beside it. */
export function TreePage() {
  const { store, task } = route.useParams();
  const { focus, expand } = route.useSearch();
  const navigate = route.useNavigate();
  const { model, error, loading, retry } = useTree({
    store,
    task,
    focus,
    expand,
    onFocus: (next) => void navigate({ search: (before) => ({ ...before, focus: next }), replace: true }),
    onExpand: (next) => void navigate({ search: (before) => ({ ...before, expand: [...next] }), replace: true }),
  });
  return (
    <div className="tree-route" data-testid="tree-route">
      <LoadingBar active={loading && model !== undefined} />
      {error !== null && (
        <ErrorState error={error} title={`The tree of ${showId(task)} could not be read.`} onRetry={retry} />
      )}
      {error === null && model === undefined && <Skeleton rows={8} />}
      {model !== undefined && model.view.items.length === 0 && (
        <EmptyState>
          {showId(task)} in {store} holds no checkpoints, so there is no tree. New ones appear here as they are saved.
        </EmptyState>
      )}
      {model !== undefined && model.view.items.length > 0 && (
        <TreeScreen key={`${store} ${task}`} store={store} task={task} model={model} />
      )}
    </div>
  );
}

/** Narrow screens begin with the outline: it needs no panning. */
const firstMode = (): TreeMode => (window.innerWidth < 800 ? 'outline' : 'graph');

function TreeScreen({ store, task, model }: TaskPlace & { readonly model: TreeModel }) {
  const [mode, setMode] = useState<TreeMode>(firstMode);
  const fit = useRef<(() => void) | undefined>(undefined);
  const info = useStore(store);
  const navigate = useNavigate();
  const { node, view, select } = model;

  const open = useCallback(() => {
    if (node?.ghost === 'other-task') {
      void navigate({
        to: '/t/$store/$task/tree',
        params: { store, task: node.ref.task },
        search: { focus: node.ref.id },
      });
      return;
    }
    if (node?.row === undefined) return;
    void navigate(checkpointPage(store, { ...node.ref, task }));
  }, [navigate, node, store, task]);
  const toError = useCallback(
    (step: 1 | -1) => {
      const next = nextOf(view.errors, node?.index, step);
      if (next !== undefined) select(next);
    },
    [view.errors, node, select],
  );
  useKeys({ e: () => toError(1), E: () => toError(-1) });

  return (
    <>
      <TreeTools model={model} mode={mode} onMode={setMode} onError={() => toError(1)} onFit={() => fit.current?.()} />
      <div className="tree-panes">
        {mode === 'graph' ? (
          <TreeCanvas store={store} model={model} rule={info?.latestRule ?? ''} onOpen={open} fit={fit} />
        ) : (
          <Outline model={model} onOpen={open} />
        )}
        <TreePanel store={store} model={model} onOpen={open} />
      </div>
    </>
  );
}
