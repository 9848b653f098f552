/** A message that came or went, in its words: who said what, and which tools it calls. */
import type { ChatMessage } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { shownHead } from '../../lib/format.ts';
import { useShown, useShownJson } from '../../lib/masking.ts';
import { type MessageReader, messageReaderQuery } from '../../lib/views.ts';
import { roleWord } from '../chat/rows.ts';

const Reader = createContext<MessageReader | undefined>(undefined);

/** The rows inside show messages of this system as such; without a system, or outside, they stay JSON. */
export function MessagesOf({
  system,
  children,
}: {
  readonly system: string | undefined;
  readonly children: ReactNode;
}) {
  const { data } = useQuery({ ...messageReaderQuery(system ?? ''), enabled: system !== undefined });
  return <Reader.Provider value={data}>{children}</Reader.Provider>;
}

/** The message at this place of the state. */
export function useMessage(path: string | undefined, text: string): ChatMessage | undefined {
  const read = useContext(Reader);
  return useMemo(() => (path === undefined ? undefined : read?.(path, text)), [read, path, text]);
}

const SHOWN = 600;
const ARGUMENTS_SHOWN = 160;

/** Its role, words, calls and what they gave; `rest` is the way to the whole of it. */
export function MessageValue({ message, rest }: { readonly message: ChatMessage; readonly rest: ReactNode }) {
  const { role, kind, text, toolCalls, results = [] } = message;
  const shown = useShown();
  const shownJson = useShownJson();
  return (
    <span className="diff-message" data-testid="diff-message">
      <b>{roleWord(role, kind)}</b> {text !== '' && <span>{cut(shown(text))}</span>}
      {toolCalls.map(({ name, args }, place) => (
        <span key={`call ${place}`} className="diff-message-call">
          <span className="sr-only">calls </span>
          {shown(name)} <i>{shownHead(shownJson, args, ARGUMENTS_SHOWN)}</i>
        </span>
      ))}
      {results.map((result, place) => (
        <span key={`result ${place}`} className="diff-message-call">
          <span aria-hidden="true">↳ </span>
          <span className="sr-only">result </span>
          {cut(shown(result.text))}
        </span>
      ))}
      {rest}
    </span>
  );
}

/** Masked before it is cut: half a secret has no shape by which it could be masked later. */
const cut = (text: string): string => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`);
