/** What a person wants to see of a Gemini CLI session. Pure functions over its JSON text; browser-safe. */
import {
  messagesIn,
  parseJson,
  sourceOf,
  stringOf,
  valueAt,
  type ChatMessage,
  type JsonNode,
  type PendingRequest as ExactRequest,
} from '@checkpoint-inspector/core';
import { fieldsOf, records, recordOf, textOf, type Channel } from '../folder/view.ts';

export interface Step {
  readonly name: string;
  readonly status: string;
  readonly isCurrent?: true;
}

export interface PendingRequest {
  readonly id: string;
  readonly executor: string;
  readonly value: unknown;
}

const itemsOf = (node: JsonNode | undefined): readonly JsonNode[] => (node?.kind === 'array' ? node.items : []);

/** The conversation. @throws InspectorError unreadable */
export function messagesOf(stateText: string): readonly Channel[] {
  const all = messagesIn(stateText, valueAt(stateText, parseJson(stateText), ['messages']));
  const messages = all.map((message) => withoutRepeats(message, all));
  return messages.length > 0 ? [{ channel: 'messages', messages }] : [];
}

/** A result is kept with its call, and is a message of its own once the model was sent it. */
function withoutRepeats(message: ChatMessage, all: readonly ChatMessage[]): ChatMessage {
  if (message.role !== 'ai' || message.results === undefined) return message;
  const sent = new Set(
    all.flatMap(({ role, results = [] }) => (role === 'human' ? results.map(({ callId }) => callId) : [])),
  );
  return { ...message, results: message.results.filter(({ callId }) => !sent.has(callId)) };
}

/** The to-do list that the model wrote last. @throws InspectorError unreadable */
export function stepsOf(stateText: string): readonly Step[] {
  const calls = messagesOf(stateText).flatMap(({ messages }) => messages.flatMap(({ toolCalls }) => toolCalls));
  const last = calls.findLast(({ name }) => name === 'write_todos');
  if (!last) return [];
  return records(fieldsOf(last.args)['todos']).map((todo) => {
    const status = textOf(todo['status']);
    return { name: textOf(todo['description']), status, ...(status === 'in_progress' ? { isCurrent: true } : {}) };
  });
}

/** The error that the conversation ends with. @throws InspectorError unreadable */
export function errorOf(stateText: string): string | undefined {
  const last = messagesOf(stateText)[0]?.messages.at(-1);
  return last?.kind === 'error' ? last.text : undefined;
}

/** Calls that wait for a person to allow them. @throws InspectorError unreadable */
export function pendingOf(stateText: string): readonly PendingRequest[] {
  return records(fieldsOf(stateText)['messages'])
    .flatMap((message) => records(message['toolCalls']))
    .filter((call) => call['status'] === 'awaiting_approval')
    .map((call) => ({ id: textOf(call['id']), executor: textOf(call['name']), value: recordOf(call['args']) }));
}

/** The same with the arguments as written in the text. @throws InspectorError unreadable */
export function requestsOf(stateText: string): readonly ExactRequest[] {
  const items = itemsOf(valueAt(stateText, parseJson(stateText), ['messages']));
  const calls = items.flatMap((item) => itemsOf(valueAt(stateText, item, ['toolCalls'])));
  return calls.flatMap((call) => {
    const status = valueAt(stateText, call, ['status']);
    if (status?.kind !== 'string' || stringOf(stateText, status) !== 'awaiting_approval') return [];
    const [id, name, args] = ['id', 'name', 'args'].map((key) => valueAt(stateText, call, [key]));
    return [
      {
        ...(id ? { id: stringOf(stateText, id) } : {}),
        ...(name ? { from: stringOf(stateText, name) } : {}),
        text: args ? sourceOf(stateText, args) : '{}',
      },
    ];
  });
}
