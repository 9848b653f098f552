import type { ChatMessage } from '@checkpoint-inspector/core';
import clsx from 'clsx';
import { Bot, Braces, CircleHelp, Eraser, Settings2, User, Wrench, type LucideIcon } from 'lucide-react';
import { Icon, IconButton } from '../../components/index.ts';
import { formatCount, plural, storedTime } from '../../lib/format.ts';
import { useShown, useShownStored } from '../../lib/masking.ts';
import { Call, type Folding, Id, Result } from './ChatCall.tsx';
import { MessageText } from './MessageText.tsx';
import { type MessageRow, roleWord } from './rows.ts';

interface MessageProps extends Folding {
  readonly row: MessageRow;
  readonly ids: boolean;
}

const ICONS: Readonly<Record<string, LucideIcon>> = {
  human: User,
  ai: Bot,
  system: Settings2,
  tool: Wrench,
  remove: Eraser,
};
const SHOWN = 3000;

/** One message: who and when, its text, its calls with what they gave. Nothing in it is taken as HTML. */
export function Message({ row, ids, ...folding }: MessageProps) {
  const { id, index, message, added } = row;
  const { opened, onToggle } = folding;
  const { role, kind, tokens, time } = message;
  const isNew = added.has(index);
  const stored = opened.has(`${id} stored`);
  const at = time === undefined ? undefined : storedTime(time);
  return (
    <article
      className={clsx('chat-message', isNew && 'new')}
      data-role={role}
      data-new={isNew ? true : undefined}
      data-testid="chat-message"
    >
      <header title={`Stored as "${kind}"`}>
        <Icon of={(Object.hasOwn(ICONS, role) ? ICONS[role] : undefined) ?? CircleHelp} />
        <span className="strong cut">{roleWord(role, kind)}</span>
        <span className="chat-number">{formatCount(index + 1)}</span>
        {isNew && <span className="sr-only">, new</span>}
      </header>
      {stored ? <Stored message={message} /> : <Body row={row} ids={ids} {...folding} />}
      <div className="chat-side">
        {at !== undefined && (
          <time dateTime={time} title={at.title}>
            {at.clock}
          </time>
        )}
        {tokens !== undefined && <span>{plural(tokens, 'token')}</span>}
        <IconButton label="As stored" icon={Braces} aria-pressed={stored} onClick={() => onToggle(`${id} stored`)} />
      </div>
    </article>
  );
}

function Stored({ message }: { readonly message: ChatMessage }) {
  const shown = useShownStored();
  return (
    <pre className="chat-body chat-stored" tabIndex={0} aria-label="The message as stored">
      {shown(message.stored)}
    </pre>
  );
}

function Body({ row, ids, ...folding }: MessageProps) {
  const { id, index, message, calls, results, added } = row;
  const { role, text } = message;
  const { opened, onToggle } = folding;
  const shown = useShown();
  const name = message.name && shown(message.name);
  return (
    <div className="chat-body">
      {name !== undefined && <p className="small muted">{name}</p>}
      {text !== '' && (
        <MessageText
          text={text}
          as={role === 'tool' || role === 'other' ? 'plain' : 'markdown'}
          most={SHOWN}
          open={opened.has(id)}
          onToggle={() => onToggle(id)}
        />
      )}
      {text === '' && calls.length + results.length === 0 && <p className="muted">no text</p>}
      {calls.map((call, place) => (
        <Call
          key={place}
          id={`${id} ${place}`}
          call={call}
          ids={ids}
          isNew={!added.has(index) && call.result !== undefined && added.has(call.result.index)}
          {...folding}
        />
      ))}
      {results.map((result, place) => (
        <Result key={place} id={`${id} result ${place}`} result={result} isNew={false} {...folding} />
      ))}
      {ids && <Ids message={message} />}
    </div>
  );
}

function Ids({ message: { id, toolCallId } }: { readonly message: ChatMessage }) {
  if (id === undefined && toolCallId === undefined) return <p className="chat-id muted">no id</p>;
  return (
    <>
      {id !== undefined && <Id name="id" id={id} />}
      {toolCallId !== undefined && <Id name="answers" id={toolCallId} />}
    </>
  );
}
