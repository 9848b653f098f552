import { lineageKinds } from '@checkpoint-inspector/core';
import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';
import clsx from 'clsx';
import { type CSSProperties, type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react';
import { Skeleton, VirtualList } from '../../../components/index.ts';
import { formatCount } from '../../../lib/format.ts';
import { usePaneSize } from '../camera.ts';
import type { TreeModel } from '../use-tree.ts';
import type { LaneBook, LaneInfo, LaneOrder } from './book.ts';
import { columnX, type Scale, scaleOf } from './LaneDrawing.tsx';
import { LaneLine } from './LaneLine.tsx';
import { type RowLines, rowLines } from './lines.ts';
import { GROUPED_ABOVE, type LaneTableRow, pinnedRows, rowOfLane, rowsSoFar } from './rows.ts';
import { useOnScreen } from './use-lane-book.ts';
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
const HEAD = 36;
const GROUP_ROW = 44;
/** Of the pane, the most that the drawing takes; a narrow pane is all table. */
const DRAWN = 0.4;
/** The same where the table has little room. */
const DRAWN_CLOSE = 0.3;
/** Of its height, the most that main and the forks above the selection take. */
const PINNED = 0.3;
const NARROW = 700;
const TIGHT = 1200;
const CLOSE = 900;
const NARROW_DRAWING = 72;
const WIDE_DRAWING = 460;

/** One row a lane: the drawing and the table share the rows. */
export function LanesView(props: LanesProps) {
  const { store, model, book, order, onOpen, docked = false } = props;
  const pane = useRef<HTMLDivElement>(null);
  const size = usePaneSize(pane);
  const [open, setOpen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const node = model.node?.index;
  const grouped = book.lanes.length > GROUPED_ABOVE;
  const { rows, waitsFor } = useMemo(() => rowsSoFar(book, { order, open, selected: node }), [book, order, open, node]);
  const isReading = waitsFor.length > 0;
  useOnScreen(book, waitsFor);
  const lane = node === undefined ? undefined : book.laneOf[node];
  // A bundle is not a checkpoint, so the address cannot hold it.
  const [cursor, setCursor] = useState<string>();
  const held = cursor === undefined ? -1 : rows.findIndex((row) => row.key === cursor);
  const laneRow = useMemo(() => rowOfLane(rows, lane), [rows, lane]);
  const active = held >= 0 ? held : laneRow;
  const column = columnOf(node, rows[laneRow]);
  const lines = useMemo(() => rowLines(rows, laneRow, column), [rows, laneRow, column]);
  const columns = grouped ? rows.reduce((most, row) => Math.max(most, row.level), 1) : book.axis.length;
  const narrow = size !== undefined && size.width < NARROW;
  const close = size !== undefined && size.width < CLOSE;
  const drawn = Math.min(WIDE_DRAWING, (size?.width ?? 0) * (close ? DRAWN_CLOSE : DRAWN));
  const scale = scaleOf(columns, narrow ? NARROW_DRAWING : drawn, grouped);
  const height = grouped ? GROUP_ROW : ROW;
  const room = Math.floor(((size?.height ?? 0) * PINNED) / height);
  const pinned = useMemo(() => pinning(pinnedRows(rows, active, room), height), [rows, active, room, height]);

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
        reading: isReading,
        tight: size !== undefined && size.width < TIGHT,
        close,
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
        {...(docked ? {} : { pinned })}
        onActive={go}
        onKey={onKey}
        head={<Head book={book} scale={scale} grouped={grouped} narrow={narrow} />}
        rowProps={(row) => ({
          'aria-level': row.level,
          ...(row.open === undefined ? {} : { 'aria-expanded': row.open }),
        })}
        render={(row, index) => (
          <LaneLine
            {...{ row, book, scale, height, grouped, store, narrow }}
            lines={lines[index] ?? NO_LINES}
            active={index === active}
            selected={index === laneRow ? column : undefined}
            onToggle={() => toggle(row)}
            onPress={() => (row.kind === 'bundle' ? toggle(row) : go(index))}
          />
        )}
      />
      {isReading && <Reading lanes={waitsFor} />}
      {!docked && <LanesFoot book={book} grouped={grouped} />}
    </div>
  );
}

/** In the flow of the page, so that the browser itself holds these rows at the top; the others are drawn beneath. */
function pinning(rows: readonly number[], height: number) {
  return {
    options: {
      rangeExtractor: (range: Range) =>
        [...new Set([...rows, ...defaultRangeExtractor(range)])].toSorted((a, b) => a - b),
      scrollPaddingStart: rows.length * height,
    },
    styleOf: (index: number): CSSProperties | undefined => {
      const at = rows.indexOf(index);
      if (at < 0) return undefined;
      const between = at === 0 ? index : index - (rows[at - 1] ?? 0) - 1;
      return { position: 'sticky', zIndex: 1, height, top: HEAD + at * height, marginTop: between * height };
    },
  };
}

/** Where the next rows will be: how far the comparing is. */
function Reading({ lanes }: { readonly lanes: readonly LaneInfo[] }) {
  return (
    <div className="lanes-reading" role="status">
      <p className="muted">
        Comparing {formatCount(lanes.length)} lanes to group them by what differs
        <span aria-hidden="true">: {formatCount(lanes.filter(({ compared }) => compared).length)} done</span>
      </p>
      <Skeleton rows={8} />
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
        {grouped ? 'First difference, or a mark per lane' : 'First difference'}
      </span>
      <span role="columnheader" className="lanes-versus">
        vs main
      </span>
    </div>
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
