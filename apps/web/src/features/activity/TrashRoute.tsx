import { InspectorError } from '@checkpoint-inspector/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { History, Undo2 } from 'lucide-react';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { EmptyState, ErrorState, LoadingBar, Skeleton } from '../../components/States.tsx';
import { VirtualList } from '../../components/VirtualList.tsx';
import { cutMiddle, formatCount, formatSize, formatTime, plural, showId } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { refresh, storesQuery, trashQuery, trashSummaryQuery } from '../../lib/queries.ts';
import type { TrashItem } from '../../lib/wire.ts';
import { useChangeDialog, useServerBlock } from '../change/index.tsx';
import { PurgeDialog } from './PurgeDialog.tsx';
import { api } from '../../lib/api.ts';
import './activity.css';

/** What was deleted or evicted by a change of ours, byte for byte, with the way back. */
export function TrashRoute() {
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(trashQuery());
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const together = useMemo(() => countByReceipt(items), [items]);
  const { data: summary } = useQuery(trashSummaryQuery());
  const block = useServerBlock();
  const [purging, setPurging] = useState<'expired' | 'all'>();
  return (
    <section className="activity" aria-label="Trash" data-testid="trash">
      <header className="activity-head">
        <h1>Trash</h1>
        {summary !== undefined && summary.checkpoints > 0 && (
          <span className="muted" data-testid="trash-size">
            {plural(summary.checkpoints, 'checkpoint')}, {formatSize(summary.bytes)}, kept byte for byte
          </span>
        )}
        <Link to="/activity" className="btn end">
          <Icon of={History} />
          Activity
        </Link>
      </header>
      {summary !== undefined && (
        <div className="trash-bar">
          <KeepFor key={summary.keepDays} days={summary.keepDays} block={block} />
          <span className="end" />
          <Button
            onClick={() => setPurging('expired')}
            disabledReason={block ?? (summary.expired.checkpoints === 0 ? 'Nothing is expired.' : undefined)}
          >
            Purge expired{summary.expired.checkpoints === 0 ? '' : ` (${formatCount(summary.expired.checkpoints)})`}…
          </Button>
          <Button
            onClick={() => setPurging('all')}
            disabledReason={block ?? (summary.checkpoints === 0 ? 'The trash is empty.' : undefined)}
          >
            Empty trash…
          </Button>
        </div>
      )}
      {purging !== undefined && <PurgeDialog expired={purging === 'expired'} onClose={() => setPurging(undefined)} />}
      <div className="activity-body">
        <LoadingBar active={isFetching && data !== undefined} />
        {error !== null && data === undefined && (
          <ErrorState error={error} title="The trash could not be read." onRetry={() => void refetch()} />
        )}
        {error === null && data === undefined && <Skeleton rows={6} />}
        {data !== undefined && items.length === 0 && (
          <EmptyState
            action={
              <Link to="/tasks" className="btn">
                Go to tasks
              </Link>
            }
          >
            The trash is empty. What you delete here, and what a restore evicts, is kept in it so that it can be put
            back.
          </EmptyState>
        )}
        {items.length > 0 && (
          <VirtualList
            items={items}
            keyOf={(item) => `${item.receiptId} ${item.ref.task} ${item.ref.namespace ?? ''} ${item.ref.id}`}
            heightOf={() => 56}
            measured
            role="list"
            label="Deleted checkpoints"
            className="activity-list"
            onEndReached={() => (hasNextPage && !isFetching ? void fetchNextPage() : undefined)}
            render={(item) => <TrashRow item={item} others={(together.get(item.receiptId) ?? 1) - 1} />}
          />
        )}
      </div>
    </section>
  );
}

function countByReceipt(items: readonly TrashItem[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item.receiptId, (counts.get(item.receiptId) ?? 0) + 1);
  return counts;
}

/** `others`: checkpoints that the same change removed, and that come back with this one. */
function TrashRow({ item, others }: { readonly item: TrashItem; readonly others: number }) {
  const { undo } = useChangeDialog();
  const now = useNow(60_000);
  const { data: stores } = useQuery(storesQuery());
  const label = stores?.find((info) => info.id === item.store)?.label ?? item.store;
  return (
    <article className="activity-row trash-row" data-testid="trash-item">
      <div className="activity-text">
        <p className="activity-line">
          <b className="data" title={showId(item.ref.id)}>
            {cutMiddle(showId(item.ref.id), 32)}
          </b>
          <span>
            of{' '}
            <Link to="/t/$store/$task" params={{ store: item.store, task: item.ref.task }} className="link">
              {showId(item.ref.task)}
            </Link>{' '}
            <span className="muted">{label}</span>
          </span>
        </p>
        {item.what !== item.ref.id && <p className="activity-done">{showId(item.what)}</p>}
      </div>
      <span className="trash-size">{item.sizeBytes === undefined ? '' : formatSize(item.sizeBytes)}</span>
      <time className="muted" dateTime={item.deletedAt}>
        {formatTime(item.deletedAt)}
        <span className="trash-expiry">{expiryText(item.expiresAt, now)}</span>
      </time>
      <div className="activity-undo">
        <Button
          icon={Undo2}
          onClick={() => void undo(item.receiptId)}
          disabledReason={item.restorable === true ? undefined : item.restorable}
        >
          Put back
        </Button>
        {others > 0 && <span className="muted small">with {plural(others, 'other')} of the same change</span>}
      </div>
    </article>
  );
}

/** From when on trash is offered for purging. Nothing is purged by itself. */
function KeepFor({ days, block }: { readonly days: number; readonly block: string | undefined }) {
  const id = useId();
  const client = useQueryClient();
  const [text, setText] = useState(String(days));
  const keep = useMutation({ mutationFn: (value: number) => api.keepTrash(value), onSuccess: () => refresh(client) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (block === undefined) keep.mutate(Number(text));
  };
  const changed = text.trim() !== String(days);
  return (
    <form className="keep-for" onSubmit={submit}>
      <label htmlFor={id}>Keep for</label>
      <input
        id={id}
        type="text"
        inputMode="numeric"
        value={text}
        autoComplete="off"
        aria-invalid={keep.isError}
        onChange={(event) => setText(event.target.value)}
      />
      <span className="muted">days, then offer for purging</span>
      {changed && (
        <Button type="submit" disabledReason={block}>
          Set
        </Button>
      )}
      {keep.isError && (
        <span role="alert" className="small">
          {InspectorError.from(keep.error).message}
        </span>
      )}
    </form>
  );
}

/** How long something in the trash is still kept, in words. */
const DAY_MS = 24 * 60 * 60 * 1000;

/** @example expiryText('2026-02-01T00:00:00Z', now) // 'kept 12 more days' */
export function expiryText(expiresAt: string, now: number): string {
  const days = (Date.parse(expiresAt) - now) / DAY_MS;
  if (days <= 0) return 'expired, kept until you purge it';
  const whole = Math.ceil(days);
  return whole === 1 ? 'kept 1 more day' : `kept ${whole} more days`;
}
