import { type CheckpointRef, refKey, sameRef, type StoreInfo } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowUp, Network } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import {
  Button,
  Checkbox,
  EmptyState,
  Icon,
  LoadingBar,
  QueryError,
  Skeleton,
  Tooltip,
  VirtualList,
} from '../../components/index.ts';
import { addressOf, refOf } from '../../lib/address.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { useRowHeight } from '../../lib/settings.ts';
import type { CheckpointRow } from '../../lib/api.ts';
import { annotationsQuery } from '../../lib/queries.ts';
import { useMade } from '../change/made.ts';
import { annotationsByRef } from '../notes/use-annotate.ts';
import { HistoryRow } from './HistoryRow.tsx';
import { type History, useFresh } from './use-history.ts';
import './history.css';

interface HistoryPaneProps {
  readonly store: string;
  readonly task: string;
  readonly info: StoreInfo | undefined;
  readonly history: History;
  readonly base: CheckpointRef | undefined;
  readonly follow: boolean;
  readonly onFollow: (follow: boolean) => void;
  readonly onSelect: (row: CheckpointRow) => void;
  /** Stop following and stay on this row. */
  readonly onPause: (row: CheckpointRow) => void;
  readonly onNewest: () => void;
  /** Said first in the foot. */
  readonly note?: ReactNode;
}

const keyOf = (row: CheckpointRow): string => `${row.namespace ?? ''}\n${row.id}`;

/** The checkpoints of the task in resume order, with their lanes. */
export function HistoryPane(props: HistoryPaneProps) {
  const { store, task, info, history, base, follow, onFollow, onSelect } = props;
  const { list, rows, selected, lanes, laneCount } = history;
  const now = useNow();
  const { data: annotated } = useQuery(annotationsQuery(store, task));
  const annotations = useMemo(() => annotationsByRef(annotated), [annotated]);
  const height = useRowHeight(2);
  const isMade = useMade();
  const fresh = useFresh(`${store}/${task}`, rows);
  const mostBytes = useMemo(() => Math.max(1, ...rows.map((row) => row.sizeBytes)), [rows]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const [newer, setNewer] = useState<{ readonly rows: number; readonly show: () => void }>();
  const onAbove = useCallback(
    (pixels: number, show: () => void) => {
      const count = Math.round(pixels / height);
      setNewer(count > 0 ? { rows: count, show } : undefined);
    },
    [height],
  );
  const active = selected ? rows.indexOf(selected) : -1;
  const pause = (): void => {
    if (follow && selected) props.onPause(selected);
  };
  const select = (index: number): void => {
    const row = rows[index];
    if (row) onSelect(row);
  };
  return (
    <section
      className="pane"
      aria-label="History"
      data-testid="history-pane"
      data-state={list.isPending ? 'loading' : list.isError ? 'error' : 'ready'}
    >
      <LoadingBar active={list.isFetching && !list.isPending} />
      <div className="pane-head">
        <h2>History</h2>
        <span className="muted cut">{countWords(history)}</span>
        {newer && (
          <Button size="sm" variant="ghost" icon={ArrowUp} onClick={newer.show} data-testid="history-newer">
            {formatCount(newer.rows)} newer
          </Button>
        )}
        <span className="flex end history-tools">
          <Tooltip text="Tree of this task">
            <Link
              className="btn ghost only-icon"
              to="/t/$store/$task/tree"
              params={{ store, task }}
              search={{}}
              aria-label="Tree"
              data-testid="open-tree"
            >
              <Icon of={Network} size={16} />
            </Link>
          </Tooltip>
          <span className="btn sm follow">
            <Checkbox checked={follow} onChange={onFollow} kbd="F" testId="follow">
              Follow
            </Checkbox>
          </span>
        </span>
      </div>
      {history.jumped && (
        <div className="history-jumped">
          <span className="muted">Newer checkpoints are not listed.</span>
          <Button size="sm" variant="ghost" onClick={props.onNewest}>
            To the newest
          </Button>
        </div>
      )}
      {list.isPending && <Skeleton rows={9} />}
      <QueryError query={list} title="The history could not be read." />
      {list.isSuccess && rows.length === 0 && (
        <EmptyState>
          This task has no checkpoint in {info?.label ?? store}. The first one appears here as soon as it is saved.
        </EmptyState>
      )}
      {/* Whoever scrolls wants to read what is there: following waits. */}
      <div className="history-list" role="presentation" onWheel={pause} onTouchMove={pause}>
        <VirtualList
          key={`${store}/${task} ${history.jumped}`}
          items={rows}
          keyOf={keyOf}
          heightOf={() => height}
          label="Checkpoints, latest first"
          active={active}
          onAbove={onAbove}
          onActive={select}
          onEndReached={more}
          testId="history-list"
          onPress={onSelect}
          rowProps={(row) => ({ 'data-made': isMade(addressOf(row)) ? '' : undefined })}
          render={(row, index) => (
            <HistoryRow
              row={row}
              lane={lanes[index]}
              lanes={laneCount}
              selected={index === active}
              base={base !== undefined && sameRef(base, refOf(row))}
              fresh={fresh(row)}
              now={now}
              mostBytes={mostBytes}
              info={info}
              marks={annotations.get(refKey(refOf(row)))}
              height={height}
              marked={history.marked}
            />
          )}
        />
      </div>
      <HistoryFoot history={history} info={info} note={props.note} />
    </section>
  );
}

/** Counts over the whole task, where the tree is known. */
function countWords({ treeRows, rows, lanesInAll, list }: History): string {
  if (!list.isSuccess) return '';
  const count = treeRows?.length ?? rows.length;
  const some = treeRows === undefined && list.hasNextPage ? `${formatCount(rows.length)} of more` : formatCount(count);
  return lanesInAll > 1 ? `${some} in ${plural(lanesInAll, 'lane')}` : some;
}

/** The rule behind "latest", and how the parents are known. */
interface HistoryFootProps {
  readonly history: History;
  readonly info: StoreInfo | undefined;
  readonly note: ReactNode;
}

function HistoryFoot({ history, info, note }: HistoryFootProps) {
  if (!info) return null;
  const inferred = history.treeRows?.some((row) => row.kind === 'inferred') ?? false;
  const words = history.marked
    ? 'Parents marked ? are inferred from save order.'
    : 'Parents are inferred from save order: the store does not record them.';
  return (
    <footer className="pane-foot history-foot">
      {note}
      <p>
        <b>Latest</b> by {info.latestRule}.
      </p>
      {inferred && <p className="muted">{words}</p>}
      {info.snapshot !== undefined && <p className="muted">{info.snapshot}</p>}
    </footer>
  );
}
