/** What a person wants to see of a Claude Code session. Pure functions over its JSON text; browser-safe. */
import {
  messagesIn,
  parseJson,
  valueAt,
  type ChatCall,
  type ChatMessage,
  type PendingRequest as ExactRequest,
} from '@checkpoint-inspector/core';
import { fieldsOf, records, textOf, type Channel } from '../folder/view.ts';

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

/** The conversation. @throws InspectorError unreadable */
export function messagesOf(stateText: string): readonly Channel[] {
  const messages = messagesIn(stateText, valueAt(stateText, parseJson(stateText), ['messages']));
  return messages.length > 0 ? [{ channel: 'messages', messages }] : [];
}

const allMessages = (stateText: string): readonly ChatMessage[] =>
  messagesOf(stateText).flatMap(({ messages }) => messages);

/** The to-do list that the model wrote last. @throws InspectorError unreadable */
export function stepsOf(stateText: string): readonly Step[] {
  const calls = allMessages(stateText).flatMap(({ toolCalls }) => toolCalls);
  const last = calls.findLast(({ name }) => name === 'TodoWrite');
  if (!last) return [];
  return records(fieldsOf(last.args)['todos']).map((todo) => {
    const status = textOf(todo['status']);
    return { name: textOf(todo['content']), status, ...(status === 'in_progress' ? { isCurrent: true } : {}) };
  });
}

/** Tools that ask the person. */
export const ASKING: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

/** Questions and plans at the end that nobody has answered. */
function waiting(stateText: string): readonly ChatCall[] {
  const messages = allMessages(stateText);
  const answered = new Set(messages.flatMap(({ results = [] }) => results.map(({ callId }) => callId)));
  const last = messages.findLastIndex(({ role, results }) => role === 'human' && results === undefined);
  const calls = messages.slice(last + 1).flatMap(({ toolCalls }) => toolCalls);
  return calls.filter(({ name, id }) => ASKING.has(name) && !answered.has(id));
}

/** @throws InspectorError unreadable */
export function pendingOf(stateText: string): readonly PendingRequest[] {
  return waiting(stateText).map(({ id = '', name, args }) => ({ id, executor: name, value: fieldsOf(args) }));
}

/** The same with what is asked as written in the text. @throws InspectorError unreadable */
export function requestsOf(stateText: string): readonly ExactRequest[] {
  return waiting(stateText).map(({ id, name, args }) => ({
    ...(id === undefined ? {} : { id }),
    from: name,
    text: args,
  }));
}
