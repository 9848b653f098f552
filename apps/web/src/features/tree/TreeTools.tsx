import { ChevronsLeftRight, CircleX, List, Maximize, Workflow } from 'lucide-react';
import { Button } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { formatCount, plural } from '../../lib/format.ts';
import { FindStep } from './FindStep.tsx';
import type { TreeModel } from './use-tree.ts';

export type TreeMode = 'graph' | 'outline';

interface TreeToolsProps {
  readonly model: TreeModel;
  readonly mode: TreeMode;
  readonly onMode: (mode: TreeMode) => void;
  readonly onError: () => void;
  readonly onFit: () => void;
}

const MODES = [
  { mode: 'graph', label: 'Graph', icon: Workflow },
  { mode: 'outline', label: 'Outline', icon: List },
] as const;

export function TreeTools({ model, mode, onMode, onError, onFit }: TreeToolsProps) {
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
        {summaryText(view)}
      </span>
      <span className="tree-tools-end">
        {expanded.size > 0 && (
          <Button icon={ChevronsLeftRight} onClick={model.foldAll}>
            Fold chains
          </Button>
        )}
        <FindStep model={model} />
        <Button
          icon={CircleX}
          kbd="e"
          onClick={onError}
          {...(view.errors.length === 0 ? { disabledReason: 'No checkpoint of this task failed.' } : {})}
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
export function summaryText(view: TreeModel['view']): string {
  const checkpoints = view.tree.nodes.reduce((count, node) => count + (node.row === undefined ? 0 : 1), 0);
  const { chains, checkpoints: folded } = view.folded;
  return [
    plural(checkpoints, 'checkpoint'),
    plural(view.branches.length, 'lane'),
    ...(chains > 0 ? [`${formatCount(folded)} folded in ${plural(chains, 'chain')}`] : []),
  ].join(', ');
}
