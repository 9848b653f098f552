import { type CheckpointRef, refKey, sameRef, type StoreInfo } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowUp, ChevronsDownUp, ChevronsUpDown, Network } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import {
  Button,
  Checkbox,
  EmptyState,
  Icon,
  IconButton,
  LoadingBar,
  QueryError,
  Skeleton,
  Tooltip,
  VirtualList,
} from '../../components/index.ts';
import { addressOf, refOf } from '../../lib/address.ts';
import { isFile } from '../../lib/viewer/page.ts';
import { filesRead, formatCount, plural } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { useRowHeight } from '../../lib/settings.ts';
import type { CheckpointRow } from '../../lib/api.ts';
import { annotationsQuery, NEXT_PAGE } from '../../lib/queries.ts';
import { useMade } from '../change/made.ts';
import { annotationsByRef } from '../notes/use-annotate.ts';
import { FoldRow } from './FoldRow.tsx';
import type { LaneFold } from './folds.ts';
import { HistoryRow } from './HistoryRow.tsx';
import { type History, type HistoryItem, useFresh } from './use-history.ts';
import './history.css';

interface HistoryPaneProps {
  readonly store: string;
  readonly task: string;
  readonly info: StoreInfo | undefined;
  readonly history: History;
  readonly base: CheckpointRef | undefined;
  readonly follow: boolean;
  readonly onFollow: (follow: boolean) => void;
  readonly onSelect: (ref: CheckpointRef) => void;
  /** Stop following and stay on this row. */
  readonly onPause: (row: CheckpointRow) => void;
  readonly onNewest: () => void;
  /** Above the newest row: a step that left no checkpoint. */
  readonly above?: ReactNode;
}

const keyOf = (item: HistoryItem): string =>
  item.kind === 'fold' ? item.fold.key : `${item.row.namespace ?? ''}\n${item.row.id}`;

/** The checkpoints of the task in resume order, with their lanes. */
export function HistoryPane(props: HistoryPaneProps) {
  const { store, task, info, history, base, follow, onFollow, onSelect } = props;
  const { list, rows, items, selected, lanes, laneCount, folds } = history;
  const now = useNow();
  const { data: annotated } = useQuery(annotationsQuery(store, task));
  const annotations = useMemo(() => annotationsByRef(annotated), [annotated]);
  const height = useRowHeight(2);
  const isMade = useMade();
  const fresh = useFresh(`${store}/${task}`, history.read);
  const { hasNextPage, isFetching, fetchNextPage } = list;
  const part = list.data?.pages[0]?.partial;
  const goOn = folds?.more;
  const more = useCallback(() => {
    if (goOn) goOn();
    else if (hasNextPage && !isFetching) void fetchNextPage(NEXT_PAGE);
  }, [goOn, hasNextPage, isFetching, fetchNextPage]);
  const [newer, setNewer] = useState<{ readonly rows: number; readonly show: () => void }>();
  const onAbove = useCallback(
    (pixels: number, show: () => void) => {
      const count = Math.round(pixels / height);
      setNewer(count > 0 ? { rows: count, show } : undefined);
    },
    [height],
  );
  const { active, cursor, setCursor } = useActive(items, selected);
  const pause = (): void => {
    if (follow && selected) props.onPause(selected);
  };
  const tipOf = ({ lanes: [lane] }: LaneFold): CheckpointRef | undefined => history.tree?.nodes[lane?.tip ?? -1]?.ref;
  /** Keys rest on a fold; a checkpoint is selected. */
  const go = (index: number): void => {
    const item = items[index];
    setCursor(item?.kind === 'fold' ? item.fold.key : undefined);
    if (item?.kind === 'row') onSelect(refOf(item.row));
  };
  /** A group opens in place; a lane by itself is shown step by step, with its end selected. */
  const open = (item: HistoryItem | undefined): void => {
    if (item?.kind !== 'fold') return;
    const tip = item.fold.kind === 'lane' ? tipOf(item.fold) : undefined;
    if (tip) onSelect(tip);
    else folds?.toggle(item.fold);
  };
  return (
    <section
      className="pane"
      aria-label="History"
      data-testid="history-pane"
      data-state={list.isPending ? 'loading' : list.isError ? 'error' : 'ready'}
    >
      <LoadingBar active={list.isFetching && !list.isPending} />
      <PaneHead {...{ store, task, history, newer, follow, onFollow }} />
      {part && (
        <p className="history-jumped muted" role="status" data-testid="history-part">
          {filesRead(part)}.
        </p>
      )}
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
      {props.above}
      {/* Whoever scrolls wants to read what is there: following waits. */}
      <div className="history-list" role="presentation" onWheel={pause} onTouchMove={pause}>
        <VirtualList
          key={`${store}/${task} ${history.jumped}`}
          items={items}
          keyOf={keyOf}
          heightOf={() => height}
          label="Checkpoints, latest first"
          active={active}
          onAbove={onAbove}
          onActive={go}
          onOpen={(index) => open(items[index])}
          onEndReached={more}
          testId="history-list"
          onPress={(item) => (item.kind === 'fold' ? open(item) : onSelect(refOf(item.row)))}
          rowProps={(item) => ({
            'data-made': item.kind === 'row' && isMade(addressOf(item.row)) ? '' : undefined,
          })}
          render={(item, index) =>
            item.kind === 'fold' ? (
              history.tree && (
                <FoldRow
                  fold={item.fold}
                  tree={history.tree}
                  name={endingOf(history, tipOf(item.fold))}
                  lane={lanes[index]}
                  lanes={laneCount}
                  active={item.fold.key === cursor}
                  now={now}
                  height={height}
                />
              )
            ) : (
              <HistoryRow
                row={item.row}
                lane={lanes[index]}
                lanes={laneCount}
                ending={history.laneEnding(refOf(item.row))}
                selected={item.row === selected}
                base={base !== undefined && sameRef(base, refOf(item.row))}
                fresh={!item.brief && fresh(item.row)}
                now={now}
                info={info}
                marks={annotations.get(refKey(refOf(item.row)))}
                height={height}
                marked={history.marked}
                ask={item.brief ? history.ask : undefined}
              />
            )
          }
        />
      </div>
      <HistoryFoot history={history} info={info} />
    </section>
  );
}

const endingOf = ({ laneEnding }: History, tip: CheckpointRef | undefined): string | undefined =>
  tip && laneEnding(tip);

/** The row that has the keys: a fold that they rest on, else the selected checkpoint. */
function useActive(items: readonly HistoryItem[], selected: CheckpointRow | undefined) {
  const [rested, setRested] = useState<{ readonly key: string; readonly over: string }>();
  const over = selected ? refKey(refOf(selected)) : '';
  const cursor = rested?.over === over ? rested.key : undefined;
  const at = cursor === undefined ? -1 : items.findIndex((item) => item.kind === 'fold' && item.fold.key === cursor);
  const own = useMemo(() => items.findIndex((item) => item.kind === 'row' && item.row === selected), [items, selected]);
  return {
    active: at >= 0 ? at : own,
    cursor: at >= 0 ? cursor : undefined,
    setCursor: (key: string | undefined) => setRested(key === undefined ? undefined : { key, over }),
  };
}

interface PaneHeadProps extends Pick<HistoryPaneProps, 'store' | 'task' | 'history' | 'follow' | 'onFollow'> {
  /** Rows above those in view. */
  readonly newer: { readonly rows: number; readonly show: () => void } | undefined;
}

function PaneHead({ store, task, history, newer, follow, onFollow }: PaneHeadProps) {
  const { folds } = history;
  return (
    <div className="pane-head">
      <h2>History</h2>
      <span className="muted cut">{countWords(history)}</span>
      {newer && (
        <Button size="sm" variant="ghost" icon={ArrowUp} onClick={newer.show} data-testid="history-newer">
          {formatCount(newer.rows)} newer
        </Button>
      )}
      <span className="flex end history-tools">
        {folds && (
          <IconButton
            label={folds.all ? 'Fold the other lanes' : 'Show every lane step by step'}
            icon={folds.all ? ChevronsDownUp : ChevronsUpDown}
            aria-pressed={folds.all}
            onClick={() => folds.setAll(!folds.all)}
            data-testid="history-fold-all"
          />
        )}
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
        {!isFile() && (
          <span className="btn sm follow">
            <Checkbox checked={follow} onChange={onFollow} kbd="F" testId="follow">
              Follow
            </Checkbox>
          </span>
        )}
      </span>
    </div>
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
}

function HistoryFoot({ history, info }: HistoryFootProps) {
  if (!info) return null;
  const inferred = history.treeRows?.some((row) => row.kind === 'inferred') ?? false;
  const words = history.marked
    ? 'Parents marked ? are inferred from save order.'
    : 'Parents are inferred from save order: the store does not record them.';
  return (
    <footer className="pane-foot history-foot">
      <p>
        <b>Latest</b> by {info.latestRule}.
      </p>
      {inferred && <p className="muted">{words}</p>}
      {info.snapshot !== undefined && <p className="muted">{info.snapshot}</p>}
    </footer>
  );
}
