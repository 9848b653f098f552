import type { Address, CheckpointRef, SentHistoryRow } from '@checkpoint-inspector/core';
import { isCancelledError, useQuery, useQueryClient } from '@tanstack/react-query';
import { Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button, ErrorState, Kbd, useAwaited } from '../../components/index.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { useRested } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { answerAsked, useAsked } from './ask.ts';
import { firstSet, type HistorySoFar, lastWritten, numberOf, pathHistoryQuery, seriesOf } from './facts.ts';
import { HistoryRows } from './HistoryRows.tsx';
import { Sparkline } from './Sparkline.tsx';
import './path-history.css';

interface PathHistoryProps {
  /** The newest checkpoint of the branch. */
  readonly end: Address;
  /** Checkpoints of the task: a short history is found without being asked for. */
  readonly taskSize: number;
  /** Its states are read one after another, so large ones wait until they are asked for. */
  readonly large: boolean;
  readonly path: string;
  /** The checkpoint in view, and its place on the branch. */
  readonly selected: CheckpointRef;
  /** Checkpoints that came after `end`; the history takes them in when asked. */
  readonly newer: number;
  readonly onNewer: () => void;
  readonly onOpen: (row: SentHistoryRow) => void;
  readonly onPath: (path: string) => void;
}

/** Up to here the answer is there before it is missed. */
const AUTOMATIC = 200;
const REST_MS = 250;

/** Every checkpoint of the branch in which the value changed: when, by which step, from what to what. */
export function PathHistory(props: PathHistoryProps) {
  const { end, taskSize, large, path } = props;
  const asked = useAsked('history', path);
  const [wanted, setWanted] = useState<string>();
  const rested = useRested(path, REST_MS) === path;
  const isAutomatic = taskSize <= AUTOMATIC && !large;
  const started = wanted === path || (isAutomatic && rested);
  // What a person stopped stays stopped, whatever is read again.
  const query = useQuery({
    ...pathHistoryQuery(end, path),
    enabled: ({ state }) => started && !isCancelledError(state.error),
  });
  const section = useRef<HTMLElement>(null);
  const stopped = !query.isFetching && isCancelledError(query.error);
  const { data, isRunning } = useWhole(query, `${end.store}/${end.task} ${path}`, taskSize <= AUTOMATIC);
  const rows = data?.rows ?? [];
  useAwaited(isAutomatic && (isRunning || (!rested && data === undefined)));

  useEffect(() => {
    if (!asked) return;
    setWanted(path);
    const list = section.current?.querySelector<HTMLElement>('[role="listbox"]');
    if (list) list.focus();
    else section.current?.focus();
    // The list takes the focus over as soon as it is there.
    if (list || query.data?.readable !== undefined) answerAsked();
  }, [asked, path, rows.length, query.data?.readable]);

  const { refetch } = query;
  useEffect(() => {
    if (asked && stopped) void refetch();
  }, [asked, stopped, refetch]);

  const start = (): void => {
    setWanted(path);
    void refetch();
  };
  return (
    <section
      ref={section}
      className="section path-history"
      aria-label="History of this value"
      tabIndex={-1}
      data-testid="path-history"
      data-state={
        query.isFetching
          ? 'loading'
          : query.isError && !stopped
            ? 'error'
            : query.data?.readable === undefined
              ? 'idle'
              : 'ready'
      }
    >
      <h3 className="label flex">
        History of this value
        {rows.length > 0 && <span>{formatCount(rows.length)}</span>}
        <span className="end key-hint">
          <Kbd>h</Kbd>
        </span>
      </h3>
      {!query.isFetching && (stopped || query.data === undefined) && !query.isError && !started && !isAutomatic && (
        <Button onClick={start}>Find every change in {plural(taskSize, 'checkpoint')}</Button>
      )}
      {isRunning && <Running so={data} end={end} path={path} />}
      {stopped && (
        <p className="small muted path-line">
          Stopped at {formatCount(query.data?.examined ?? 0)} of {formatCount(query.data?.of ?? 0)}.{' '}
          <button type="button" className="link" onClick={start}>
            Start again
          </button>
        </p>
      )}
      {query.isError && !stopped && (
        <ErrorState error={query.error} title="The history could not be read." onRetry={start} />
      )}
      {data && <Found {...props} data={data} running={isRunning} />}
    </section>
  );
}

/** A short history that goes on, as after each save, keeps the rows of before until it is whole: nothing below it moves. */
function useWhole(
  query: { readonly data: HistorySoFar | undefined; readonly isFetching: boolean },
  place: string,
  isShort: boolean,
): { readonly data: HistorySoFar | undefined; readonly isRunning: boolean } {
  const whole = useRef<{ readonly place: string; readonly data: HistorySoFar }>(undefined);
  const { data, isFetching } = query;
  if (!isFetching && data?.readable !== undefined) whole.current = { place, data };
  const isKept = isFetching && isShort && whole.current?.place === place;
  return isKept ? { data: whole.current?.data, isRunning: false } : { data, isRunning: isFetching };
}

/** How far it is, and the way to stop it. */
function Running({
  so,
  end,
  path,
}: { readonly so: HistorySoFar | undefined } & Pick<PathHistoryProps, 'end' | 'path'>) {
  const client = useQueryClient();
  const { queryKey } = pathHistoryQuery(end, path);
  return (
    <div className="flex path-progress" role="status">
      <span className="small muted">
        {so === undefined || so.of === 0 ? 'Looking…' : `${formatCount(so.examined)} of ${formatCount(so.of)}`}
      </span>
      <Button
        variant="ghost"
        className="end"
        icon={Square}
        onClick={() => {
          answerAsked();
          void client.cancelQueries({ queryKey }, { revert: false });
        }}
      >
        Cancel
      </Button>
    </div>
  );
}

interface FoundProps extends PathHistoryProps {
  readonly data: HistorySoFar;
  readonly running: boolean;
}

function Found({ data, running, path, selected, onOpen, onPath, newer, onNewer }: FoundProps) {
  const { rows, readable, examined, of } = data;
  const length = Math.max(of, (rows[0]?.position ?? 0) + 1);
  const series = running ? undefined : seriesOf(rows, length);
  const shown = useShown();
  const isHidden = series?.runs.some(({ points }) => points.some(({ text }) => shown(text, path) !== text)) === true;
  const last = lastWritten(rows);
  const first = readable === undefined ? undefined : firstSet(rows);
  const shownAt = rows.find(({ ref }) => ref.id === selected.id && ref.namespace === selected.namespace)?.position;
  return (
    <>
      {series && !isHidden && rows.length > 0 && <Sparkline series={series} length={length} shownAt={shownAt} />}
      {rows.length > 0 && (
        <HistoryRows
          rows={rows}
          path={path}
          selected={selected}
          first={first?.certain ? first.row : undefined}
          last={last}
          onOpen={onOpen}
        />
      )}
      {!running && rows.length === 0 && (
        <p className="small muted">No checkpoint on this branch has a value at this path.</p>
      )}
      {first && <Fact name={first.certain ? 'Set here first' : 'Set by then'} row={first.row} />}
      {last && !running && <Fact name="Last written by" row={last} />}
      {!running && <OtherPlaces rows={rows} onPath={onPath} />}
      {!running && readable !== undefined && readable < examined && (
        <p className="small muted path-line">
          {plural(examined - readable, 'state')} of this branch could not be read.
        </p>
      )}
      {newer > 0 && (
        <p className="small muted path-line">
          {plural(newer, 'newer checkpoint')}.{' '}
          <button type="button" className="link" onClick={onNewer}>
            Include {newer === 1 ? 'it' : 'them'}
          </button>
        </p>
      )}
    </>
  );
}

/** `Last written by #07 fetch_revenue, researcher`. */
function Fact({ name, row }: { readonly name: string; readonly row: SentHistoryRow }) {
  const shown = useShown();
  const wrote = row.writtenBy?.join(', ') ?? row.description;
  const by = [wrote, row.agentId].flatMap((text) => (text === undefined ? [] : [shown(text)]));
  return (
    <p
      className="small path-line two-lines"
      title={by.join(', ')}
      data-testid={name === 'Last written by' ? 'last-written' : 'first-set'}
    >
      <span className="muted">{name}</span> <b className="data-small">{numberOf(row)}</b> {by.join(', ')}
    </p>
  );
}

/** A value that came from elsewhere or went there has a history there too. */
function OtherPlaces({
  rows,
  onPath,
}: { readonly rows: readonly SentHistoryRow[] } & Pick<PathHistoryProps, 'onPath'>) {
  const shown = useShown();
  const [newest, oldest] = [rows[0], rows.at(-1)];
  const places = [
    { words: 'Moved to', path: newest?.after === undefined ? newest?.to : undefined },
    { words: 'Came from', path: oldest?.from },
  ];
  return places.map(
    ({ words, path }) =>
      path !== undefined && (
        <p key={words} className="small path-line">
          <span className="muted">{words}</span>{' '}
          <button type="button" className="link data-small" onClick={() => onPath(path)}>
            {shown(path)}
          </button>
        </p>
      ),
  );
}
