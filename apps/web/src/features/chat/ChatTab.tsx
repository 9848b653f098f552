import type { CheckpointRef } from '@checkpoint-inspector/core';
import { ArrowDownToLine } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { Button, Checkbox, EmptyState, FindField, LoadingBar, Skeleton, VirtualList } from '../../components/index.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { toggled } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import type { Channel } from '../../lib/views.ts';
import { Message } from './ChatMessage.tsx';
import { chatRows, type ChatRow, countMessages, newsOf } from './rows.ts';
import { type ParentChat, useParentChat } from './use-parent-chat.ts';
import './chat.css';

interface ChatTabProps {
  readonly store: string;
  readonly system: string | undefined;
  /** The checkpoint that this one continued from. */
  readonly parent: CheckpointRef | undefined;
  /** Absent while it is not yet known. */
  readonly channels: readonly Channel[] | undefined;
  readonly loading: boolean;
  /** Where to go instead when the code of this tab cannot be fetched. */
  readonly onClose?: () => void;
}

const LINE = 20;
const PER_LINE = 80;

/** A first guess, until the row is measured. */
function heightOf(row: ChatRow): number {
  if (row.kind !== 'message') return 28;
  const lines = Math.ceil(row.message.text.length / PER_LINE) + 4 * row.calls.length;
  return 20 + LINE * Math.max(1, lines);
}

/** The conversation in the state, oldest first; it opens at its end. */
export function ChatTab({ store, system, parent, channels = [], loading }: ChatTabProps) {
  const shown = useShown();
  const [filter, setFilter] = useState('');
  const [ids, setIds] = useState(false);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [atNew, setAtNew] = useState(false);
  const before = useParentChat(store, system, parent);
  const rows = useMemo(() => chatRows(channels, filter, before?.channels), [channels, filter, before?.channels]);
  const toggle = useCallback((id: string) => setOpened((was) => toggled(was, id)), []);
  const count = countMessages(channels);
  const found = rows.filter((row) => row.kind === 'message').length;
  const since = rows.findIndex((row) => row.kind === 'since');
  return (
    <div className="chat-tab" data-testid="chat-tab" data-state={count === 0 ? 'loading' : 'ready'}>
      <LoadingBar active={loading} />
      <div className="chat-bar">
        <FindField label="Find in chat" value={filter} onChange={setFilter} className="chat-find" testId="chat-find" />
        <span className="small muted" role="status" data-testid="chat-count">
          {filter === '' ? countWords(count, channels, before) : `${formatCount(found)} of ${plural(count, 'message')}`}
        </span>
        <span className="flex end">
          {since > 0 && filter === '' && (
            <Button size="sm" variant="ghost" icon={ArrowDownToLine} onClick={() => setAtNew(!atNew)}>
              {atNew ? 'Go to the end' : 'Go to new'}
            </Button>
          )}
          <Checkbox checked={ids} onChange={setIds} testId="chat-ids">
            Ids
          </Checkbox>
        </span>
      </div>
      {count === 0 && loading && <Skeleton rows={6} />}
      {count > 0 && rows.length === 0 && <EmptyState>No message contains “{filter}”.</EmptyState>}
      <VirtualList
        items={rows}
        keyOf={(row) => row.id}
        heightOf={heightOf}
        measured
        scrolls
        role="list"
        label="Messages"
        active={filter !== '' ? -1 : atNew ? since : rows.length - 1}
        className="chat-list"
        testId="chat-list"
        render={(row) =>
          row.kind === 'head' ? (
            <h3 className="group-head chat-head">
              <span className="data-small">{shown(row.channel)}</span> {formatCount(row.count)}
            </h3>
          ) : row.kind === 'since' ? (
            <h3 className="chat-since" data-testid="chat-since">
              <span>
                New since {before?.name} <b>{formatCount(row.count)}</b>
              </span>
            </h3>
          ) : (
            <Message row={row} ids={ids} opened={opened} onToggle={toggle} />
          )
        }
      />
    </div>
  );
}

/** @example '7 messages, 2 new since #06' */
function countWords(count: number, channels: readonly Channel[], before: ParentChat | undefined): string {
  if (before === undefined || count === 0) return plural(count, 'message');
  const { added, removed } = newsOf(before.channels, channels);
  const parts = [
    plural(count, 'message'),
    added === 0 ? `none new since ${before.name}` : `${formatCount(added)} new since ${before.name}`,
    ...(removed === 0 ? [] : [`${formatCount(removed)} gone`]),
  ];
  return parts.join(', ');
}
