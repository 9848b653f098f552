import { formatPath } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { PAGE, pageQuery } from './source.ts';
import { Icon, VirtualList } from '../../components/index.ts';
import { formatCount } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { knownChild, type KnownRow, type TreeRow } from './rows.ts';
import type { ValueTreeState } from './use-tree.ts';
import './value.css';

/** What a tree of values is for: reading or editing. */
export interface Face {
  readonly label: string;
  readonly testId: string;
  readonly className: string;
  readonly rowHeight: number;
  readonly rowClass?: (path: string) => string | false;
  readonly renderCells: (found: KnownRow, row: { readonly open: boolean }) => ReactNode;
  /** Over a row, where it is worked on. */
  readonly renderOver?: (found: KnownRow) => ReactNode;
  /** At the end of the focused row. */
  readonly renderActs: (found: KnownRow) => ReactNode;
  /** True for a key that was taken. */
  readonly onKey?: (event: KeyboardEvent<HTMLDivElement>, found: KnownRow) => boolean;
  readonly onDoubleClick?: (found: KnownRow) => void;
  /** Ctrl C on the focused row, unless text is selected. */
  readonly onCopy?: (found: KnownRow) => void;
}

interface ValueTreeProps {
  readonly tree: ValueTreeState;
  readonly face: Face;
  readonly onPath: (path: string) => void;
}

/** A state as a tree: rows are drawn as they come into view, and read a page at a time. */
export function ValueTree({ tree, face, onPath }: ValueTreeProps) {
  const { rows, active } = tree;
  const onKey = (event: KeyboardEvent<HTMLDivElement>): void => {
    const row = rows[active];
    if (!row || event.target !== event.currentTarget) return;
    const found = row.kind === 'value' ? tree.known(row) : undefined;
    const copies = event.key === 'c' && found !== undefined && getSelection()?.isCollapsed !== false;
    if ((event.ctrlKey || event.metaKey) && copies) face.onCopy?.(found);
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowRight' && !row.open) tree.toggle(row);
    else if (event.key === 'ArrowLeft' && row.open) tree.toggle(row);
    else if (event.key === 'ArrowLeft' && row.parent !== undefined) onPath(row.parent);
    else if (found === undefined || !face.onKey?.(event, found)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <VirtualList
      items={rows}
      keyOf={(row) => row.key}
      heightOf={() => face.rowHeight}
      label={face.label}
      role="tree"
      className={face.className}
      active={active}
      onActive={(index) => {
        const row = rows[index];
        if (row) tree.focus(row);
      }}
      isRow={(row) => row.kind === 'value'}
      onKey={onKey}
      testId={face.testId}
      rowProps={(row) => (row.kind === 'range' ? {} : { 'aria-level': row.depth + 1, ...expanded(tree, row) })}
      render={(row, index) => <ValueRow tree={tree} face={face} row={row} focused={index === active} />}
    />
  );
}

function expanded(tree: ValueTreeState, row: TreeRow): Record<string, boolean> {
  const found = row.kind === 'value' && !row.open ? tree.known(row) : undefined;
  return row.open || isContainer(found) ? { 'aria-expanded': row.open } : {};
}

const isContainer = (found: KnownRow | undefined): boolean =>
  found !== undefined && !found.shadowed && (found.note.count ?? 0) > 0;

interface ValueRowProps {
  readonly tree: ValueTreeState;
  readonly face: Face;
  readonly row: TreeRow;
  readonly focused: boolean;
}

/** One row; what it shows comes with the page of its siblings. */
function ValueRow({ tree, face, row, focused }: ValueRowProps) {
  const { found, error } = useKnown(tree, row);
  const shown = useShown();
  const path = found && formatPath(found.path);
  const opens = row.kind === 'range' || isContainer(found);
  const press = (): void => {
    tree.focus(row);
    if (opens) tree.toggle(row);
  };
  return (
    // The tree around it has the keys; the mouse needs the row itself.
    <div
      role="presentation"
      className={clsx('state-row', focused && 'focused', path !== undefined && face.rowClass?.(path))}
      style={{ paddingLeft: 12 + Math.min(row.depth, 60) * 16 }}
      onClick={press}
      onDoubleClick={() => found && face.onDoubleClick?.(found)}
      data-path={path === undefined ? undefined : shown(path)}
      data-state={found || row.kind === 'range' ? 'ready' : error ? 'error' : 'loading'}
    >
      <span className="state-twisty">{opens && <Icon of={row.open ? ChevronDown : ChevronRight} size={12} />}</span>
      {row.kind === 'range' && (
        <span className="muted">
          {formatCount(row.from)} … {formatCount(row.to - 1)}
        </span>
      )}
      {row.kind === 'value' && found && face.renderCells(found, row)}
      {row.kind === 'value' &&
        !found &&
        (error ? <span className="muted">not read: {error.message}</span> : <i className="value-wait" />)}
      {focused && found && face.renderActs(found)}
      {found && !found.shadowed && face.renderOver?.(found)}
    </div>
  );
}

/** A row that only flies past asks for nothing. */
const REST_MS = 40;

function useKnown(tree: ValueTreeState, row: TreeRow): { found: KnownRow | undefined; error: Error | null } {
  const { source, root } = tree;
  const [rested, setRested] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setRested(true), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  const slot = row.kind === 'value' ? row : undefined;
  const parent = slot?.parent;
  const query = useQuery({
    ...pageQuery(source, parent ?? '$', Math.floor((slot?.place ?? 0) / PAGE)),
    enabled: rested && parent !== undefined,
  });
  if (slot === undefined) return { found: undefined, error: null };
  if (parent === undefined) return { found: root.data && { path: [], note: root.data }, error: null };
  const child = query.data?.children?.[slot.place % PAGE];
  return { found: child && knownChild(parent, child), error: query.error };
}
