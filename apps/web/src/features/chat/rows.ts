/** The conversation as rows: a head per list where there are several, then its messages. */
import type { ChatMessage } from '@checkpoint-inspector/core';
import type { Channel } from '../../lib/views.ts';
import { joinCalls, type Joined, newMessages } from './join.ts';

export interface MessageRow extends Joined {
  readonly kind: 'message';
  readonly id: string;
  /** Places of messages that the parent does not have; absent where it is unknown. */
  readonly added: ReadonlySet<number>;
}

export type ChatRow =
  | { readonly kind: 'head'; readonly id: string; readonly channel: string; readonly count: number }
  /** Shown above the first new message. */
  | { readonly kind: 'since'; readonly id: string; readonly count: number }
  | MessageRow;

const NONE: ReadonlySet<number> = new Set();

/** `before`: the conversation of the parent, where it is known. */
export function chatRows(channels: readonly Channel[], filter: string, before?: readonly Channel[]): ChatRow[] {
  const wanted = filter.trim().toLowerCase();
  return channels.flatMap(({ channel, messages }): ChatRow[] => {
    const added = before === undefined ? NONE : newMessages(messagesOf(before, channel), messages);
    const found = joinCalls(messages)
      .map((joined): MessageRow => ({ kind: 'message', id: `${channel} ${joined.index}`, added, ...joined }))
      .filter((row) => wanted === '' || wordsOf(row).includes(wanted));
    const first = found.findIndex(({ index }) => added.has(index));
    const since = { kind: 'since' as const, id: `${channel} since`, count: added.size };
    const rows = first < 0 || wanted !== '' ? found : [...found.slice(0, first), since, ...found.slice(first)];
    const head = { kind: 'head' as const, id: channel, channel, count: messages.length };
    return channels.length > 1 && found.length > 0 ? [head, ...rows] : rows;
  });
}

const messagesOf = (channels: readonly Channel[], channel: string): readonly ChatMessage[] =>
  channels.find((one) => one.channel === channel)?.messages ?? [];

const wordsOf = ({ message: { role, kind, name, text }, calls, results }: MessageRow): string =>
  [
    roleWord(role, kind),
    name,
    text,
    ...calls.flatMap((call) => [call.name, call.args, call.result?.text]),
    ...results.map((result) => result.text),
  ]
    .join('\n')
    .toLowerCase();

const ROLE_WORDS: Readonly<Record<string, string>> = {
  human: 'User',
  ai: 'Assistant',
  system: 'System',
  tool: 'Tool',
  remove: 'Removal',
};

/** The role in one word; one that is unknown is called as stored. */
export const roleWord = (role: string, kind: string): string =>
  (Object.hasOwn(ROLE_WORDS, role) ? ROLE_WORDS[role] : undefined) ?? (kind === '' ? 'Other' : kind);

export const countMessages = (channels: readonly Channel[]): number =>
  channels.reduce((sum, { messages }) => sum + messages.length, 0);

/** Messages that the parent does not have, and those of it that are gone. */
export function newsOf(before: readonly Channel[], now: readonly Channel[]): { added: number; removed: number } {
  const names = new Set([...before, ...now].map(({ channel }) => channel));
  const differing = (from: readonly Channel[], to: readonly Channel[]): number =>
    [...names].reduce((sum, name) => sum + newMessages(messagesOf(from, name), messagesOf(to, name)).size, 0);
  return { added: differing(before, now), removed: differing(now, before) };
}
