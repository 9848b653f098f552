import { foldedLine } from '@checkpoint-inspector/core';
import {
  ArrowDownWideNarrow,
  ChevronDown,
  ChevronsDownUp,
  ChevronsUpDown,
  ChevronUp,
  Columns2,
  List,
  ListTree,
  type LucideIcon,
} from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { EmptyState, Icon, IconButton } from '../../components/index.ts';
import { formatCount } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import type { DiffAnswer } from '../../lib/api.ts';
import { DiffList } from './DiffList.tsx';
import { DiffTree } from './DiffTree.tsx';
import { hiddenIn } from './IgnoreRules.tsx';
import { MessagesOf } from './MessageValue.tsx';
import { ranked } from './ranking.ts';
import { SplitList } from './SplitList.tsx';
import { DIFF_VIEWS, type DiffAs, type DiffWalk, isRanked } from './walk.ts';

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
  /** Whose state it is: its messages are shown in their words. */
  readonly system: string | undefined;
}

export const DiffView = ({ system, ...view }: DiffViewProps) => (
  <MessagesOf system={system}>
    <ViewOf {...view} />
  </MessagesOf>
);

function ViewOf({ as, diff, walk, filter, path, onPath, state, all, sides }: Omit<DiffViewProps, 'system'>) {
  if (diff.items.length === 0 && !all) return <NoChanges diff={diff} />;
  if (as === 'tree') {
    // Beside filtered changes the rest is not all equal.
    return <DiffTree walk={walk} path={path} onPath={onPath} state={filter === '' ? state : undefined} all={all} />;
  }
  const shared = { diff, walk, path, onPath, allOf: all ? state : undefined };
  return (
    <>
      {as === 'split' ? (
        <SplitList {...shared} sides={sides} />
      ) : (
        <DiffList {...shared} isRanked={as === 'ranked' && !all} />
      )}
      <DiffFoot diff={diff} walk={walk} folds={isRanked(as) && !all} isFiltered={filter !== ''} />
    </>
  );
}

interface DiffFootProps {
  readonly diff: DiffAnswer;
  readonly walk: DiffWalk;
  readonly folds: boolean;
  readonly isFiltered: boolean;
}

/** What the list doesn't show at first: folded rows and the way to them, equal values, what rules hide. */
function DiffFoot({ diff, walk, folds, isFiltered }: DiffFootProps) {
  const shown = useShown();
  const { folded } = ranked(walk.items);
  const hidden = hiddenIn(diff);
  return (
    <div className="diff-foot" data-testid="diff-foot">
      {folds && folded.length > 0 && (
        <button
          type="button"
          className="diff-foot-fold"
          aria-expanded={walk.isUnfolded}
          disabled={isFiltered}
          onClick={() => walk.setUnfolded(!walk.isUnfolded)}
        >
          <Icon of={walk.isUnfolded ? ChevronsDownUp : ChevronsUpDown} />
          <span className="cut">{shown(foldedLine(folded))}</span>
        </button>
      )}
      {!isFiltered && (
        <span className="end">
          {[...countWords(diff.equal, 'equal'), ...countWords(hidden || undefined, 'hidden')].join(' · ')}
        </span>
      )}
    </div>
  );
}

/** A store that compares large states without reading all of them doesn't count what is equal. */
const countWords = (count: number | undefined, word: string): readonly string[] =>
  count === undefined ? [] : [`${formatCount(count)} ${word}`];

function NoChanges({ diff }: { readonly diff: DiffAnswer }) {
  const hidden = hiddenIn(diff);
  const equal = diff.equal === undefined ? '' : ` ${formatCount(diff.equal)}`;
  return (
    <EmptyState>
      {hidden > 0
        ? `Only ignored values differ: ${formatCount(hidden)}. The other${equal} values are equal.`
        : `All${equal} values are equal.`}
    </EmptyState>
  );
}

const CHOICES: Record<DiffAs, { readonly word: string; readonly icon: LucideIcon; readonly title: string }> = {
  ranked: { word: 'Ranked', icon: ArrowDownWideNarrow, title: 'Ranked: most telling first' },
  list: { word: 'List', icon: List, title: 'List: in the order of the state' },
  tree: { word: 'Tree', icon: ListTree, title: 'Tree' },
  split: { word: 'Split', icon: Columns2, title: 'Split: old and new side by side' },
};

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
        <ToggleGroup.Item key={as} value={as} title={CHOICES[as].title} aria-label={CHOICES[as].word}>
          <Icon of={CHOICES[as].icon} />
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
