import type { Receipt } from '@checkpoint-inspector/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Bot, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { EmptyState, LinkButton, ListRoute, VirtualList } from '../../components/index.ts';
import { formatCount } from '../../lib/format.ts';
import { useMedia } from '../../lib/hooks.ts';
import { activityQuery, NEXT_PAGE } from '../../lib/queries.ts';
import { ActivityAside } from './ReceiptDetail.tsx';
import { ReceiptRow } from './ReceiptRow.tsx';
import './activity.css';

/** Every change that was made from here, newest first, each with its proof and its way back. */
export function ActivityRoute() {
  const query = useInfiniteQuery(activityQuery());
  const { data, isFetching, hasNextPage, fetchNextPage } = query;
  const receipts = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const wide = useMedia('(min-width: 1200px)');
  const [chosen, setChosen] = useState<string>();
  const selected = receipts.find(({ id }) => id === chosen) ?? receipts[0];
  return (
    <ListRoute
      title="Activity"
      testId="activity"
      query={query}
      failed="The list of changes could not be read."
      skeleton={[6, 44]}
      said={
        receipts.length > 0 && (
          <span className="muted">
            {formatCount(receipts.length)}
            {hasNextPage ? ' or more' : ''} {receipts.length === 1 ? 'change' : 'changes'}, newest first
          </span>
        )
      }
      tools={
        <>
          <LinkButton to="/agents" icon={Bot}>
            Agents
          </LinkButton>
          <LinkButton to="/trash" icon={Trash2}>
            Trash
          </LinkButton>
        </>
      }
    >
      <div className="activity-panes">
        {receipts.length === 0 ? (
          <EmptyState title="No changes yet" action={<LinkButton to="/tasks">Go to tasks</LinkButton>}>
            Nothing was restored, forked or deleted from here yet. Every change appears here, with its proof and a way
            to undo it.
          </EmptyState>
        ) : (
          <VirtualList
            items={receipts}
            keyOf={(receipt) => receipt.id}
            heightOf={() => 64}
            measured
            role="list"
            label="Changes"
            className="activity-list"
            onEndReached={() => (hasNextPage && !isFetching ? void fetchNextPage(NEXT_PAGE) : undefined)}
            render={(receipt) => (
              <ReceiptRow
                receipt={receipt}
                beside={wide ? { selected: receipt === selected, onSelect: () => setChosen(receipt.id) } : undefined}
              />
            )}
            {...(wide ? { onPress: (receipt: Receipt) => setChosen(receipt.id) } : {})}
          />
        )}
        {wide && <ActivityAside receipt={selected} />}
      </div>
    </ListRoute>
  );
}
