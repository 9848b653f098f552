import { InspectorError } from '@checkpoint-inspector/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { History, Undo2 } from 'lucide-react';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { Button, EmptyState, LinkButton, ListRoute, VirtualList } from '../../components/index.ts';
import { refresh, trashQuery, trashSummaryQuery, useStoreLabel } from '../../lib/queries.ts';
import { taskPage } from '../../lib/address.ts';
import { cutMiddle, formatCount, formatSize, formatTime, plural, showId } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { api, type TrashItem, type TrashSummary } from '../../lib/api.ts';
import { useChangeDialog, useServerBlock } from '../change/index.tsx';
import { PurgeDialog } from './PurgeDialog.tsx';
import './activity.css';

/** What was deleted or evicted by a change of ours, byte for byte, with the way back. */
export function TrashRoute() {
  const query = useInfiniteQuery(trashQuery());
  const { data, isFetching, hasNextPage, fetchNextPage } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const together = useMemo(() => countByReceipt(items), [items]);
  const { data: summary } = useQuery(trashSummaryQuery());
  const [purging, setPurging] = useState<'expired' | 'all'>();
  return (
    <ListRoute
      title="Trash"
      testId="trash"
      query={query}
      failed="The trash could not be read."
      skeleton={[6, 44]}
      said={
        summary !== undefined &&
        summary.checkpoints > 0 && (
          <span className="muted" data-testid="trash-size">
            {plural(summary.checkpoints, 'checkpoint')}, {formatSize(summary.bytes)}, kept byte for byte
          </span>
        )
      }
      tools={
        <LinkButton to="/activity" icon={History}>
          Activity
        </LinkButton>
      }
      bar={
        <>
          {summary && <TrashBar summary={summary} onPurge={setPurging} />}
          {purging && <PurgeDialog expired={purging === 'expired'} onClose={() => setPurging(undefined)} />}
        </>
      }
    >
      {items.length === 0 ? (
        <EmptyState action={<LinkButton to="/tasks">Go to tasks</LinkButton>}>
          The trash is empty. What you delete here, and what a restore evicts, is kept in it so that it can be put back.
        </EmptyState>
      ) : (
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
    </ListRoute>
  );
}

interface TrashBarProps {
  readonly summary: TrashSummary;
  readonly onPurge: (which: 'expired' | 'all') => void;
}

function TrashBar({ summary: { keepDays, checkpoints, expired }, onPurge }: TrashBarProps) {
  const block = useServerBlock();
  return (
    <div className="trash-bar">
      <KeepFor key={keepDays} days={keepDays} block={block} />
      <span className="end" />
      <Button
        onClick={() => onPurge('expired')}
        disabledReason={block ?? (expired.checkpoints === 0 ? 'Nothing is expired.' : undefined)}
      >
        Purge expired{expired.checkpoints === 0 ? '' : ` (${formatCount(expired.checkpoints)})`}…
      </Button>
      <Button
        onClick={() => onPurge('all')}
        disabledReason={block ?? (checkpoints === 0 ? 'The trash is empty.' : undefined)}
      >
        Empty trash…
      </Button>
    </div>
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
  const label = useStoreLabel(item.store);
  return (
    <article className="activity-row trash-row" data-testid="trash-item">
      <div className="activity-text">
        <p className="activity-line">
          <b className="data" title={showId(item.ref.id)}>
            {cutMiddle(showId(item.ref.id), 32)}
          </b>
          <span>
            of{' '}
            <Link {...taskPage(item.store, item.ref.task)} className="link">
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

const DAY_MS = 24 * 60 * 60 * 1000;

/** @example expiryText('2026-02-01T00:00:00Z', now) // 'kept 12 more days' */
export function expiryText(expiresAt: string, now: number): string {
  const days = (Date.parse(expiresAt) - now) / DAY_MS;
  if (days <= 0) return 'expired, kept until you purge it';
  const whole = Math.ceil(days);
  return whole === 1 ? 'kept 1 more day' : `kept ${whole} more days`;
}
