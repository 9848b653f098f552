import { toggled } from '../../lib/hooks.ts';
import { Search } from 'lucide-react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { Checkbox, EmptyState, LoadingBar, Skeleton, TextField, VirtualList } from '../../components/index.ts';
import { plural } from '../../lib/format.ts';
import { useKeys } from '../../lib/keys.ts';
import { useShown } from '../../lib/masking.ts';
import type { Channel } from '../../lib/views.ts';
import { Message } from './ChatMessage.tsx';
import { chatRows, countMessages, type ChatRow } from './rows.ts';

interface ChatTabProps {
  /** Absent while it is not known yet. */
  readonly channels: readonly Channel[] | undefined;
  readonly loading: boolean;
}

const LINE = 20;
const PER_LINE = 80;

/** A first guess, until the row is measured. */
const heightOf = (row: ChatRow): number =>
  row.kind === 'head'
    ? 28
    : 20 + LINE * Math.max(1, Math.ceil(row.message.text.length / PER_LINE) + row.message.toolCalls.length);

/** The conversation in the state, oldest first; it opens at its end. */
export function ChatTab({ channels = [], loading }: ChatTabProps) {
  const shown = useShown();
  const [filter, setFilter] = useState('');
  const [ids, setIds] = useState(false);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const field = useRef<HTMLInputElement>(null);
  const rows = useMemo(() => chatRows(channels, filter), [channels, filter]);
  const toggle = useCallback((id: string) => setOpened((before) => toggled(before, id)), []);
  const count = countMessages(channels);
  const found = rows.filter((row) => row.kind === 'message').length;
  useKeys({ '/': () => field.current?.focus(), 'Ctrl+f': () => field.current?.focus() });
  return (
    <div className="chat-tab" data-testid="chat-tab" data-state={count === 0 ? 'loading' : 'ready'}>
      <LoadingBar active={loading} />
      <div className="chat-bar">
        <TextField
          ref={field}
          icon={Search}
          label="Find in chat"
          value={filter}
          onChange={setFilter}
          className="chat-find"
          testId="chat-find"
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        <span className="small muted" role="status">
          {filter === '' ? plural(count, 'message') : `${found} of ${plural(count, 'message')}`}
        </span>
        <span className="flex end">
          <Checkbox checked={ids} onChange={setIds} testId="chat-ids">
            Ids
          </Checkbox>
        </span>
      </div>
      {count === 0 && loading && <Skeleton rows={6} />}
      {count > 0 && rows.length === 0 && <EmptyState>No message has “{filter}” in it.</EmptyState>}
      <VirtualList
        items={rows}
        keyOf={(row) => row.id}
        heightOf={heightOf}
        measured
        scrolls
        role="list"
        label="Messages"
        active={filter === '' ? rows.length - 1 : -1}
        className="chat-list"
        testId="chat-list"
        isRow={(row) => row.kind === 'message'}
        render={(row) =>
          row.kind === 'head' ? (
            <h3 className="group-head chat-head">
              <span className="data-small">{shown(row.channel)}</span> {row.count}
            </h3>
          ) : (
            <Message {...row} ids={ids} opened={opened} onToggle={toggle} />
          )
        }
      />
    </div>
  );
}
