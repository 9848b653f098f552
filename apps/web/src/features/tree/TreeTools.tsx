import { ChevronsLeftRight, CircleX, ListTree, Maximize, Rows3, Search, Workflow } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { Button, Icon, StatusIcon } from '../../components/index.ts';
import { formatCount, plural } from '../../lib/format.ts';
import type { TreeModel } from './use-tree.ts';
import type { TreeMode } from './view-tree.ts';
import { useKeys } from '../../lib/keys.ts';
import { useShown } from '../../lib/masking.ts';
import { nodeNumber } from './node-facts.ts';
import { LANE_ORDERS, type LaneOrder } from './lanes/book.ts';
import { findNodes } from './navigation.ts';

interface TreeToolsProps {
  readonly model: TreeModel;
  readonly mode: TreeMode;
  readonly onMode: (mode: TreeMode) => void;
  readonly order: LaneOrder;
  readonly onOrder: (order: LaneOrder) => void;
  readonly onError: () => void;
  readonly onFit: () => void;
}

const MODES = [
  { mode: 'graph', label: 'Graph', icon: Workflow },
  { mode: 'lanes', label: 'Lanes', icon: Rows3 },
  { mode: 'outline', label: 'Outline', icon: ListTree },
] as const;

export function TreeTools({ model, mode, onMode, order, onOrder, onError, onFit }: TreeToolsProps) {
  const { view, expanded } = model;
  return (
    <div className="tree-tools">
      <div className="tree-modes" role="group" aria-label="View">
        {MODES.map(({ mode: value, label, icon }) => (
          <button key={value} type="button" aria-pressed={mode === value} onClick={() => onMode(value)}>
            <Icon of={icon} />
            {label}
          </button>
        ))}
      </div>
      <span className="muted cut" data-testid="tree-summary">
        {summaryText(view, mode)}
      </span>
      <span className="tree-tools-end">
        {mode === 'lanes' && <SortLanes order={order} onOrder={onOrder} />}
        {mode === 'graph' && expanded.size > 0 && (
          <Button icon={ChevronsLeftRight} onClick={model.foldAll}>
            Fold chains
          </Button>
        )}
        <FindStep model={model} />
        <Button
          icon={CircleX}
          kbd="e"
          onClick={onError}
          {...(view.errors.length === 0 ? { disabledReason: 'No checkpoints in this task failed.' } : {})}
        >
          Next error
        </Button>
        {mode === 'graph' && (
          <Button icon={Maximize} kbd="0" onClick={onFit}>
            Fit
          </Button>
        )}
      </span>
    </div>
  );
}

/** @example '63 checkpoints, 4 lanes, 51 folded in 2 chains' */
function summaryText(view: TreeModel['view'], mode: TreeMode): string {
  const checkpoints = view.tree.nodes.reduce((count, node) => count + (node.row === undefined ? 0 : 1), 0);
  const { chains, checkpoints: folded } = view.folded;
  return [
    plural(checkpoints, 'checkpoint'),
    plural(view.branches.length, 'lane'),
    ...(chains > 0 && mode !== 'lanes' ? [`${formatCount(folded)} folded in ${plural(chains, 'chain')}`] : []),
  ].join(', ');
}

function SortLanes({ order, onOrder }: Pick<TreeToolsProps, 'order' | 'onOrder'>) {
  return (
    <label className="tree-sort">
      Sort
      <select
        value={order}
        onChange={(event) => {
          const next = LANE_ORDERS.find((one) => one === event.target.value);
          if (next) onOrder(next);
        }}
      >
        {LANE_ORDERS.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Finds a step by number, name, id or status, and goes to it. */
function FindStep({ model }: { readonly model: TreeModel }) {
  const [open, setOpen] = useState(false);
  useKeys({ '/': () => setOpen(true) });
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button icon={Search} kbd="/">
          Find step
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="tree-find" align="end" sideOffset={6} collisionPadding={8}>
          <FindBox
            model={model}
            onFound={(node) => {
              model.select(node);
              setOpen(false);
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function FindBox({ model, onFound }: { readonly model: TreeModel; readonly onFound: (node: number) => void }) {
  const { view } = model;
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const id = useId();
  const found = useMemo(() => findNodes(view, text, (node) => nodeNumber(view.tree.nodes[node])), [view, text]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setActive((at) => (at + step + found.length) % found.length);
    }
    const node = found[active];
    if (event.key === 'Enter' && node !== undefined) {
      event.preventDefault();
      onFound(node);
    }
  };
  return (
    <>
      <div className="tree-find-field">
        <Icon of={Search} />
        <input
          autoFocus
          role="combobox"
          aria-label="Find step"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
          placeholder="Number, name, id or status"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id={`${id}-list`} role="listbox" aria-label="Steps found">
        {found.map((node, index) => (
          <FoundRow
            key={node}
            id={`${id}-${index}`}
            model={model}
            node={node}
            active={index === active}
            onClick={() => onFound(node)}
          />
        ))}
      </ul>
      {text.trim() !== '' && found.length === 0 && (
        <p className="tree-find-none">No steps in this task match “{text.trim()}”.</p>
      )}
    </>
  );
}

interface FoundRowProps {
  readonly id: string;
  readonly model: TreeModel;
  readonly node: number;
  readonly active: boolean;
  readonly onClick: () => void;
}

function FoundRow({ id, model: { view }, node, active, onClick }: FoundRowProps) {
  const row = view.tree.nodes[node]?.row;
  const shown = useShown();
  if (row === undefined) return null;
  const branch = view.branches[view.branchOf[view.itemOfNode[node] ?? -1] ?? -1];
  return (
    // Keys are handled by the field, which keeps the focus.
    <li
      id={id}
      role="option"
      aria-selected={active}
      className={active ? 'active' : undefined}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      <b>{nodeNumber(view.tree.nodes[node])}</b>
      <StatusIcon status={row.status} size={14} />
      <span className="cut">{shown(row.description ?? row.id)}</span>
      <span className="muted">{branch?.name}</span>
    </li>
  );
}
