import {
  type Node,
  type NodeProps,
  type NodeTypes,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  ViewportPortal,
} from '@xyflow/react';
import { memo, type MouseEvent, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { ArrowUpRight, Ellipsis, FileQuestionMark, TriangleAlert } from 'lucide-react';
import { showId } from '../../lib/format.ts';
import { useKeys } from '../../lib/keys.ts';
import { useTaskTitle } from '../../lib/queries.ts';
import { EdgeLayer, FarLayer, LaneLabels } from './CanvasLayers.tsx';
import { DotLayer } from './DotLayer.tsx';
import {
  cellX,
  cellY,
  fitZoom,
  type Grid,
  gridFor,
  isMapped,
  MAX_ZOOM,
  openingView,
  type Size,
  THREE_LINES,
  type View,
  worldSize,
} from './geometry.ts';
import { Legend, Minimap, ZoomBox } from './Minimap.tsx';
import { type Direction, neighbour } from './navigation.ts';
import { factsOf, type NodeFacts } from './node-facts.ts';
import type { Drawn } from './drawn.ts';
import { useCamera, usePaneSize, useWindow } from './camera.ts';
import type { LaneBook } from './lanes/book.ts';
import type { TreeModel } from './use-tree.ts';
import { childrenOf, itemAtCell, type TreeView } from './view-tree.ts';
import { Badge, Icon, StatusIcon } from '../../components/index.ts';
import '@xyflow/react/dist/base.css';

interface TreeCanvasProps {
  readonly store: string;
  readonly model: TreeModel;
  /** The lanes and their names. */
  readonly book: LaneBook;
  readonly rule: string;
  readonly onOpen: () => void;
  /** Filled with a function that shows the whole tree. */
  readonly fit: { current: (() => void) | undefined };
}

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};
const NO_EDGES: [] = [];
/** The legend and the zoom have a strip of their own, as tree.css has it: they never cover the drawing. */
const FOOT_HEIGHT = 40;

export function TreeCanvas(props: TreeCanvasProps) {
  const pane = useRef<HTMLDivElement>(null);
  const whole = usePaneSize(pane);
  const size = useMemo(() => whole && { width: whole.width, height: Math.max(1, whole.height - FOOT_HEIGHT) }, [whole]);
  const id = useId();
  const { view, selected } = props.model;
  const onKeyDown = useCanvasKeys(props);
  useKeysOfPage(onKeyDown);
  return (
    <div
      ref={pane}
      className="tree-canvas"
      role="application"
      aria-label="Fork tree: arrows move along the edges, Enter opens"
      tabIndex={0}
      onKeyDown={(event) => (event.target === event.currentTarget ? onKeyDown(event) : undefined)}
      data-testid="tree-canvas"
      {...(selected === undefined ? {} : { 'aria-activedescendant': domIdOf(id, selected) })}
    >
      <p className="sr-only" role="status">
        {selected === undefined ? '' : factsOf(view, view.items[selected] ?? NOTHING, props.model.tellOf).label}
      </p>
      {size && (
        <ReactFlowProvider>
          <Flow {...props} size={size} id={id} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

const NOTHING = { kind: 'node', id: '', nodes: [], column: 0, lane: 0 } as const;
const domIdOf = (id: string, item: number): string => `${id}-item-${item}`;

function Flow({
  store,
  model,
  book,
  rule,
  onOpen,
  fit,
  size,
  id,
}: TreeCanvasProps & { readonly size: Size; readonly id: string }) {
  const { selected } = model;
  const flow = useReactFlow();
  const [view, setGrid] = useDrawn(model.view, size);
  const world = worldSize(view.grid, view.columns, view.lanes);
  const openingIn = (drawn: Drawn, pane: Size): View => {
    const at = selected ?? 0;
    return openingView(drawn, drawn.items[at] ?? NOTHING, drawn.items[forkAbove(drawn, at)] ?? NOTHING, pane);
  };
  const [opening] = useState(() => openingIn(view, size));
  const { drawn, onView } = useWindow(view, opening, size);
  const openAt = (pane: Size): View => {
    const grid = gridFor(view.columns, view.lanes, pane);
    setGrid(grid);
    return openingIn({ ...view, grid }, pane);
  };
  const camera = useCamera({ view, model, pane: size, onView, openAt });
  useLayoutEffect(() => {
    fit.current = camera.fit;
  }, [fit, camera.fit]);
  const closer = (): void => camera.zoomBy(1.25);
  useKeys({ 0: camera.fit, '+': closer, '=': closer, '-': () => camera.zoomBy(0.8) });

  const nodes = useNodes({ store, model, view, rule, id, boxes: drawn.boxes });
  const onPaneClick = (event: MouseEvent): void => {
    if (drawn.marks.length === 0) return;
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const item = itemAtCell(view, Math.floor(x / view.grid.columnPitch), Math.floor(y / view.grid.lanePitch));
    if (item !== undefined) model.selectItem(item);
  };
  return (
    <>
      <div className={view.grid.nodeHeight >= THREE_LINES ? 'tree-stage roomy' : 'tree-stage'}>
        <ReactFlow
          className={drawn.far ? 'far' : undefined}
          nodes={nodes}
          edges={NO_EDGES}
          nodeTypes={NODE_TYPES}
          defaultViewport={opening}
          minZoom={Math.min(0.2, fitZoom(world, size))}
          maxZoom={MAX_ZOOM}
          // The first turn of a wheel is told of here only; a press that moves nothing begins here, too.
          onMoveStart={(event) => event?.type === 'wheel' && camera.moved()}
          onMove={(event, next) => {
            if (event !== null) camera.moved();
            onView(next);
          }}
          panOnScroll
          zoomOnDoubleClick={false}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          onNodeClick={(_, node) => camera.click(node.id)}
          onNodeDoubleClick={(_, node) =>
            view.items.find((item) => item.id === node.id)?.kind === 'node' ? onOpen() : undefined
          }
          onPaneClick={onPaneClick}
          attributionPosition="bottom-center"
        >
          <ViewportPortal>
            {drawn.far ? (
              <DotLayer view={view} shown={drawn.boxes} edges={drawn.edges} selected={selected} />
            ) : (
              <EdgeLayer view={view} shown={drawn.edges} selected={selected} />
            )}
            <LaneLabels view={view} shown={drawn.boxes} book={book} far={drawn.far} />
          </ViewportPortal>
        </ReactFlow>
        {drawn.marks.length > 0 && <FarLayer view={view} shown={drawn.marks} selected={selected} />}
        {isMapped(view, size, drawn.far) && (
          <Minimap view={view} selected={selected} size={size} onMove={camera.centre} />
        )}
      </div>
      <div className="tree-foot">
        <Legend view={view} book={book} />
        <ZoomBox onZoom={camera.zoomBy} />
      </div>
    </>
  );
}

/** The measures are those of the tree as it was opened, or last placed. */
function useDrawn(view: TreeView, size: Size): [Drawn, (grid: Grid) => void] {
  const [grid, setGrid] = useState(() => gridFor(view.columns, view.lanes, size));
  return [useMemo(() => ({ ...view, grid }), [view, grid]), setGrid];
}

/** The nearest item above that forks; itself where none does. */
function forkAbove(view: TreeView, item: number): number {
  for (let at = view.parentOf[item] ?? -1; at >= 0; at = view.parentOf[at] ?? -1)
    if (childrenOf(view, at).length > 1) return at;
  return item;
}

interface NodesOf extends Pick<TreeCanvasProps, 'store' | 'model' | 'rule'> {
  readonly view: Drawn;
  readonly id: string;
  readonly boxes: readonly number[];
}

/** A box that stays in view stays the same object, so that only new ones are drawn. */
function useNodes({ store, model, view, rule, id, boxes }: NodesOf): ItemNode[] {
  const { selected, tellOf } = model;
  const { grid } = view;
  const known = useMemo(() => {
    const made = new Map<string, ItemNode>();
    const nodeOf = (item: number, isSelected: boolean): ItemNode => {
      const here = view.items[item] ?? NOTHING;
      return {
        id: here.id,
        type: 'item',
        position: { x: cellX(grid, here.column), y: cellY(grid, here.lane) },
        width: grid.nodeWidth,
        height: grid.nodeHeight,
        data: { facts: factsOf(view, here, tellOf), selected: isSelected, domId: domIdOf(id, item), store, rule },
      };
    };
    return (item: number, isSelected: boolean): ItemNode => {
      const key = `${item} ${isSelected}`;
      const node = made.get(key) ?? nodeOf(item, isSelected);
      made.set(key, node);
      return node;
    };
  }, [view, grid, tellOf, id, store, rule]);
  return useMemo(() => boxes.map((item) => known(item, item === selected)), [boxes, known, selected]);
}

type Press = Pick<globalThis.KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'preventDefault'>;

function useCanvasKeys({ model, onOpen }: TreeCanvasProps): (event: Press) => void {
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { view, selected } = model;
    const direction = ARROWS[event.key];
    if (direction !== undefined) {
      event.preventDefault();
      const next = selected === undefined ? 0 : neighbour(view, selected, direction);
      if (next !== selected) model.selectItem(next);
      return;
    }
    if (event.key !== 'Enter' || selected === undefined) return;
    event.preventDefault();
    if (view.items[selected]?.kind === 'chain') model.open(selected);
    else onOpen();
  };
}

/** While nothing else on the page has the focus, the keys are the canvas's. */
function useKeysOfPage(onKey: (event: Press) => void): void {
  const latest = useRef(onKey);
  useEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent): void => {
      if (!event.defaultPrevented && document.activeElement === document.body) latest.current(event);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

interface ItemData extends Record<string, unknown> {
  readonly facts: NodeFacts;
  readonly selected: boolean;
  readonly domId: string;
  readonly store: string;
  readonly rule: string;
}

type ItemNode = Node<ItemData, 'item'>;

/** One card of the tree: a checkpoint, a ghost or a folded chain. Its size never depends on its words. */
const TreeItemNode = memo(function TreeItemNode({ data }: NodeProps<ItemNode>) {
  const { facts, selected, domId } = data;
  return (
    <div
      id={domId}
      className={clsx(
        'tree-node',
        facts.shape,
        facts.status,
        selected && 'on',
        facts.warning !== undefined && 'defect',
      )}
      data-testid="tree-node"
      data-shape={facts.shape}
      aria-label={facts.label}
      role="group"
      title={facts.label}
    >
      <div className="tree-node-1">
        <Mark facts={facts} />
        <span className="cut">{facts.title}</span>
      </div>
      <div className="tree-node-2 cut">
        {facts.otherTask === undefined ? (
          (facts.brief ?? facts.second)
        ) : (
          <Link
            to="/t/$store/$task/tree"
            params={{ store: data.store, task: facts.otherTask }}
            className="link nodrag nopan"
          >
            <OtherTask store={data.store} task={facts.otherTask} />
          </Link>
        )}
      </div>
      {facts.third !== undefined && <div className="tree-node-3 cut">{facts.third}</div>}
      {facts.latest && (
        <span className="tree-latest" title={`latest: ${data.rule}`}>
          <Badge tone="solid">latest</Badge>
        </span>
      )}
    </div>
  );
});

const OtherTask = ({ store, task }: { readonly store: string; readonly task: string }) => (
  <>in {showId(useTaskTitle(store, task))}</>
);

const NODE_TYPES: NodeTypes = { item: TreeItemNode };

function Mark({ facts }: { readonly facts: NodeFacts }) {
  if (facts.shape === 'chain') return <Icon of={Ellipsis} />;
  const icon = facts.otherTask === undefined ? FileQuestionMark : ArrowUpRight;
  return (
    <>
      {facts.shape === 'ghost' && <Icon of={icon} />}
      <b>{facts.number}</b>
      {facts.warning !== undefined && facts.shape === 'checkpoint' && <Icon of={TriangleAlert} />}
      {facts.status && <StatusIcon status={facts.status} size={14} />}
    </>
  );
}
