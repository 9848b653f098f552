import clsx from 'clsx';
import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ForkTree, Lane } from '@checkpoint-inspector/core';
import { Icon, STATUS_WORDS, StatusIcon } from '../../components/index.ts';
import { formatAge, formatCount, plural, stepNumber } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import type { LaneFold } from './folds.ts';
import { LaneGlyph, laneWidth } from './LaneGlyph.tsx';
import type { LaneRow } from './lanes.ts';

interface FoldRowProps {
  readonly fold: LaneFold;
  readonly tree: ForkTree;
  /** Of a single lane, where it is known. */
  readonly name: string | undefined;
  readonly lane: LaneRow | undefined;
  readonly lanes: number;
  readonly active: boolean;
  readonly now: number;
  readonly height: number;
}

/** Lanes that are not listed step by step: one, or several in one row that opens. */
export function FoldRow({ fold, tree, name, lane, lanes, active, now, height }: FoldRowProps) {
  const shown = useShown();
  const [newest] = fold.lanes;
  const tip = tree.nodes[newest?.tip ?? -1]?.row;
  const single = fold.kind === 'lane';
  const steps = stepsOf(fold.lanes);
  return (
    <div
      className={clsx('row-two selectable history-row history-fold', active && 'selected', fold.within && 'within')}
      style={{ paddingLeft: laneWidth(lanes) }}
      data-testid="history-fold"
      data-open={fold.open}
    >
      {lane && (
        <LaneGlyph
          row={lane}
          lanes={lanes}
          status={newest?.status ?? 'unknown'}
          selected={false}
          broken={false}
          height={height}
          marked={false}
          stack={!single}
        />
      )}
      <span className="line-1">
        <Icon of={fold.open ? ChevronDown : ChevronRight} size={14} />
        {single ? (
          <>
            <span className="history-name cut">{shown(name ?? newest?.label ?? '')}</span>
            <span className="muted history-steps">{steps}</span>
          </>
        ) : (
          <span className="history-name cut">
            {plural(fold.lanes.length, 'lane')} <span className="muted">of {steps}</span>
          </span>
        )}
        <span className="sr-only">{fold.open ? ', opened' : ', folded'}</span>
        <time className="history-age" dateTime={tip?.time}>
          {tip?.time === undefined ? '' : formatAge(tip.time, now)}
        </time>
      </span>
      <span className="line-2">
        <Outcomes lanes={fold.lanes} />
        {fold.from?.row && <span className="history-from">from {stepNumber(fold.from.row)}</span>}
      </span>
    </div>
  );
}

/** @example '4 steps', '2 to 6 steps' */
function stepsOf(lanes: readonly Lane[]): string {
  const [least, most] = lanes.reduce(
    ([low, high], { steps }) => [Math.min(low, steps), Math.max(high, steps)],
    [Number.POSITIVE_INFINITY, 0],
  );
  return least === most ? plural(most, 'step') : `${formatCount(least)} to ${plural(most, 'step')}`;
}

/** Failed first: that is what one opens a fold for. */
const ORDER = ['failed', 'running', 'interrupted', 'pending', 'completed', 'unknown'] as const;

function Outcomes({ lanes }: { readonly lanes: readonly Lane[] }) {
  const counts = ORDER.flatMap((status) => {
    const count = lanes.filter((lane) => lane.status === status).length;
    return count > 0 ? [{ status, count }] : [];
  });
  return (
    <span className="history-outcomes cut">
      {counts.map(({ status, count }) => (
        <span key={status} className="history-outcome">
          <span aria-hidden="true">
            <StatusIcon status={status} size={14} />
          </span>{' '}
          {lanes.length > 1 && `${formatCount(count)} `}
          <span className={lanes.length > 1 && status !== 'failed' ? 'sr-only' : undefined}>
            {STATUS_WORDS[status].toLowerCase()}
          </span>
        </span>
      ))}
    </span>
  );
}
