import { toggled } from '../../lib/hooks.ts';
import clsx from 'clsx';
import { ChevronDown, ChevronRight, Ellipsis, FileQuestionMark } from 'lucide-react';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { Badge, Icon, LineageMark, StatusIcon, VirtualList } from '../../components/index.ts';
import { formatTime, showId } from '../../lib/format.ts';
import type { LaneBook, LaneInfo } from './lanes/book.ts';
import { LaneName } from './lanes/LaneName.tsx';
import { factsOf } from './node-facts.ts';
import type { TreeModel } from './use-tree.ts';
import { childrenOf, type TreeView } from './view-tree.ts';

interface OutlineProps {
  readonly model: TreeModel;
  readonly book: LaneBook;
  readonly onOpen: () => void;
}

/** As tree.css has it: wider targets on narrow screens. */
const rowHeight = (): number => (window.innerWidth < 800 ? 36 : 28);

/** The tree as a table: the same items, for keys and screen readers. */
export function Outline({ model, book, onOpen }: OutlineProps) {
  const { view, selected } = model;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => outlineRows(view, closed), [view, closed]);
  const infos = useMemo(() => new Map(book.lanes.map((info) => [info.lane.label, info])), [book]);
  const active = useMemo(() => rows.findIndex((row) => row.item === selected), [rows, selected]);
  const toggle = (row: OutlineRow): void => setClosed(toggled(closed, view.items[row.item]?.id ?? ''));
  const go = (index: number): void => model.selectItem(rows[index]?.item ?? -1);
  const onKey = (event: KeyboardEvent<HTMLDivElement>): void => {
    const row = rows[active];
    if (!row || event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const isChain = view.items[row.item]?.kind === 'chain';
    if (event.key === 'Enter' && !isChain) onOpen();
    else if ((event.key === 'Enter' || event.key === 'ArrowRight') && isChain) model.open(row.item);
    else if (event.key === 'ArrowRight' && row.open === false) toggle(row);
    else if (event.key === 'ArrowRight') go(Math.min(active + 1, rows.length - 1));
    else if (event.key === 'ArrowLeft' && row.open) toggle(row);
    else if (event.key === 'ArrowLeft') go(rowAbove(rows, active));
    else return;
    event.preventDefault();
  };
  return (
    <VirtualList
      items={rows}
      keyOf={(row, index) => view.items[row.item]?.id ?? String(index)}
      heightOf={rowHeight}
      label="Fork tree"
      role="treegrid"
      className="tree-outline"
      testId="tree-outline"
      active={active}
      onActive={go}
      onKey={onKey}
      head={
        <div className="tree-outline-head" role="row" aria-rowindex={1}>
          {['Step', 'Lane', 'What changed', 'Parent', 'Saved', 'Id'].map((name) => (
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
        </div>
      }
      rowProps={(row) => {
        const open = view.items[row.item]?.kind === 'chain' ? false : row.open;
        return { 'aria-level': row.level, ...(open === undefined ? {} : { 'aria-expanded': open }) };
      }}
      render={(row) => <OutlineLine {...{ row, model, book, infos, onOpen }} onToggle={toggle} />}
    />
  );
}

interface OutlineLineProps extends OutlineProps {
  readonly row: OutlineRow;
  /** What is known of each lane, by its label. */
  readonly infos: ReadonlyMap<string, LaneInfo>;
  readonly onToggle: (row: OutlineRow) => void;
}

function OutlineLine({ row, model, book, infos, onToggle, onOpen }: OutlineLineProps) {
  const { view, selected } = model;
  const item = view.items[row.item];
  if (item === undefined) return null;
  const facts = factsOf(view, item, model.tellOf);
  const node = view.tree.nodes[item.nodes[0] ?? -1];
  const branch = view.branches[view.branchOf[row.item] ?? -1];
  const lane = infos.get(branch?.name ?? '');
  const isChain = facts.shape === 'chain';
  return (
    <div
      role="presentation"
      className={clsx('tree-line', facts.shape, row.item === selected && 'selected')}
      onClick={() => (isChain ? model.open(row.item) : model.selectItem(row.item))}
      onDoubleClick={isChain ? undefined : onOpen}
    >
      <span role="gridcell" className="tree-step" style={{ paddingLeft: (Math.min(row.level, 12) - 1) * 18 }}>
        {row.open === undefined ? (
          <i />
        ) : (
          <i
            onClick={(event) => {
              event.stopPropagation();
              onToggle(row);
            }}
          >
            <Icon of={row.open ? ChevronDown : ChevronRight} />
          </i>
        )}
        {isChain && <Icon of={Ellipsis} />}
        {facts.shape === 'ghost' && <Icon of={FileQuestionMark} />}
        {facts.number !== '' && <b>{facts.number}</b>}
        {facts.status && <StatusIcon status={facts.status} size={14} />}
        <span className="cut">{facts.title}</span>
        {facts.latest && <Badge tone="solid">latest</Badge>}
      </span>
      <span role="gridcell">{lane ? <LaneName info={lane} book={book} /> : branch?.name}</span>
      <span role="gridcell" className="cut muted">
        {facts.children !== undefined && `${facts.children} · `}
        {facts.shape === 'checkpoint' ? facts.change : facts.second}
      </span>
      <span role="gridcell">{node && node.row && !isChain ? <LineageMark kind={node.kind} word /> : null}</span>
      <span role="gridcell" className="muted">
        {node?.row?.time === undefined || isChain ? '' : formatTime(node.row.time)}
      </span>
      <span role="gridcell" className="data-small muted cut" title={node && showId(node.ref.id)}>
        {isChain || node === undefined ? '' : showId(node.ref.id)}
      </span>
    </div>
  );
}

// The same items as rows of a treegrid: branches hang one level below the checkpoint they fork from.

interface OutlineRow {
  readonly item: number;
  /** 1 for the main lane. */
  readonly level: number;
  /** Branches hang below it: `open` tells whether they are shown. */
  readonly open?: boolean;
}

/** Rows in reading order; branches of items in `closed` are left out. No recursion: a tree may be very deep. */
export function outlineRows(view: TreeView, closed: ReadonlySet<string>): readonly OutlineRow[] {
  const rows: OutlineRow[] = [];
  const stack: { item: number; level: number }[] = [];
  for (let item = view.items.length - 1; item >= 0; item--) {
    if ((view.parentOf[item] ?? -1) < 0) stack.push({ item, level: 1 });
  }
  stack.sort((a, b) => (view.items[b.item]?.lane ?? 0) - (view.items[a.item]?.lane ?? 0));
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { item, level } = at;
    const here = view.items[item];
    const children = childrenOf(view, item);
    const onward = children.find((child) => view.items[child]?.lane === here?.lane);
    const forks = children.filter((child) => child !== onward);
    const open = here !== undefined && !closed.has(here.id);
    rows.push({ item, level, ...(forks.length > 0 ? { open } : {}) });
    if (onward !== undefined) stack.push({ item: onward, level });
    if (open) for (const fork of forks.reverse()) stack.push({ item: fork, level: level + 1 });
  }
  return rows;
}

/** The row of the checkpoint that a row's branch forks from. */
export function rowAbove(rows: readonly OutlineRow[], index: number): number {
  const level = rows[index]?.level ?? 1;
  for (let at = index - 1; at >= 0; at--) {
    if ((rows[at]?.level ?? 1) < level) return at;
  }
  return index;
}
