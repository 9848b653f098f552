import { InspectorError } from '@checkpoint-inspector/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { Button, EmptyState, LinkButton, ListRoute, VirtualList } from '../../components/index.ts';
import { NEXT_PAGE, trashQuery, trashSummaryQuery } from '../../lib/queries.ts';
import { refresh } from '../../lib/refresh.ts';
import { formatCount } from '../../lib/format.ts';
import { api, type TrashSummary } from '../../lib/api.ts';
import { useServerBlock } from '../change/index.tsx';
import { PurgeDialog } from './PurgeDialog.tsx';
import { changesOf, sumWords } from './trashed.ts';
import { TrashedChange } from './TrashedChange.tsx';
import './activity.css';

/** What was deleted or evicted by a change of ours, byte for byte, with the way back. */
export function TrashRoute() {
  const query = useInfiniteQuery(trashQuery());
  const { data, isFetching, hasNextPage, fetchNextPage } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const changes = useMemo(() => changesOf(items), [items]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
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
            {sumWords(summary)}
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
        <EmptyState title="Nothing deleted" action={<LinkButton to="/tasks">Go to tasks</LinkButton>}>
          The trash is empty. Checkpoints that you delete, or that a restore evicts, are kept here so that you can put
          them back.
        </EmptyState>
      ) : (
        <VirtualList
          items={changes}
          keyOf={({ receiptId }) => receiptId}
          heightOf={() => 64}
          measured
          role="list"
          label="Deleted checkpoints"
          className="activity-list"
          onEndReached={() => (hasNextPage && !isFetching ? void fetchNextPage(NEXT_PAGE) : undefined)}
          render={(change) => (
            <TrashedChange
              change={change}
              open={opened.has(change.receiptId)}
              onOpen={(open) => setOpened(withOpen(opened, change.receiptId, open))}
            />
          )}
        />
      )}
    </ListRoute>
  );
}

function withOpen(opened: ReadonlySet<string>, id: string, open: boolean): ReadonlySet<string> {
  const next = new Set(opened);
  if (open) next.add(id);
  else next.delete(id);
  return next;
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
        disabledReason={block ?? (expired.checkpoints === 0 ? 'Nothing has expired.' : undefined)}
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
