import { formatAddress, lineageKinds } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { ChevronDown, ChevronRight, Columns2 } from 'lucide-react';
import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react';
import { Icon, STATUS_WORDS, StatusIcon, VirtualList } from '../../../components/index.ts';
import { toAddress } from '../../../lib/address.ts';
import { formatCount, formatDuration, plural } from '../../../lib/format.ts';
import type { LaneFacts } from '../../../lib/api.ts';
import { useShown } from '../../../lib/masking.ts';
import { lanesQuery } from '../../../lib/queries.ts';
import { usePaneSize } from '../camera.ts';
import { nodeNumber } from '../node-facts.ts';
import type { TreeModel } from '../use-tree.ts';
import { type LaneBook, laneBook, type LaneInfo, type LaneOrder } from './book.ts';
import { columnX, LaneDrawing, type Scale, scaleOf } from './LaneDrawing.tsx';
import { BundleName, LaneName } from './LaneName.tsx';
import { LaneMarks } from './LaneMarks.tsx';
import { OutcomeCounts } from './LanePanel.tsx';
import { type RowLines, rowLines } from './lines.ts';
import { money } from './money.ts';
import { GROUPED_ABOVE, laneRows, type LaneTableRow, rowOfLane } from './rows.ts';
import './lanes.css';

interface LanesProps {
  readonly store: string;
  readonly model: TreeModel;
  readonly book: LaneBook;
  readonly order: LaneOrder;
  readonly onOpen: () => void;
  /** The table alone, below the graph. */
  readonly docked?: boolean;
}

const ROW = 36;
const GROUP_ROW = 44;
/** Of the pane, the most that the drawing takes; a narrow pane is all table. */
const DRAWN = 0.4;
const NARROW = 700;
const TIGHT = 1200;
const CLOSE = 900;
const NARROW_DRAWING = 72;
const WIDE_DRAWING = 460;

/** The lanes and what is known of them by now; names follow while the server compares. */
export function useLaneBook(store: string, { view }: TreeModel): LaneBook {
  const { data } = useQuery(lanesQuery(store, view.task));
  // Groups are made once, of all values: half of them would make others.
  const settled = useRef<readonly LaneFacts[]>([]);
  if (data && (data.complete || data.items.length <= GROUPED_ABOVE)) settled.current = data.items;
  const facts = settled.current;
  return useMemo(() => laneBook(view.tree, facts), [view.tree, facts]);
}

/** One row a lane: the drawing and the table share the rows. */
export function LanesView(props: LanesProps) {
  const { store, model, book, order, onOpen, docked = false } = props;
  const pane = useRef<HTMLDivElement>(null);
  const size = usePaneSize(pane);
  const [open, setOpen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const node = model.node?.index;
  const grouped = book.lanes.length > GROUPED_ABOVE;
  const rows = useMemo(() => laneRows(book, { order, open, selected: node }), [book, order, open, node]);
  const lane = node === undefined ? undefined : book.laneOf[node];
  // A bundle is no checkpoint, so the address cannot hold it.
  const [cursor, setCursor] = useState<string>();
  const held = cursor === undefined ? -1 : rows.findIndex((row) => row.key === cursor);
  const laneRow = useMemo(() => rowOfLane(rows, lane), [rows, lane]);
  const active = held >= 0 ? held : laneRow;
  const column = columnOf(node, rows[laneRow]);
  const lines = useMemo(() => rowLines(rows, laneRow, column), [rows, laneRow, column]);
  const columns = grouped ? rows.reduce((most, row) => Math.max(most, row.level), 1) : book.axis.length;
  const narrow = size !== undefined && size.width < NARROW;
  const scale = scaleOf(columns, narrow ? NARROW_DRAWING : Math.min(WIDE_DRAWING, (size?.width ?? 0) * DRAWN), grouped);
  const height = grouped ? GROUP_ROW : ROW;

  const toggle = (row: LaneTableRow): void => setOpen(new Map(open).set(row.key, !row.open));
  const go = useCallback(
    (index: number) => {
      const row = rows[index];
      if (row?.kind === 'lane') {
        setCursor(undefined);
        model.select(row.info.lane.tip);
      } else setCursor(row?.key);
    },
    [rows, model],
  );
  const onKey = (event: KeyboardEvent<HTMLDivElement>): void => {
    const row = rows[active];
    if (!row || event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && row.kind === 'lane') onOpen();
    else if (event.key === 'Enter') toggle(row);
    else if (event.key === 'ArrowRight' && row.open === false) toggle(row);
    else if (event.key === 'ArrowLeft' && row.open) toggle(row);
    else if (event.key === 'ArrowLeft' && row.parent >= 0) go(row.parent);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={pane}
      className={clsx('lanes', {
        grouped,
        narrow,
        docked,
        tight: size !== undefined && size.width < TIGHT,
        close: size !== undefined && size.width < CLOSE,
      })}
      style={docked ? { height: (rows.length + 1) * ROW + 1 } : undefined}
      data-testid="lanes-view"
    >
      <VirtualList
        items={rows}
        keyOf={(row) => row.key}
        heightOf={() => height}
        label="Lanes"
        role="treegrid"
        className="lanes-list"
        testId="lanes-list"
        active={active}
        onActive={go}
        onKey={onKey}
        head={<Head book={book} scale={scale} grouped={grouped} narrow={narrow} />}
        rowProps={(row) => ({
          'aria-level': row.level,
          ...(row.open === undefined ? {} : { 'aria-expanded': row.open }),
        })}
        render={(row, index) => (
          <Line
            {...{ row, book, scale, height, grouped, store, narrow }}
            lines={lines[index] ?? NO_LINES}
            active={index === active}
            selected={index === laneRow ? column : undefined}
            onToggle={() => toggle(row)}
            onPress={() => (row.kind === 'bundle' ? toggle(row) : go(index))}
          />
        )}
      />
      {!docked && <LanesFoot book={book} grouped={grouped} />}
    </div>
  );
}

const NO_LINES: RowLines = { through: [], down: [], pathThrough: [] };

/** Where the selected checkpoint is in the row that shows it. */
function columnOf(node: number | undefined, row: LaneTableRow | undefined): number | undefined {
  if (node === undefined || row === undefined) return undefined;
  if (row.kind === 'bundle' || row.start === row.end) return row.end;
  return row.info.lane.depth + row.info.lane.nodes.indexOf(node);
}

interface HeadProps {
  readonly book: LaneBook;
  readonly scale: Scale;
  readonly grouped: boolean;
  readonly narrow: boolean;
}

const AXIS_GAP = 72;

function Head({ book, scale, grouped, narrow }: HeadProps) {
  const every = Math.max(1, Math.ceil(AXIS_GAP / Math.max(0.01, scale.step)));
  const marks =
    grouped || narrow ? [] : book.axis.flatMap((text, column) => (column % every === 0 ? [{ text, column }] : []));
  return (
    <div className="lanes-head" role="row" aria-rowindex={1}>
      <span role="columnheader" className="lanes-axis">
        <svg width={scale.width} height={36} aria-hidden="true">
          {marks.map(({ text, column }) => (
            <text
              key={column}
              x={columnX(scale, column)}
              y={22}
              textAnchor={column === 0 ? 'start' : 'middle'}
              dx={column === 0 ? -8 : 0}
            >
              {text}
            </text>
          ))}
        </svg>
        <span className="sr-only">Tree</span>
      </span>
      <span role="columnheader" className="lanes-name">
        Lane, by what differs
      </span>
      <span role="columnheader" className="lanes-outcome">
        Outcome
      </span>
      <span role="columnheader" className="lanes-number">
        Steps
      </span>
      {book.hasCost && (
        <span role="columnheader" className="lanes-number">
          Cost
        </span>
      )}
      {book.hasTime && (
        <span role="columnheader" className="lanes-number">
          Time
        </span>
      )}
      <span role="columnheader" className="lanes-difference">
        {grouped ? 'One mark a lane' : 'First difference'}
      </span>
      <span role="columnheader" className="lanes-versus">
        vs main
      </span>
    </div>
  );
}

interface LineProps {
  readonly row: LaneTableRow;
  readonly book: LaneBook;
  readonly lines: RowLines;
  readonly scale: Scale;
  readonly height: number;
  readonly grouped: boolean;
  readonly narrow: boolean;
  readonly store: string;
  readonly active: boolean;
  readonly selected: number | undefined;
  readonly onToggle: () => void;
  readonly onPress: () => void;
}

function Line({
  row,
  book,
  lines,
  scale,
  height,
  grouped,
  narrow,
  store,
  active,
  selected,
  onToggle,
  onPress,
}: LineProps) {
  const members = row.kind === 'lane' ? [row.info] : row.bundle.lanes;
  return (
    <div className={clsx('lanes-row', active && 'selected')} role="presentation" onClick={onPress} data-kind={row.kind}>
      <span role="gridcell" className="lanes-drawn">
        <LaneDrawing {...{ row, lines, scale, height, grouped, selected }} tree={book.tree} />
        <span className="sr-only">{row.kind === 'lane' ? row.info.lane.label : plural(members.length, 'lane')}</span>
      </span>
      <span
        role="gridcell"
        className="lanes-name"
        style={{ paddingLeft: (Math.min(row.level, 9) - 1) * (narrow ? 8 : 14) }}
      >
        {row.open === undefined || (row.kind === 'lane' && !grouped) ? null : (
          <i
            className="lanes-chevron"
            onClick={(event) => {
              event.stopPropagation();
              onToggle();
            }}
          >
            <Icon of={row.open ? ChevronDown : ChevronRight} />
          </i>
        )}
        {row.kind === 'lane' ? <LaneName info={row.info} book={book} said={row.said} /> : <BundleName row={row} />}
      </span>
      <span role="gridcell" className="lanes-outcome">
        {row.kind === 'lane' ? <Outcome info={row.info} book={book} /> : <OutcomeCounts lanes={members} />}
      </span>
      <span role="gridcell" className="lanes-number">
        {range(members, ({ lane }) => lane.steps, formatCount)}
      </span>
      {book.hasCost && (
        <span role="gridcell" className="lanes-number">
          {sum(
            members,
            ({ cost }) => cost,
            (value) => money(value, book.cents),
          )}
        </span>
      )}
      {book.hasTime && (
        <span role="gridcell" className="lanes-number">
          {sum(members, ({ time }) => time, formatDuration)}
        </span>
      )}
      <span role="gridcell" className="lanes-difference">
        {row.kind === 'bundle' ? <LaneMarks lanes={members} /> : <FirstDifference info={row.info} said={row.said} />}
      </span>
      <span role="gridcell" className="lanes-versus">
        {row.kind === 'lane' && <VersusMain info={row.info} book={book} store={store} />}
      </span>
    </div>
  );
}

function Outcome({ info: { lane }, book }: { readonly info: LaneInfo; readonly book: LaneBook }) {
  const tip = book.tree.nodes[lane.tip];
  return (
    <>
      <StatusIcon status={lane.status} size={14} />
      <span className="cut" aria-hidden="true">
        {STATUS_WORDS[lane.status].toLowerCase()}
        <span className="muted"> {lane.status === 'completed' ? '' : `at ${nodeNumber(tip)}`}</span>
      </span>
    </>
  );
}

function FirstDifference({ info, said }: { readonly info: LaneInfo; readonly said: readonly string[] }) {
  const shown = useShown();
  const first = info.differences.find(({ path }) => !said.includes(path));
  if (info.lane.parent === undefined || first === undefined) return null;
  const { before = 'absent', value = 'absent' } = first;
  return (
    <span className="cut" title={shown(`${first.path}: ${before} → ${value}`)}>
      <span className="lanes-path">{shown(first.path.replace(/^\$\.?/, ''))} </span>
      <span className="muted">{shown(before)} →</span> {shown(value)}
    </span>
  );
}

function VersusMain({
  info,
  book,
  store,
}: {
  readonly info: LaneInfo;
  readonly book: LaneBook;
  readonly store: string;
}) {
  const [main] = book.lanes;
  const [a, b] = [book.tree.nodes[main?.lane.tip ?? -1], book.tree.nodes[info.lane.tip]];
  if (info.lane.ordinal === 0 || !a?.row || !b?.row) return null;
  const label = `Compare ${info.lane.label} with main`;
  return (
    <Link
      to="/compare"
      search={{ a: formatAddress(toAddress(store, a.ref)), b: formatAddress(toAddress(store, b.ref)) }}
      className="btn ghost only-icon sm"
      aria-label={label}
      title={label}
      tabIndex={-1}
      onClick={(event) => event.stopPropagation()}
    >
      <Icon of={Columns2} />
    </Link>
  );
}

const PARENTS = {
  recorded: 'recorded in the store',
  sidecar: 'kept by us',
  inferred: 'inferred from save order',
  none: '',
};

function LanesFoot({ book, grouped }: { readonly book: LaneBook; readonly grouped: boolean }) {
  const kinds = [...lineageKinds(book.tree)];
  return (
    <footer className="lanes-foot">
      <span>
        <i className="key path" /> path to the selection
      </span>
      <span>
        <i className="key fork" /> fork point
      </span>
      {!grouped && (
        <span>
          <i className="key step" /> step
        </span>
      )}
      <span>
        <i className="key pill" /> {grouped ? 'lanes in a group' : 'folded lanes'}
      </span>
      {kinds.length === 1 && kinds[0] && <span className="end">Every parent is {PARENTS[kinds[0]]}</span>}
    </footer>
  );
}

/** One figure, or the least and the most. */
function range(lanes: readonly LaneInfo[], of: (info: LaneInfo) => number, words: (value: number) => string): string {
  const values = lanes.map(of);
  const [least, most] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  return least === most ? words(least) : `${words(least)} to ${words(most)}`;
}

/** Together; a dash where none of them tells it, never 0. */
function sum(
  lanes: readonly LaneInfo[],
  of: (info: LaneInfo) => number | undefined,
  words: (value: number) => string,
): string {
  const values = lanes.flatMap((info) => of(info) ?? []);
  return values.length === 0 ? '–' : words(values.reduce((a, b) => a + b, 0));
}
