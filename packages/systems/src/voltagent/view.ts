/** What a person wants to see of an execution or a conversation. Pure functions over JSON text; browser-safe. */
import {
  fromJsonText,
  messagesIn,
  parseJson,
  sourceOf,
  valueAt,
  type PendingRequest,
} from '@checkpoint-inspector/core';
import { fieldsOf, jsonOf, recordOf, records, textOf, type Channel, type Fields } from '../folder/view.ts';

export interface Step {
  readonly id: string;
  readonly name: string;
  /** As stored. */
  readonly status: string;
  readonly isCurrent: boolean;
  readonly errors: readonly string[];
  readonly durationMs?: number;
  /** JSON of the output, where the step has one. */
  readonly output?: string;
}

const RESTART = '__voltagent_restart_checkpoint';

/** The steps that ran, in their order; the workflow's other steps aren't in the row. @throws InspectorError unreadable */
export function stepsOf(stateText: string): readonly Step[] {
  const state = fieldsOf(stateText);
  const events = records(state['events']);
  const suspended = recordOf(recordOf(state['suspension'])['checkpoint']);
  const kept = recordOf(recordOf(state['metadata'])[RESTART]);
  const done = records((kept['completedStepsData'] ? kept : suspended)['completedStepsData']);
  const steps = done.map((step): Step =>
    stepOf(textOf(step['stepId']), textOf(step['status'] ?? 'success'), events, step),
  );
  const ids = new Set(steps.map(({ id }) => id));
  const others = [...new Set(events.filter(({ type }) => type === 'step-start').map(({ from }) => textOf(from)))];
  return [
    ...steps,
    ...others
      .filter((id) => !ids.has(id))
      .map((id) => {
        const end = events.find((event) => event['type'] === 'step-complete' && event['from'] === id);
        return stepOf(
          id,
          end ? 'success' : openStatus(state['status']),
          events,
          end ?? {},
          end ? undefined : errorOf(stateText),
        );
      }),
  ];
}

/** Of the step that has begun and not ended. */
const openStatus = (status: unknown): string => (typeof status === 'string' ? status : 'unknown');

function stepOf(id: string, status: string, events: readonly Fields[], step: Fields, error?: string): Step {
  const timeOf = (type: string): number =>
    Date.parse(textOf(events.findLast((event) => event['type'] === type && event['from'] === id)?.['endTime']));
  const took = timeOf('step-complete') - timeOf('step-start');
  return {
    id,
    name: id,
    status,
    isCurrent: status === 'suspended' || status === 'running',
    errors: error === undefined ? [] : [error],
    ...(took >= 0 ? { durationMs: took } : {}),
    ...('output' in step ? { output: jsonOf(step['output']) } : {}),
  };
}

/** The messages of a conversation. @throws InspectorError unreadable */
export function messagesOf(stateText: string): readonly Channel[] {
  const list = valueAt(stateText, parseJson(stateText), ['messages']);
  const messages = list?.kind === 'array' ? messagesIn(stateText, list) : [];
  return messages.length > 0 ? [{ channel: 'messages', messages }] : [];
}

/** The error that ended the execution. @throws InspectorError unreadable */
export function errorOf(stateText: string): string | undefined {
  const state = fieldsOf(stateText);
  const { errorMessage } = recordOf(state['metadata']);
  return state['status'] === 'error' && typeof errorMessage === 'string' ? errorMessage : undefined;
}

/** The question that the execution waits with. @throws InspectorError unreadable */
export function requestsOf(stateText: string): readonly PendingRequest[] {
  const state = fieldsOf(stateText);
  if (state['status'] !== 'suspended') return [];
  const waiting = stepsOf(stateText).find(({ isCurrent }) => isCurrent)?.id;
  const question = valueAt(stateText, parseJson(stateText), ['suspension', 'suspendData']);
  const reason = textOf(recordOf(state['suspension'])['reason'] ?? 'It waits without a question.');
  const asked =
    question === undefined
      ? { text: reason, unread: true as const }
      : {
          text:
            question.kind === 'string'
              ? textOf(fromJsonText(sourceOf(stateText, question)))
              : sourceOf(stateText, question),
        };
  return [{ ...(waiting === undefined ? {} : { id: waiting }), ...asked }];
}

/** The same for the list of steps. @throws InspectorError unreadable */
export function pendingOf(stateText: string): readonly { readonly id: string; readonly value: unknown }[] {
  return requestsOf(stateText).map(({ id = '', text }) => ({ id, value: valueOf(text) }));
}

function valueOf(text: string): unknown {
  try {
    return fromJsonText(text);
  } catch {
    return text;
  }
}
