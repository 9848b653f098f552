import { Bot, CircleHelp, Eraser, Settings2, User, Wrench, type LucideIcon } from 'lucide-react';
import { Fold, Icon } from '../../components/index.ts';
import { cutMiddle, formatCount, shownHead } from '../../lib/format.ts';
import { layoutJson } from '../../lib/json.ts';
import { useShown, useShownJson } from '../../lib/masking.ts';
import type { ChatMessage, ToolCall } from '../../lib/views.ts';
import { roleWord } from './rows.ts';

interface MessageProps {
  readonly id: string;
  readonly index: number;
  readonly message: ChatMessage;
  readonly ids: boolean;
  readonly opened: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

const ICONS: Readonly<Record<string, LucideIcon>> = {
  human: User,
  ai: Bot,
  system: Settings2,
  tool: Wrench,
  remove: Eraser,
};
const SHOWN = 3000;

/** One message: who, the text as it is, the calls folded. Nothing in it is taken as markup. */
export function Message({ id, index, message, ids, opened, onToggle }: MessageProps) {
  const { role, kind, toolCalls, tokens } = message;
  const shown = useShown();
  const name = message.name && shown(message.name);
  const text = shown(message.text);
  const long = text.length > SHOWN && !opened.has(id);
  return (
    <article className="chat-message" data-role={role} data-testid="chat-message">
      <header title={`Stored as “${kind}”`}>
        <Icon of={(Object.hasOwn(ICONS, role) ? ICONS[role] : undefined) ?? CircleHelp} />
        <span className="strong cut">{roleWord(role, kind)}</span>
        <span className="chat-number">{index + 1}</span>
      </header>
      <div className="chat-body">
        {name !== undefined && <p className="small muted">{name}</p>}
        {text !== '' && <p className="chat-text">{long ? text.slice(0, SHOWN) : text}</p>}
        {text.length > SHOWN && (
          <button type="button" className="link small muted" onClick={() => onToggle(id)}>
            {long ? `show all ${formatCount(text.length)} characters` : 'show less'}
          </button>
        )}
        {text === '' && toolCalls.length === 0 && <p className="muted">no text</p>}
        {toolCalls.map((call, place) => (
          <Call key={place} id={`${id} ${place}`} call={call} ids={ids} opened={opened} onToggle={onToggle} />
        ))}
        {ids && <Ids message={message} />}
      </div>
      {tokens !== undefined && <span className="chat-tokens">{formatCount(tokens)} tokens</span>}
    </article>
  );
}

interface CallProps extends Pick<MessageProps, 'id' | 'ids' | 'opened' | 'onToggle'> {
  readonly call: ToolCall;
}

function Call({ id, call, ids, opened, onToggle }: CallProps) {
  const open = opened.has(id);
  const shown = useShown();
  const shownJson = useShownJson();
  return (
    <div className="chat-call" data-testid="tool-call">
      <Fold
        name={
          <>
            <span className="sr-only">Tool call </span>
            {call.name === '' ? '(no name)' : shown(call.name)}
          </>
        }
        preview={shownHead(shownJson, call.args, 200)}
        open={open}
        onToggle={() => onToggle(id)}
      >
        {call.args === '' ? 'no arguments' : open ? shownJson(layoutJson(call.args, 64)) : ''}
      </Fold>
      {ids && call.id !== undefined && <Id name="call" id={call.id} />}
    </div>
  );
}

function Ids({ message: { id, toolCallId } }: Pick<MessageProps, 'message'>) {
  if (id === undefined && toolCallId === undefined) return <p className="chat-id muted">no id</p>;
  return (
    <>
      {id !== undefined && <Id name="id" id={id} />}
      {toolCallId !== undefined && <Id name="answers" id={toolCallId} />}
    </>
  );
}

function Id({ name, id }: { readonly name: string; readonly id: string }) {
  const shown = useShown();
  return (
    <p className="chat-id muted" title={shown(id)}>
      {name} <span className="data-small">{cutMiddle(shown(id), 48)}</span>
    </p>
  );
}
