import { ChevronDown, ChevronUp } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { EmptyState, IconButton } from '../../components/index.ts';
import { formatCount } from '../../lib/format.ts';
import type { DiffAnswer } from '../../lib/api.ts';
import { DiffList } from './DiffList.tsx';
import { DiffTree } from './DiffTree.tsx';
import { SplitList } from './SplitList.tsx';
import { DIFF_VIEWS, type DiffAs, type DiffWalk } from './walk.ts';

interface DiffViewProps {
  readonly as: DiffAs;
  readonly diff: DiffAnswer;
  readonly walk: DiffWalk;
  readonly filter: string;
  readonly path: string | undefined;
  readonly onPath: (path: string | undefined) => void;
  /** The new state's text, where it is read. */
  readonly state: string | undefined;
  readonly all: boolean;
  readonly sides: readonly [string, string];
}

export function DiffView({ as, diff, walk, filter, path, onPath, state, all, sides }: DiffViewProps) {
  if (diff.items.length === 0 && !all) return <NoChanges diff={diff} />;
  if (as === 'tree') {
    // Beside filtered changes the rest is not all equal.
    return <DiffTree walk={walk} path={path} onPath={onPath} state={filter === '' ? state : undefined} all={all} />;
  }
  const shared = { diff, walk, path, onPath, allOf: all ? state : undefined };
  return as === 'split' ? <SplitList {...shared} sides={sides} /> : <DiffList {...shared} filter={filter} />;
}

function NoChanges({ diff }: { readonly diff: DiffAnswer }) {
  const hidden = diff.ignored.reduce((sum, rule) => sum + rule.count, 0);
  return (
    <EmptyState>
      {hidden > 0
        ? `Only ignored values differ: ${formatCount(hidden)}. The other ${formatCount(diff.equal)} values are equal.`
        : `All ${formatCount(diff.equal)} values are equal.`}
    </EmptyState>
  );
}

const WORDS: Record<DiffAs, string> = { list: 'List', tree: 'Tree', split: 'Split' };

export function DiffAsChoice({ value, onChange }: { readonly value: DiffAs; readonly onChange: (as: DiffAs) => void }) {
  return (
    <ToggleGroup.Root
      type="single"
      className="segments"
      aria-label="Show changes as"
      value={value}
      onValueChange={(next) => {
        const as = DIFF_VIEWS.find((one) => one === next);
        if (as !== undefined) onChange(as);
      }}
    >
      {DIFF_VIEWS.map((as) => (
        <ToggleGroup.Item key={as} value={as}>
          {WORDS[as]}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}

/** `Change 1 of 7`, and the way to the next one. */
export function WalkCount({ walk }: { readonly walk: DiffWalk }) {
  const { items, at, step } = walk;
  if (items.length === 0) return null;
  return (
    <span className="walk-count small muted" data-testid="walk-count">
      <span>{at < 0 ? formatCount(items.length) : `${formatCount(at + 1)} of ${formatCount(items.length)}`}</span>
      <IconButton
        label="Previous change"
        kbd="N"
        icon={ChevronUp}
        disabledReason={at > 0 ? undefined : 'this is the first'}
        onClick={() => step(-1)}
      />
      <IconButton
        label="Next change"
        kbd="n"
        icon={ChevronDown}
        disabledReason={at < items.length - 1 ? undefined : 'this is the last'}
        onClick={() => step(1)}
      />
    </span>
  );
}
