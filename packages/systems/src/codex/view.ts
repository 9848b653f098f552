/** What a person wants to see of a Codex thread. Pure functions over the JSON text of its state; browser-safe. */
import { messagesIn, parseJson, valueAt, type PendingRequest } from '@checkpoint-inspector/core';
import { fieldsOf, isRecord, recordOf, records, type Channel, type Fields } from '../folder/view.ts';

export interface Step {
  readonly name: string;
  readonly status: 'done' | 'running' | 'pending';
}

const STATUSES: Readonly<Record<string, Step['status']>> = { completed: 'done', in_progress: 'running' };

/** The conversation as the model sees it. @throws InspectorError unreadable */
export function messagesOf(stateText: string): readonly Channel[] {
  const messages = messagesIn(stateText, valueAt(stateText, parseJson(stateText), ['items']));
  return messages.length > 0 ? [{ channel: 'items', messages }] : [];
}

/** The plan that the agent wrote last; none where it made none. @throws InspectorError unreadable */
export function stepsOf(stateText: string): readonly Step[] {
  const plans = itemsOf(stateText).filter((item) => item['type'] === 'function_call' && item['name'] === 'update_plan');
  return records(argumentsOf(plans.at(-1) ?? {})['plan']).map((step) => ({
    name: typeof step['step'] === 'string' ? step['step'] : '',
    status: STATUSES[String(step['status'])] ?? 'pending',
  }));
}

/** Calls without an answer that a person has to agree to. @throws InspectorError unreadable */
export function pendingOf(stateText: string): readonly { readonly id: string; readonly value: unknown }[] {
  const items = itemsOf(stateText);
  const answered = new Set(
    items.flatMap((item) => (String(item['type']).endsWith('_output') ? [item['call_id']] : [])),
  );
  return items.flatMap((call) => {
    const id = call['call_id'];
    if (typeof id !== 'string' || answered.has(id) || !isAsked(call)) return [];
    return [{ id, value: argumentsOf(call) }];
  });
}

/** The same with their words as stored. @throws InspectorError unreadable */
export function requestsOf(stateText: string): readonly PendingRequest[] {
  return pendingOf(stateText).map(({ id, value }) => ({ id, text: JSON.stringify(value) }));
}

const isAsked = (call: Fields): boolean =>
  argumentsOf(call)['sandbox_permissions'] === 'require_escalated' || call['name'] === 'request_user_input';

function itemsOf(stateText: string): readonly Fields[] {
  const items = fieldsOf(stateText)['items'];
  return Array.isArray(items) ? items.filter(isRecord) : [];
}

function argumentsOf(call: Fields): Fields {
  const text = call['arguments'];
  if (typeof text !== 'string') return {};
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return {};
  }
}
