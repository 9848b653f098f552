import {
  fromWhereTheyDiffer,
  sameRef,
  type CheckpointRef,
  type EntriesChange,
  type SentHistoryRow,
} from '@checkpoint-inspector/core';
import clsx from 'clsx';
import { useEffect, useState, type ReactNode } from 'react';
import { VirtualList } from '../../components/index.ts';
import { formatAge, formatTime, plural, previewJson, shownHead } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { useShown, useShownJson, type Shown } from '../../lib/masking.ts';
import { relative, stepsOf } from '../diff/groups.ts';
import { beside, HISTORY_MARKS, numberOf } from './facts.ts';

const ROW = 44;
const MOST_ROWS = 7;
const VALUE = 60;
/** Of the old text, where only the rest of both is shown: the new one has to have room beside it. */
const REST = 14;

interface HistoryRowsProps {
  readonly rows: readonly SentHistoryRow[];
  readonly path: string;
  readonly selected: CheckpointRef | undefined;
  /** Rows that tell more than that the value changed. */
  readonly first: SentHistoryRow | undefined;
  readonly last: SentHistoryRow | undefined;
  readonly onOpen: (row: SentHistoryRow) => void;
}

/** Newest first; arrows move, Enter opens what the step changed. */
export function HistoryRows({ rows, path, selected, first, last, onOpen }: HistoryRowsProps) {
  const here = rows.findIndex((row) => selected !== undefined && sameRef(row.ref, selected));
  const [active, setActive] = useState(Math.max(0, here));
  useEffect(() => {
    if (here >= 0) setActive(here);
  }, [here]);
  const now = useNow();
  const open = (index: number): void => {
    const row = rows[index];
    if (row) onOpen(row);
  };
  return (
    <div className="path-rows" style={{ height: ROW * Math.min(rows.length, MOST_ROWS) }}>
      <VirtualList
        items={rows}
        keyOf={(row) => `${row.position} ${row.kind}`}
        heightOf={() => ROW}
        label="History of this value, newest first"
        active={Math.min(active, rows.length - 1)}
        onActive={setActive}
        onOpen={open}
        testId="path-history-rows"
        onPress={onOpen}
        render={(row, index) => (
          <Row
            row={row}
            path={path}
            shownHere={index === here}
            active={index === active}
            now={now}
            note={noteOf(row, first, last)}
          />
        )}
      />
    </div>
  );
}

/** Kinds whose words are on the screen; the others have only their glyph. */
const SAID: ReadonlySet<SentHistoryRow['kind']> = new Set(['set', 'removed', 'gap']);

function noteOf(
  row: SentHistoryRow,
  first: SentHistoryRow | undefined,
  last: SentHistoryRow | undefined,
): string | undefined {
  if (row === first) return 'set here first';
  return row === last ? 'last written' : undefined;
}

interface RowProps {
  readonly row: SentHistoryRow;
  readonly path: string;
  readonly shownHere: boolean;
  readonly active: boolean;
  readonly now: number;
  readonly note: string | undefined;
}

function Row({ row, path, shownHere, active, now, note }: RowProps) {
  const shown = useShown();
  const shownJson = useShownJson();
  const { glyph, word, tone } = HISTORY_MARKS[row.kind];
  const wrote = row.writtenBy?.join(', ') ?? row.description;
  const who = [wrote && shown(wrote), row.agentId && shown(row.agentId)].filter(Boolean).join(' · ');
  return (
    <div
      className={clsx('path-row', tone, shownHere && 'here', active && 'active')}
      data-testid="path-history-row"
      data-kind={row.kind}
      data-id={row.ref.id}
    >
      <span className="path-glyph" aria-hidden="true">
        {glyph}
      </span>
      <span className="path-number data">{numberOf(row)}</span>
      <span
        className="path-what cut"
        title={row.to === undefined && row.from === undefined ? undefined : shown(row.to ?? row.from ?? '')}
      >
        {SAID.has(row.kind) ? undefined : <span className="sr-only">{word} </span>}
        {valueWords(row, path, shownJson)}
      </span>
      <time className="path-age" dateTime={row.time} title={row.time && formatTime(row.time)}>
        {row.time && formatAge(row.time, now)}
      </time>
      <span className="path-who cut" title={who}>
        {row.kind === 'gap' ? row.gap && shown(row.gap.message) : who}
        {note !== undefined && (
          <>
            {who !== '' && ' · '}
            {note}
          </>
        )}
      </span>
    </div>
  );
}

/** `4.2 → 4200`; the new value stands out. */
function valueWords(row: SentHistoryRow, path: string, shown: Shown): ReactNode {
  const { kind, before, after, from, to, gap, within } = row;
  const value = (text: string | undefined): ReactNode => (
    <span className="data">{text === undefined ? 'nothing' : shownHead(shown, text, VALUE, path)}</span>
  );
  if (gap) return gapWords(row, value);
  if (kind === 'set') return <>set to {value(after)}</>;
  if (kind === 'removed') return <>removed, was {value(before)}</>;
  if (kind === 'moved' && to !== undefined)
    return (
      <>
        to <span className="data">{shown(beside(to, path))}</span>
      </>
    );
  if (kind === 'moved')
    return (
      <>
        here from <span className="data">{shown(beside(from ?? '', path))}</span>
      </>
    );
  if (within !== undefined) return withinWords(within, after, path, shown);
  return bothWords(row, path, shown);
}

function bothWords(sent: Parameters<typeof fromWhereTheyDiffer>[0], path: string, shown: Shown): ReactNode {
  const [old, now] = fromWhereTheyDiffer(sent, (text) => shown(text, path));
  return (
    <>
      <span className="data">{previewJson(old, old.startsWith('…') ? REST : VALUE)}</span>
      <span className="path-to"> → </span>
      <b className="data">{previewJson(now, VALUE)}</b>
    </>
  );
}

/** `3 items → 4 items`, or what became of one of them: there is no room for both values. */
function withinWords(
  { before, after, differences = 1, first }: EntriesChange,
  text: string | undefined,
  path: string,
  shown: Shown,
): ReactNode {
  const words = (count: number): string => plural(count, text?.startsWith('[') ? 'item' : 'key');
  if (before !== after || first === undefined)
    return (
      <>
        {words(before)}
        <span className="path-to"> → </span>
        <b>{words(after)}</b>
      </>
    );
  return (
    <>
      <span className="data muted">{shown(relative(stepsOf(first.path)))}</span>{' '}
      {differenceWords(first, path + first.path.slice(1), shown)}
      {differences > 1 && `, and ${differences - 1} more`}
    </>
  );
}

function differenceWords(first: NonNullable<EntriesChange['first']>, path: string, shown: Shown): ReactNode {
  const { kind, after } = first;
  if (kind === 'moved' || kind === 'removed') return kind;
  if (kind === 'changed' || kind === 'type-changed') return bothWords(first, path, shown);
  return (
    <>
      added <span className="data">{shownHead(shown, after ?? '', VALUE, path)}</span>
    </>
  );
}

function gapWords({ gap, before, after }: SentHistoryRow, value: (text: string | undefined) => ReactNode): ReactNode {
  const states = plural(gap?.count ?? 1, 'state');
  if (gap?.sides === 'same') return <>{states} not readable, same value after it</>;
  if (gap?.sides === 'unknown') return <>{states} not readable</>;
  return (
    <>
      changed in {states} not readable: {value(before)} → <b>{value(after)}</b>
    </>
  );
}
