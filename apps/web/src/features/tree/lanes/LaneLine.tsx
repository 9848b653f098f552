import { formatAddress } from '@checkpoint-inspector/core';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { ChevronDown, ChevronRight, Columns2 } from 'lucide-react';
import { Icon, STATUS_WORDS, StatusIcon } from '../../../components/index.ts';
import { toAddress } from '../../../lib/address.ts';
import { formatCents, formatCount, formatDuration, plural } from '../../../lib/format.ts';
import { useShown } from '../../../lib/masking.ts';
import { nodeNumber } from '../node-facts.ts';
import type { LaneBook, LaneInfo } from './book.ts';
import { LaneDrawing, type Scale } from './LaneDrawing.tsx';
import { LaneMarks } from './LaneMarks.tsx';
import { BundleName, LaneName } from './LaneName.tsx';
import { OutcomeCounts } from './LanePanel.tsx';
import type { RowLines } from './lines.ts';
import type { LaneTableRow } from './rows.ts';

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

/** One row of the lanes: its part of the drawing, then the table. */
export function LaneLine({
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
            (value) => formatCents(value, book.cents),
            book,
          )}
        </span>
      )}
      {book.hasTime && (
        <span role="gridcell" className="lanes-number">
          {sum(members, ({ time }) => time, formatDuration, book)}
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

function Outcome({ info: { lane, error }, book }: { readonly info: LaneInfo; readonly book: LaneBook }) {
  const shown = useShown();
  const word = STATUS_WORDS[lane.status].toLowerCase();
  const at = lane.status === 'completed' ? undefined : `at ${nodeNumber(book.tree.nodes[lane.tip])}`;
  return (
    <>
      <StatusIcon status={lane.status} size={14} />
      {error === undefined ? (
        <span className="cut" aria-hidden="true">
          {word} {at && <span className="muted">{at}</span>}
        </span>
      ) : (
        <span className="cut" title={`${word} ${at ?? ''}: ${shown(error)}`}>
          {shown(error)}
        </span>
      )}
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
      to="/compare/runs"
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

/** One figure, or the least and the most. */
function range(lanes: readonly LaneInfo[], of: (info: LaneInfo) => number, words: (value: number) => string): string {
  const values = lanes.map(of);
  const [least, most] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  return least === most ? words(least) : `${words(least)} to ${words(most)}`;
}

/** Together; a dash where none of them tells it, never 0; nothing until it is known. */
function sum(
  lanes: readonly LaneInfo[],
  of: (info: LaneInfo) => number | undefined,
  words: (value: number) => string,
  { isCounted }: LaneBook,
): string {
  const values = lanes.flatMap((info) => of(info) ?? []);
  if (!isCounted) return '';
  return values.length === 0 ? '–' : words(values.reduce((a, b) => a + b, 0));
}
