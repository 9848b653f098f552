import { type CheckpointRef, readableText, type StoreInfo } from '@checkpoint-inspector/core';
import clsx from 'clsx';
import {
  Bookmark,
  FileWarning,
  GitFork,
  Lock,
  type LucideIcon,
  Pencil,
  Pin,
  RotateCcw,
  StickyNote,
} from 'lucide-react';
import { memo, useEffect } from 'react';
import { type BadgeFact, Badges, Icon, StatusIcon } from '../../components/index.ts';
import { refOf } from '../../lib/address.ts';
import { isLocked } from '../../lib/readable.ts';
import { cutMiddle, formatAge, formatCount, formatMinute, formatTime, showId, stepNumber } from '../../lib/format.ts';
import { type Shown, useShown } from '../../lib/masking.ts';
import type { Annotation, CheckpointRow } from '../../lib/api.ts';
import { BOOKMARK } from '../notes/use-annotate.ts';
import { LaneGlyph, laneWidth } from './LaneGlyph.tsx';
import type { LaneRow } from './lanes.ts';

interface HistoryRowProps {
  readonly row: CheckpointRow;
  readonly lane: LaneRow | undefined;
  readonly lanes: number;
  /** The name of the lane that ends here. */
  readonly ending: string | undefined;
  readonly selected: boolean;
  readonly base: boolean;
  readonly fresh: boolean;
  readonly now: number;
  readonly info: StoreInfo | undefined;
  readonly marks?: Annotation | undefined;
  readonly height: number;
  /** Whether each edge shows how its parent is known. */
  readonly marked: boolean;
  /** Where only the tree has told of it: asks for the rest. */
  readonly ask: ((ref: CheckpointRef) => void) | undefined;
}

/** What the step is called: the system's words, else what made the save, else the id. */
export const stepName = (row: CheckpointRow, shown: Shown): string =>
  row.description === undefined ? (row.trigger ?? cutMiddle(showId(row.id), 18)) : shown(row.description);

export const HistoryRow = memo(function HistoryRow(props: HistoryRowProps) {
  const { row, lane, lanes, selected, now, fresh, height } = props;
  const shown = useShown();
  const fact = shown(factOf(row));
  const { ask } = props;
  useEffect(() => ask?.(refOf(row)), [ask, row]);
  return (
    <div
      className={clsx(
        'row-two selectable history-row',
        selected && 'selected',
        fresh && 'fade-in',
        row.problem && 'broken',
      )}
      style={{ paddingLeft: laneWidth(lanes) }}
      data-testid="history-row"
      data-id={row.id}
      data-selected={selected}
    >
      {lane && (
        <LaneGlyph
          row={lane}
          lanes={lanes}
          status={row.status}
          selected={selected}
          broken={row.problem !== undefined}
          height={height}
          marked={props.marked}
        />
      )}
      <span className="line-1">
        <span className="history-number">{stepNumber(row)}</span>
        <RowIcon row={row} />
        <span className="history-name cut" title={showId(row.id)}>
          {stepName(row, shown)}
        </span>
        {props.marks && <Marks marks={props.marks} />}
        <RowBadges {...props} />
        <time className="history-age" dateTime={row.createdAt} title={timeTitle(row)}>
          {ageOf(row, now)}
        </time>
      </span>
      <span className="line-2">
        {props.ending !== undefined && (
          <span className="history-lane cut" title={`End of lane ${shown(props.ending)}`}>
            {shown(props.ending)}
          </span>
        )}
        <span className="history-what cut grow" title={fact}>
          {fact}
        </span>
      </span>
    </div>
  );
});

/** Saves that a person made are told apart from the agent's own. */
const ACTS: Partial<
  Record<NonNullable<CheckpointRow['trigger']>, { readonly icon: LucideIcon; readonly word: string }>
> = {
  fork: { icon: GitFork, word: 'Fork' },
  restore: { icon: RotateCcw, word: 'Restored' },
  edit: { icon: Pencil, word: 'Edited' },
};

function RowIcon({ row }: { readonly row: CheckpointRow }) {
  const act = row.status === 'failed' || row.trigger === undefined ? undefined : ACTS[row.trigger];
  if (!act) return <StatusIcon status={row.status} size={14} />;
  return (
    <span className="history-trigger" title={act.word}>
      <Icon of={act.icon} />
      <span className="sr-only">{act.word}</span>
    </span>
  );
}

/** Two at most; the rest is in the inspector. */
function RowBadges({ row, base, info, lane, marks }: HistoryRowProps) {
  const own = (marks?.labels ?? []).filter((label) => label !== BOOKMARK);
  const facts: readonly (BadgeFact | false)[] = [
    isLocked(row.problem) && { tone: 'warn', icon: Lock, children: 'locked' },
    row.problem?.code === 'unreadable' && { tone: 'warn', icon: FileWarning, children: 'unreadable' },
    row.isLatest && { tone: 'solid', title: info && `Latest by this rule: ${info.latestRule}`, children: 'latest' },
    base && { tone: 'accent', icon: Pin, children: 'base' },
    lane?.parent === 'missing' && {
      tone: 'warn',
      title: 'The parent is no longer in this task',
      children: 'parent missing',
    },
    lane?.parent === 'other-task' && {
      tone: 'quiet',
      title: `The parent is in another task: ${showId(lane.from?.ref.task ?? '')}`,
      children: 'from another task',
    },
    lane?.parent === 'apart' && {
      tone: 'quiet',
      title: 'The line to the parent is left out here; the tree draws it',
      children: `from ${lane.from?.row ? stepNumber(lane.from.row) : cutMiddle(showId(lane.from?.ref.id ?? ''), 12)}`,
    },
    row.lineage === 'sidecar' && {
      title: "The parent is kept in the inspector's journal because the store can't record it",
      children: 'parent: sidecar',
    },
    row.namespace !== undefined &&
      row.namespace !== '' && {
        tone: 'quiet',
        title: `Namespace ${showId(row.namespace)}`,
        children: cutMiddle(showId(row.namespace), 14),
      },
    ...own.map((label) => ({ title: 'Your label', children: showId(label) })),
  ];
  return <Badges facts={facts} most={2} />;
}

/** Why it failed, unless it is called so, else what changed, in the server's words; a row that cannot be read says why. */
export function factOf(row: CheckpointRow): string {
  if (row.problem)
    return row.problem.offset === undefined
      ? row.problem.message
      : `${row.problem.message} (byte ${formatCount(row.problem.offset)})`;
  if (row.error !== undefined && !row.error.startsWith(row.description?.replace(/…$/, '') || ' '))
    return readableText(row.error);
  // That it was still running is said by its icon, as in most rows of a run.
  if (row.summary !== undefined) return row.status === 'failed' ? `failed: ${row.summary}` : row.summary;
  if (row.parentId === undefined) return 'no parent';
  return row.status === 'failed' || row.status === 'running' ? row.status : '';
}

const ageOf = (row: CheckpointRow, now: number): string =>
  row.createdAt === undefined
    ? row.timeBasis === 'local'
      ? formatMinute(row.createdAtText ?? '')
      : ''
    : formatAge(row.createdAt, now);

/** The absolute time, and whose clock it is. */
export function timeTitle(row: CheckpointRow): string {
  if (row.timeBasis === 'none') return 'No time is stored';
  if (row.createdAt === undefined) return `${row.createdAtText ?? ''}, local time`;
  return `${formatTime(row.createdAt)}${row.timeBasis === 'file' ? ', from the file' : ''}`;
}

/** The same on one line, beside a name. @example '2026-01-01 14:24:41, local time' */
export function timeWords(row: CheckpointRow): string {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)/.exec(row.createdAtText ?? '') ?? [];
  return row.timeBasis === 'local' && day !== undefined ? `${day} ${clock}, local time` : timeTitle(row);
}

/** In a row of the history: a bookmark and a note, each by its shape and its word. */
function Marks({ marks }: { readonly marks: Annotation }) {
  const shown = useShown();
  return (
    <>
      {marks.labels.includes(BOOKMARK) && (
        <span className="history-mark" title="Bookmarked" data-testid="bookmarked">
          <Icon of={Bookmark} size={12} />
          <span className="sr-only">Bookmarked</span>
        </span>
      )}
      {marks.note !== undefined && (
        <span className="history-mark" title={shown(marks.note)}>
          <Icon of={StickyNote} size={12} />
          <span className="sr-only">Has a note</span>
        </span>
      )}
    </>
  );
}
