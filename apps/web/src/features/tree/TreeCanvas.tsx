import {
  type Node,
  type NodeProps,
  type NodeTypes,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  ViewportPortal,
} from '@xyflow/react';
import { memo, type MouseEvent, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { ArrowUpRight, Ellipsis, FileQuestionMark, TriangleAlert } from 'lucide-react';
import { useKeys } from '../../lib/keys.ts';
import { EdgeLayer, FarLayer, FarNumbers, LaneLabels } from './CanvasLayers.tsx';
import {
  cellX,
  cellY,
  COLUMN_PITCH,
  fitZoom,
  LANE_PITCH,
  MAX_ZOOM,
  NODE_HEIGHT,
  NODE_WIDTH,
  openingView,
  READABLE_ZOOM,
  type Size,
  worldSize,
} from './geometry.ts';
import { Legend, Minimap, ZoomBox } from './Minimap.tsx';
import { type Direction, neighbour } from './navigation.ts';
import { factsOf, type NodeFacts } from './node-facts.ts';
import { useCamera, usePaneSize, useWindow } from './camera.ts';
import type { LaneBook } from './lanes/book.ts';
import type { TreeModel } from './use-tree.ts';
import { itemAtCell } from './view-tree.ts';
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
        {selected === undefined ? '' : factsOf(view, view.items[selected] ?? NOTHING, props.model.summaryOf).label}
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
  const { view, selected } = model;
  const flow = useReactFlow();
  const world = worldSize(view.columns, view.lanes);
  const opening = useRef(openingView(world, view.items[selected ?? 0] ?? NOTHING, size)).current;
  const { drawn, onView } = useWindow(view, opening, size);
  const camera = useCamera(model, size, onView);
  useLayoutEffect(() => {
    fit.current = camera.fit;
  }, [fit, camera.fit]);
  const closer = (): void => camera.zoomBy(1.25);
  useKeys({ 0: camera.fit, '+': closer, '=': closer, '-': () => camera.zoomBy(0.8) });

  const nodes = useNodes({ store, model, rule, id, boxes: drawn.boxes });
  const onPaneClick = (event: MouseEvent): void => {
    if (drawn.marks.length === 0) return;
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const item = itemAtCell(view, Math.floor(x / COLUMN_PITCH), Math.floor(y / LANE_PITCH));
    if (item !== undefined) model.selectItem(item);
  };
  return (
    <>
      <div className="tree-stage">
        <ReactFlow
          className={drawn.far ? 'far' : undefined}
          nodes={nodes}
          edges={NO_EDGES}
          nodeTypes={NODE_TYPES}
          defaultViewport={opening}
          minZoom={Math.min(0.2, fitZoom(world, size))}
          maxZoom={MAX_ZOOM}
          onMove={(_, next) => onView(next)}
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
            <EdgeLayer view={view} shown={drawn.edges} selected={selected} />
            <LaneLabels view={view} shown={drawn.boxes} book={book} />
            {drawn.far && <FarNumbers view={view} shown={drawn.boxes} />}
          </ViewportPortal>
        </ReactFlow>
        {drawn.marks.length > 0 && <FarLayer view={view} shown={drawn.marks} selected={selected} />}
        {fitZoom(world, size) < READABLE_ZOOM && (
          <Minimap view={view} selected={selected} size={size} onMove={camera.centre} />
        )}
      </div>
      <div className="tree-foot">
        <Legend view={view} />
        <ZoomBox onZoom={camera.zoomBy} />
      </div>
    </>
  );
}

interface NodesOf extends Pick<TreeCanvasProps, 'store' | 'model' | 'rule'> {
  readonly id: string;
  readonly boxes: readonly number[];
}

/** A box that stays in view stays the same object, so that only new ones are drawn. */
function useNodes({ store, model, rule, id, boxes }: NodesOf): ItemNode[] {
  const { view, selected, summaryOf } = model;
  const known = useMemo(() => {
    const made = new Map<string, ItemNode>();
    const nodeOf = (item: number, isSelected: boolean): ItemNode => {
      const here = view.items[item] ?? NOTHING;
      return {
        id: here.id,
        type: 'item',
        position: { x: cellX(here.column), y: cellY(here.lane) },
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        data: { facts: factsOf(view, here, summaryOf), selected: isSelected, domId: domIdOf(id, item), store, rule },
      };
    };
    return (item: number, isSelected: boolean): ItemNode => {
      const key = `${item} ${isSelected}`;
      const node = made.get(key) ?? nodeOf(item, isSelected);
      made.set(key, node);
      return node;
    };
  }, [view, summaryOf, id, store, rule]);
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

/** One box of the tree: a checkpoint, a ghost or a folded chain. Its size never depends on its words. */
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
          facts.second
        ) : (
          <Link
            to="/t/$store/$task/tree"
            params={{ store: data.store, task: facts.otherTask }}
            className="link nodrag nopan"
          >
            {facts.second}
          </Link>
        )}
      </div>
      {facts.latest && <LatestTag rule={data.rule} />}
    </div>
  );
});

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

function LatestTag({ rule }: { readonly rule: string }) {
  return (
    <div className="tree-latest" title={`latest: ${rule}`}>
      <Badge tone="solid">latest</Badge>
      <span>{rule}</span>
    </div>
  );
}
