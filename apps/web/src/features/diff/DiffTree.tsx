import clsx from 'clsx';
import { ChevronDown, ChevronRight, Eye } from 'lucide-react';
import { useMemo, useState, type KeyboardEvent } from 'react';
import { Icon, VirtualList } from '../../components/index.ts';
import { plural } from '../../lib/format.ts';
import { tryParse } from '../../lib/json.ts';
import { useShown, type Shown } from '../../lib/masking.ts';
import { LINE_ROW } from './DiffList.tsx';
import { DiffRow } from './DiffRow.tsx';
import { showRest } from './DiffValue.tsx';
import { useLevelKeys, type Level } from '../value/levels.ts';
import { treeRows, type TreeRow } from './tree-rows.ts';
import { nearest } from './ranking.ts';
import type { DiffWalk } from './walk.ts';

interface DiffTreeProps {
  readonly walk: DiffWalk;
  readonly path: string | undefined;
  readonly onPath: (path: string | undefined) => void;
  /** The new state's text, as soon as it is there: it tells how many values beside the changes are equal. */
  readonly state: string | undefined;
  readonly all: boolean;
}

/** Differences under the containers they are in; the equal values beside them fold into a count. */
export function DiffTree({ walk, path, onPath, state, all }: DiffTreeProps) {
  const { items, closed, toggle } = walk;
  const shown = useShown();
  const read = useMemo(() => {
    const parsed = state === undefined ? undefined : tryParse(state);
    return parsed && state !== undefined && 'node' in parsed ? { text: state, root: parsed.node } : undefined;
  }, [state]);
  const rows = useMemo(() => treeRows(items, { state: read, closed, all }), [items, read, closed, all]);
  // A fold has no path of its own to be focused by.
  const [fold, setFold] = useState<string>();
  const onFold = fold === undefined ? -1 : rows.findIndex((row) => row.kind === 'fold' && row.name === fold);
  const onRow = path === undefined ? -1 : nearest(rows, path, (row) => (row.kind === 'fold' ? undefined : row.path));
  const active = onFold >= 0 ? onFold : onRow;
  useLevelKeys(
    () => rows.flatMap((row) => (row.kind === 'container' ? [levelOf(row)] : [])),
    String(rows[active]?.depth ?? 0),
    (levels) => levels.forEach(({ name }) => toggle(name)),
  );
  const go = (index: number): void => {
    const row = rows[index];
    setFold(row?.kind === 'fold' ? row.name : undefined);
    if (row && row.kind !== 'fold') onPath(row.path);
  };
  const press = (row: TreeRow): void => {
    if (row.kind === 'container') toggle(row.path);
    else if (row.kind === 'fold') toggle(row.name);
    else {
      setFold(undefined);
      onPath(row.path);
    }
  };
  const onKey = (event: KeyboardEvent<HTMLDivElement>): void => {
    showRest(event);
    const row = rows[active];
    if (row === undefined || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    event.preventDefault();
    const opens = event.key === 'ArrowRight';
    if ((row.kind === 'container' || row.kind === 'fold') && row.open !== opens) return press(row);
    if (opens) return go(active + 1);
    go(rows.findLastIndex((other, index) => index < active && other.kind === 'container' && other.depth < row.depth));
  };
  return (
    <VirtualList
      items={rows}
      keyOf={keyOf}
      heightOf={(row) => (row.kind === 'change' ? LINE_ROW : 28)}
      measured
      role="tree"
      label="Changes"
      className="diff-list"
      active={active}
      onActive={go}
      onOpen={(index) => {
        const row = rows[index];
        if (row?.kind === 'container' || row?.kind === 'fold') press(row);
      }}
      onKey={onKey}
      testId="diff-tree"
      rowProps={(row) => ({
        'aria-level': row.depth + 1,
        ...('open' in row ? { 'aria-expanded': row.open } : {}),
      })}
      onPress={press}
      render={(row, index) => draw(row, index === active, shown)}
    />
  );
}

/** What is at the same depth opens together. */
const levelOf = ({ path, open, depth }: Extract<TreeRow, { kind: 'container' }>): Level => ({
  name: path,
  open,
  depth,
  beside: String(depth),
});

const keyOf = (row: TreeRow): string =>
  row.kind === 'change' ? `${row.item.kind} ${row.path} ${row.item.from ?? ''}` : `${row.kind} ${row.path}`;

const INDENT = 16;

function draw(row: TreeRow, focused: boolean, shown: Shown) {
  if (row.kind === 'fold') {
    return (
      <div
        className={clsx('diff-fold tree-fold', focused && 'focused')}
        style={{ paddingLeft: 28 + row.depth * INDENT }}
      >
        <Icon of={row.open ? ChevronDown : Eye} />
        {plural(row.equal, 'value')} equal
      </div>
    );
  }
  if (row.kind === 'container') {
    return (
      <div
        className={clsx('diff-group diff-container', focused && 'focused')}
        style={{ paddingLeft: 8 + row.depth * INDENT }}
        data-testid="diff-container"
        data-path={shown(row.path)}
      >
        <Icon of={row.open ? ChevronDown : ChevronRight} />
        {shown(row.label)}
        <span className="diff-group-count">{plural(row.changes, 'change')}</span>
      </div>
    );
  }
  if (row.kind === 'change')
    return <DiffRow item={row.item} label={row.label} focused={focused} indent={row.depth * INDENT} />;
  return (
    <div className={clsx('diff-row equal', focused && 'focused')} data-kind="equal" data-path={shown(row.path)}>
      <span className="diff-glyph" aria-hidden="true" />
      <span className="diff-key" title={shown(row.path)}>
        <span className="diff-indent" style={{ paddingLeft: row.depth * INDENT }}>
          {shown(row.label)}
        </span>
      </span>
      <span className="diff-value">{shown(row.text)}</span>
    </div>
  );
}
