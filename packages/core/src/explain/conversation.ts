/** The messages of a state, and where a value stood in them. */
import { messageIn, type ChatMessage } from '../chat/messages.ts';
import type { ChatCall } from '../chat/parts.ts';
import { sourceOf, type JsonNode } from '../json/node.ts';
import { parseJson } from '../json/read.ts';
import type { Origin } from './types.ts';

/** A message with its JSON text: equal text is the same message in another state. */
export interface Said {
  readonly json: string;
  readonly message: ChatMessage;
}

/** All messages of a state, in its order. */
export function messagesOf(state: string): readonly Said[] {
  const found: Said[] = [];
  const todo: JsonNode[] = [parseJson(state)];
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (node.kind === 'object') todo.push(...node.members.map(({ value }) => value).reverse());
    if (node.kind !== 'array') continue;
    const said = node.items.map((item) => ({ item, message: messageIn(state, item) }));
    if (said.every(({ message }) => message === undefined)) todo.push(...node.items.toReversed());
    for (const { item, message } of said)
      if (message !== undefined) found.push({ json: sourceOf(state, item), message });
  }
  return found;
}

/** A call and the message that made it. */
export interface Called extends ChatCall {
  readonly said: Said;
}

/** Calls in their order; one that is stored twice counts once. */
export function callsOf(messages: readonly Said[]): readonly Called[] {
  const seen = new Set<string>();
  return messages.flatMap((said) =>
    said.message.toolCalls.flatMap((call) => {
      if (call.id !== undefined && seen.has(call.id)) return [];
      if (call.id !== undefined) seen.add(call.id);
      return [{ ...call, said }];
    }),
  );
}

/** Shorter texts and single digits stand anywhere. */
const MIN_TEXT = 3;

/** A search for a scalar in words; `undefined` for what says too little: a flag, a digit, a word of two letters. */
export function tokenOf(json: string | undefined): ((text: string) => boolean) | undefined {
  if (json === undefined) return undefined;
  if (/^-?\d/.test(json)) {
    if (/^-?\d$/.test(json)) return undefined;
    const digits = json.replace(/^-/, '').replaceAll('.', String.raw`\.`);
    const grouped = new RegExp(String.raw`(?<![\d.])${digits}(?!\d|\.\d)`);
    return (text) =>
      grouped.test(text) || (text.includes(',') && grouped.test(text.replaceAll(/(?<=\d),(?=\d{3})/g, '')));
  }
  if (!json.startsWith('"')) return undefined;
  const text: unknown = JSON.parse(json);
  return typeof text === 'string' && text.trim().length >= MIN_TEXT ? (words) => words.includes(text) : undefined;
}

/** Where a value was said before it was written, the newest message first. */
export function originIn(
  messages: readonly Said[],
  value: string | undefined,
): { readonly origin: Origin; readonly said?: Said } | undefined {
  const isIn = tokenOf(value);
  if (isIn === undefined) return undefined;
  const newest = messages.toReversed();
  const tool = newest.find(({ message }) => answers(message).some(isIn));
  if (tool) return { origin: { from: 'tool', ...named(toolName(tool.message, messages)) }, said: tool };
  const user = newest.find(({ message: { role, text } }) => (role === 'human' || role === 'system') && isIn(text));
  if (user) return { origin: { from: 'user' }, said: user };
  const agent = messages.find(
    ({ message: { role, text, toolCalls } }) =>
      role === 'ai' && (isIn(text) || toolCalls.some(({ args }) => isIn(args))),
  );
  return agent ? { origin: { from: 'agent' }, said: agent } : { origin: { from: 'nowhere' } };
}

const named = (name: string | undefined): Pick<Origin, 'name'> => (name === undefined ? {} : { name });

const answers = ({ role, text, results = [] }: ChatMessage): readonly string[] =>
  role === 'tool' ? [text] : results.map((result) => result.text);

/** As its result says, else as its call does. */
function toolName({ name, toolCallId, results = [] }: ChatMessage, messages: readonly Said[]): string | undefined {
  const own = name ?? results.find((result) => result.name !== undefined)?.name;
  const id = toolCallId ?? results.find(({ callId }) => callId !== undefined)?.callId;
  if (own !== undefined || id === undefined) return own;
  return messages.flatMap(({ message }) => message.toolCalls).find((call) => call.id === id)?.name;
}
