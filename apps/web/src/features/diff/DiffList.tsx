import { Scissors } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { Icon, VirtualList } from '../../components/index.ts';
import { formatCount } from '../../lib/format.ts';
import type { DiffAnswer } from '../../lib/api.ts';
import { ALL_ROWS_LIMIT, allRows, changeRows, groupLevels, rankedRows, type Row } from './groups.ts';
import { DiffEqualRow, DiffGroupHead, DiffRow } from './DiffRow.tsx';
import { showRest } from './DiffValue.tsx';
import { openStep } from './MadeBy.tsx';
import { useLevelKeys } from '../value/levels.ts';
import { nearest } from './ranking.ts';
import type { DiffWalk } from './walk.ts';
import './diff.css';

export interface DiffListProps {
  readonly diff: DiffAnswer;
  readonly walk: DiffWalk;
  readonly path: string | undefined;
  readonly onPath: (path: string | undefined) => void;
  /** The new state's text, where the equal values are to be shown as well. */
  readonly allOf: string | undefined;
}

export type Shown = Row | { readonly kind: 'cut' };

const pathOf = (row: Shown | undefined): string | undefined =>
  row?.kind === 'change' ? row.item.path : row?.kind === 'equal' ? row.path : undefined;

/** The rows of a diff; arrows and n, N move the focus, the inspector follows it. */
export function DiffList({ walk, path, onPath, allOf, isRanked }: DiffListProps & { readonly isRanked: boolean }) {
  const { items, closed, isUnfolded } = walk;
  const rows = useMemo((): readonly Shown[] => {
    if (isRanked) return rankedRows(items, isUnfolded);
    if (allOf === undefined) return changeRows(items, closed);
    const { rows: list, cut } = allRows(allOf, items, closed);
    return cut ? [{ kind: 'cut' }, ...list] : list;
  }, [isRanked, items, isUnfolded, allOf, closed]);
  return <ChangeList rows={rows} walk={walk} path={path} onPath={onPath} className="diff-list" draw={draw} />;
}

interface ChangeListProps extends Omit<DiffListProps, 'diff' | 'allOf'> {
  readonly rows: readonly Shown[];
  readonly label?: string;
  readonly className?: string;
  readonly testId?: string;
  readonly draw: (row: Shown, focused: boolean) => ReactNode;
}

/** Groups that open and close, and the rows in them. */
export function ChangeList({ rows, walk: { toggle }, path, onPath, draw, ...list }: ChangeListProps) {
  const active = path === undefined ? -1 : nearest(rows, path, pathOf);
  useLevelKeys(
    () => groupLevels(rows),
    '',
    (levels) => levels.forEach(({ name }) => toggle(name)),
  );
  const press = (row: Shown): void => {
    if (row.kind === 'group') toggle(row.name);
    else if (row.kind === 'change' || row.kind === 'equal') onPath(pathOf(row));
  };
  return (
    <VirtualList
      label="Changes"
      testId="diff-list"
      {...list}
      items={rows}
      keyOf={rowKey}
      heightOf={rowHeight}
      measured
      active={active}
      isRow={(row) => row.kind === 'change' || row.kind === 'equal'}
      onActive={(index) => onPath(pathOf(rows[index]))}
      onKey={(event) => showRest(event) || openStep(event)}
      onPress={press}
      render={(row, index) => draw(row, index === active)}
    />
  );
}

/** A row of one line is this high: with another guess all places are worked out again for each row that comes into view. */
export const LINE_ROW = 29;

function rowHeight(row: Shown): number {
  if (row.kind === 'group') return 28;
  return row.kind === 'change' && (row.item.after?.length ?? 0) > 60 ? 70 : LINE_ROW;
}

function rowKey(row: Shown): string {
  if (row.kind === 'group') return `group ${row.name}`;
  if (row.kind === 'change') return `${row.item.kind} ${row.item.path} ${row.item.from ?? ''}`;
  return row.kind === 'equal' ? `equal ${row.path}` : row.kind;
}

function draw(row: Shown, focused: boolean) {
  if (row.kind === 'group') return <DiffGroupHead row={row} />;
  if (row.kind === 'change') return <DiffRow item={row.item} label={row.label} focused={focused} />;
  if (row.kind === 'equal') return <DiffEqualRow row={row} focused={focused} />;
  return (
    <div className="diff-fold diff-cut" data-testid="diff-cut">
      <Icon of={Scissors} />
      Every change is listed, but equal values only among the first {formatCount(ALL_ROWS_LIMIT)}. The State tab has
      them all.
    </div>
  );
}
