import { refAt, type TaskPlace } from '../../lib/address.ts';
import {
  outcomeOf,
  sameRef,
  type Address,
  type CheckpointRef,
  type LineageRow,
  type Task,
} from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Check, ChevronRight } from 'lucide-react';
import { useEffect, useMemo, useState, type ReactNode, type RefObject } from 'react';
import { Badge, Icon, LoadingBar, StatusIcon, VirtualList } from '../../components/index.ts';
import { cutMiddle, formatAge, formatCount, showId, stepNumber } from '../../lib/format.ts';
import { useNow, useRested } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { storesQuery, tasksQuery, treeQuery } from '../../lib/queries.ts';

const ROW = 32;
const MOST_ROWS = 10;

type First = RefObject<() => void>;

interface TaskListProps {
  readonly store: string | undefined;
  readonly text: string;
  readonly first: First;
  readonly onPick: (place: TaskPlace) => void;
}

type TaskRow = { readonly kind: 'store'; readonly label: string } | { readonly kind: 'task'; readonly task: Task };

/** Tasks under their stores. The server looks through all of them. */
export function TaskList({ store, text, first, onPick }: TaskListProps) {
  const wanted = useRested(text.trim());
  const query = { ...(wanted === '' ? {} : { text: wanted }), ...(store === undefined ? {} : { store }) };
  const { data, isFetching } = useQuery(tasksQuery(query));
  const { data: stores } = useQuery(storesQuery());
  const rows = useMemo(
    () =>
      (stores ?? []).flatMap((info): TaskRow[] => {
        const tasks = (data?.items ?? []).filter((task) => task.store === info.id);
        if (tasks.length === 0) return [];
        return [{ kind: 'store', label: info.label }, ...tasks.map((task): TaskRow => ({ kind: 'task', task }))];
      }),
    [stores, data],
  );
  const pick = (row: TaskRow | undefined): void => {
    if (row?.kind === 'task') onPick({ store: row.task.store, task: row.task.id });
  };
  return (
    <PickList
      rows={rows}
      label="Tasks"
      loading={isFetching}
      none={`No tasks match “${text.trim()}”.`}
      first={first}
      keyOf={(row) => (row.kind === 'store' ? `store ${row.label}` : `${row.task.store}/${row.task.id}`)}
      isRow={(row) => row.kind === 'task'}
      onPick={pick}
      render={(row) =>
        row.kind === 'store' ? (
          <span className="label picker-store">{row.label}</span>
        ) : (
          <>
            <StatusIcon status={outcomeOf(row.task)} size={14} />
            <span className="cut grow">{showId(row.task.title)}</span>
            <span className="muted small">
              {formatCount(row.task.checkpointCount)}
              {row.task.atLeast && '+'}
            </span>
            <Icon of={ChevronRight} size={12} />
          </>
        )
      }
    />
  );
}

interface CheckpointListProps extends TaskPlace {
  readonly text: string;
  readonly chosen: Address | undefined;
  readonly first: First;
  readonly onPick: (ref: CheckpointRef) => void;
}

/** All checkpoints of a task, newest first. */
export function CheckpointList({ store, task, text, chosen, first, onPick }: CheckpointListProps) {
  const { data, isFetching } = useQuery(treeQuery(store, task));
  const shown = useShown();
  const now = useNow();
  const rows = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return (data ?? []).filter((row) => wanted === '' || matches(row, wanted)).toSorted((a, b) => b.seq - a.seq);
  }, [data, text]);
  const isChosen = (row: LineageRow): boolean =>
    chosen !== undefined && chosen.store === store && sameRef(chosen, refAt(task, row.id, row.namespace));
  return (
    <PickList
      rows={rows}
      label="Checkpoints, newest first"
      loading={isFetching}
      none={`No checkpoints in this task match “${text.trim()}”.`}
      first={first}
      keyOf={(row) => `${row.namespace ?? ''} ${row.id}`}
      startAt={rows.findIndex(isChosen)}
      onPick={(row) => row && onPick(refAt(task, row.id, row.namespace))}
      render={(row) => (
        <>
          <b className="data picker-number">{stepNumber(row)}</b>
          <StatusIcon status={row.status} size={14} />
          <span className="cut grow" title={showId(row.id)}>
            {row.description === undefined ? cutMiddle(showId(row.id), 24) : shown(row.description)}
            {row.namespace !== undefined && <span className="muted"> {showId(row.namespace)}</span>}
          </span>
          {row.isLatest && <Badge tone="solid">latest</Badge>}
          {isChosen(row) && <Icon of={Check} />}
          <span className="muted small picker-age">{row.time && formatAge(row.time, now)}</span>
        </>
      )}
    />
  );
}

/** By number, name, id or status. */
export function matches(row: LineageRow, wanted: string): boolean {
  const bare = wanted.replace(/^#0*/, '');
  const number = String(row.stepIndex ?? row.seq);
  if (wanted.startsWith('#')) return number === bare;
  return (
    number === wanted ||
    [row.description, row.id, row.namespace, row.status].some((text) => text?.toLowerCase().includes(wanted))
  );
}

interface PickListProps<T> {
  readonly rows: readonly T[];
  readonly label: string;
  readonly loading: boolean;
  readonly none: string;
  readonly first: First;
  readonly keyOf: (row: T) => string;
  readonly isRow?: (row: T) => boolean;
  readonly startAt?: number;
  readonly onPick: (row: T | undefined) => void;
  readonly render: (row: T) => ReactNode;
}

const always = (): boolean => true;

function PickList<T>({
  rows,
  label,
  loading,
  none,
  first,
  keyOf,
  isRow = always,
  startAt = -1,
  onPick,
  render,
}: PickListProps<T>) {
  const start = startAt >= 0 ? startAt : rows.findIndex(isRow);
  const [active, setActive] = useState(start);
  useEffect(() => setActive(start), [start, rows]);
  first.current = () => onPick(rows[active] ?? rows.find(isRow));
  if (rows.length === 0) return loading ? <LoadingBar active /> : <p className="picker-none">{none}</p>;
  return (
    <div className="picker-list" style={{ height: ROW * Math.min(rows.length, MOST_ROWS) }}>
      <VirtualList
        items={rows}
        keyOf={keyOf}
        heightOf={() => ROW}
        label={label}
        active={Math.min(active, rows.length - 1)}
        isRow={isRow}
        onActive={setActive}
        onOpen={(index) => onPick(rows[index])}
        render={(row, index) => (
          // The list has the keys; the mouse needs the row itself.
          <div
            role="presentation"
            className={index === active ? 'picker-row active' : 'picker-row'}
            onClick={() => isRow(row) && onPick(row)}
          >
            {render(row)}
          </div>
        )}
      />
    </div>
  );
}
