/** The conversation as rows: a head per list where there are several, then its messages. */
import type { Channel, ChatMessage } from '../../lib/views.ts';

export type ChatRow =
  | { readonly kind: 'head'; readonly id: string; readonly channel: string; readonly count: number }
  | { readonly kind: 'message'; readonly id: string; readonly index: number; readonly message: ChatMessage };

export function chatRows(channels: readonly Channel[], filter: string): ChatRow[] {
  const wanted = filter.trim().toLowerCase();
  return channels.flatMap(({ channel, messages }): ChatRow[] => {
    const found = messages
      .map((message, index) => ({ kind: 'message' as const, id: `${channel} ${index}`, index, message }))
      .filter(({ message }) => wanted === '' || textOf(message).includes(wanted));
    const head = { kind: 'head' as const, id: channel, channel, count: messages.length };
    return channels.length > 1 && found.length > 0 ? [head, ...found] : found;
  });
}

const textOf = ({ role, kind, name, text, toolCalls }: ChatMessage): string =>
  [roleWord(role, kind), name, text, ...toolCalls.flatMap((call) => [call.name, call.args])].join('\n').toLowerCase();

const ROLE_WORDS: Readonly<Record<string, string>> = {
  human: 'User',
  ai: 'Assistant',
  system: 'System',
  tool: 'Tool',
  remove: 'Removal',
};

/** The role in one word; one that is not known is called as it is stored. */
export const roleWord = (role: string, kind: string): string =>
  (Object.hasOwn(ROLE_WORDS, role) ? ROLE_WORDS[role] : undefined) ?? (kind === '' ? 'Other' : kind);

export const countMessages = (channels: readonly Channel[]): number =>
  channels.reduce((sum, { messages }) => sum + messages.length, 0);
