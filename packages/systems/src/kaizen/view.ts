/** What a person wants to see of a Kaizen state. Pure functions over JSON text; browser-safe. */
import { messagesIn, parseJson, sourceOf, valueAt } from '@checkpoint-inspector/core';
import { fieldsOf, recordOf, records, textOf, type Channel, type Fields } from '../folder/view.ts';

export interface Step {
  readonly name: string;
  readonly status: 'done' | 'failed' | 'pending';
}

export interface Usage {
  /** Digits as stored. */
  readonly costUsd?: string;
  readonly tools: readonly { readonly name: string; readonly count: number }[];
}

/** The conversation. @throws InspectorError unreadable */
export function messagesOf(stateText: string): readonly Channel[] {
  const channel = 'conversation_history';
  const messages = messagesIn(stateText, valueAt(stateText, parseJson(stateText), [channel]));
  return messages.length > 0 ? [{ channel, messages }] : [];
}

/** Completed actions, then pending ones. @throws InspectorError unreadable */
export function stepsOf(stateText: string): readonly Step[] {
  const fields = fieldsOf(stateText);
  const done = records(fields['completed_actions']).map((action): Step => {
    return { name: nameOf(action), status: action['ok'] === false ? 'failed' : 'done' };
  });
  const pending = records(fields['pending_actions']).map((action): Step => ({
    name: nameOf(action),
    status: 'pending',
  }));
  return [...done, ...pending];
}

/** The error of a failed state, or why it was interrupted. @throws InspectorError unreadable */
export function errorOf(stateText: string): string | undefined {
  const { error, interrupt_reason: reason } = recordOf(fieldsOf(stateText)['metadata']);
  if (error !== undefined && error !== null) return typeof error === 'string' ? error : undefined;
  const { source, message } = recordOf(reason);
  return typeof message === 'string' ? interruptWords(source, message) : undefined;
}

/** Why an agent was stopped. Kaizen doesn't store what people are asked, so an interrupt is never a question. */
export function interruptWords(source: unknown, message: string): string {
  return `${source === 'user' ? 'Interrupted by the user' : 'Interrupted'} (${message})`;
}

/** Money spent and calls per tool. @throws InspectorError unreadable */
export function usageOf(stateText: string): Usage {
  const root = parseJson(stateText);
  const cost = valueAt(stateText, root, ['budget_spent_usd']);
  const counts = Object.entries(recordOf(fieldsOf(stateText)['tool_usage_counts']));
  return {
    ...(cost?.kind === 'number' ? { costUsd: sourceOf(stateText, cost) } : {}),
    tools: counts.flatMap(([name, count]) => (typeof count === 'number' ? [{ name, count }] : [])),
  };
}

function nameOf(action: Fields): string {
  const name = action['action'] ?? action['name'] ?? action['tool'];
  return textOf(typeof name === 'string' ? name : action);
}
