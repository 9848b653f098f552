import { getRouteApi, useNavigate } from '@tanstack/react-router';
import clsx from 'clsx';
import { useCallback, useRef, useState } from 'react';
import { useStore, useTaskTitle } from '../../lib/queries.ts';
import { checkpointPage, type TaskPlace } from '../../lib/address.ts';
import { EmptyState, ErrorState, LoadingBar, Skeleton } from '../../components/index.ts';
import { showId } from '../../lib/format.ts';
import { useIsHere, useTitle } from '../../lib/hooks.ts';
import type { TreeSearch } from '../../lib/search.ts';
import { useKeys } from '../../lib/keys.ts';
import { StoreLabel } from '../stores/StoreLabel.tsx';
import type { LaneOrder } from './lanes/book.ts';
import { LanesView } from './lanes/LanesView.tsx';
import { useLaneBook } from './lanes/use-lane-book.ts';
import { nextOf } from './navigation.ts';
import { Outline } from './Outline.tsx';
import { MOST_CARDS, MOST_DOTS } from './geometry.ts';
import { TreeCanvas } from './TreeCanvas.tsx';
import { TreePanel } from './TreePanel.tsx';
import { TreeTools } from './TreeTools.tsx';
import { type TreeModel, useTree } from './use-tree.ts';
import type { TreeMode } from './view-tree.ts';
import './tree.css';

const route = getRouteApi('/t/$store/$task/tree');

/** The fork tree of a task: graph or outline of the same items, and the selected checkpoint beside it. */
export function TreePage() {
  const { store, task } = route.useParams();
  const { focus, expand } = route.useSearch();
  const navigate = route.useNavigate();
  const isHere = useIsHere();
  const change = (part: Partial<TreeSearch>): void => {
    if (isHere()) void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  };
  const place = `${store} ${task}`;
  useTitle(`Tree of ${showId(useTaskTitle(store, task))}`);
  const [chosen, setChosen] = useState<{ readonly place: string; readonly mode: TreeMode }>();
  const { model, error, loading, retry } = useTree({
    store,
    task,
    focus,
    expand,
    mode: chosen?.place === place ? chosen.mode : undefined,
    onFocus: (next) => change({ focus: next }),
    onExpand: (next) => change({ expand: [...next] }),
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
          {showId(task)} in <StoreLabel id={store} /> has no checkpoints, so there is no tree. New ones appear here as
          they are saved.
        </EmptyState>
      )}
      {model !== undefined && model.view.items.length > 0 && (
        <TreeScreen key={place} {...{ store, task, model }} onMode={(mode) => setChosen({ place, mode })} />
      )}
    </div>
  );
}

interface TreeScreenProps extends TaskPlace {
  readonly model: TreeModel;
  readonly onMode: (mode: TreeMode) => void;
}

function TreeScreen({ store, task, model, onMode }: TreeScreenProps) {
  const { mode } = model;
  const [order, setOrder] = useState<LaneOrder>('outcome');
  const fit = useRef<(() => void) | undefined>(undefined);
  const info = useStore(store);
  const navigate = useNavigate();
  const { node, view, select } = model;
  const book = useLaneBook(store, model);
  const lanes = book.lanes.length;

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
      <TreeTools
        {...{ model, mode, order }}
        onMode={onMode}
        onOrder={setOrder}
        onError={() => toError(1)}
        onFit={() => fit.current?.()}
      />
      <div className="tree-panes">
        {mode === 'graph' && (
          <div className={clsx('tree-stack', lanes === 1 && 'one', lanes > MOST_CARDS && 'many')}>
            <TreeCanvas {...{ store, model, book, fit }} rule={info?.latestRule ?? ''} onOpen={open} />
            {lanes > 1 && lanes <= MOST_DOTS && <LanesView {...{ store, model, book, order }} onOpen={open} docked />}
            {lanes === 1 && <Outline {...{ model, book }} onOpen={open} />}
          </div>
        )}
        {mode === 'lanes' && <LanesView {...{ store, model, book, order }} onOpen={open} />}
        {mode === 'outline' && <Outline {...{ model, book }} onOpen={open} />}
        <TreePanel {...{ store, model, book }} onOpen={open} />
      </div>
    </>
  );
}
