/** What a person wants to see of an Agent Framework state. Pure functions over JSON text; browser-safe. */
import {
  formatPath,
  messageIn,
  messagesIn,
  parseJson,
  sourceOf,
  stringOf,
  valueAt,
  type JsonNode,
  type Path,
  type PendingRequest as ExactRequest,
} from '@checkpoint-inspector/core';
import { fieldsOf, recordOf, records, textOf, type Channel } from '../folder/view.ts';
import { payloadsOf } from './payloads.ts';

export { payloadsOf, type Payload } from './payloads.ts';

export interface Step {
  /** Executor id. */
  readonly name: string;
  readonly status: 'done' | 'failed' | 'pending';
}

export interface PendingRequest {
  readonly id: string;
  readonly executor?: string;
  /** As stored; a pickled request is named by type and size only. */
  readonly value: unknown;
  readonly type?: string;
  readonly sizeBytes?: number;
}

/** Requests that wait for a person. @throws InspectorError unreadable */
export function pendingOf(stateText: string): readonly PendingRequest[] {
  const fields = fieldsOf(stateText);
  const requests = Object.entries(recordOf(fields['pending_request_info_events']));
  const payloads = new Map(payloadsOf(stateText).map((payload) => [payload.path, payload]));
  const python = requests.map(([id, value]): PendingRequest => {
    const payload = payloads.get(formatPath(['pending_request_info_events', id]));
    return payload ? { id, value: undefined, type: payload.type, sizeBytes: payload.sizeBytes } : { id, value };
  });
  const document = records(fields['pendingMessages']).map((message): PendingRequest => {
    const { requestId, executorId, data } = message;
    return {
      id: textOf(requestId),
      ...(executorId === undefined ? {} : { executor: textOf(executorId) }),
      value: data,
    };
  });
  const dotnet = records(recordOf(fields['runnerData'])['outstandingRequests']).map((request): PendingRequest => {
    return { id: textOf(request['requestId']), value: request };
  });
  return [...python, ...document, ...dotnet];
}

/** The same requests with their words as written in the text. @throws InspectorError unreadable */
export function requestsOf(stateText: string): readonly ExactRequest[] {
  const root = parseJson(stateText);
  const cut = (path: Path): string | undefined => {
    const node = valueAt(stateText, root, path);
    return node && (node.kind === 'string' ? stringOf(stateText, node) : sourceOf(stateText, node));
  };
  const places = { pendingMessages: 0, outstandingRequests: 0 };
  return pendingOf(stateText).map(({ id, executor, type, sizeBytes = 0 }): ExactRequest => {
    const from = executor === undefined ? {} : { from: executor };
    if (type !== undefined) return { id, ...from, text: `${type}, ${sizeBytes} bytes, not opened` };
    const python: Path = ['pending_request_info_events', id];
    const source = cut([...python, 'source_executor_id']);
    const own = cut(python);
    if (own !== undefined) return { id, ...(source === undefined ? from : { from: source }), text: own };
    const said = cut(['pendingMessages', places.pendingMessages, 'data']);
    places.pendingMessages += 1;
    if (said !== undefined) return { id, ...from, text: said };
    const asked = cut(['runnerData', 'outstandingRequests', places.outstandingRequests]);
    places.outstandingRequests += 1;
    return { id, ...from, text: asked ?? '' };
  });
}

/** Messages are lists of contents with a role, wherever an executor or the shared state keeps them. */
const isContents = (text: string, item: JsonNode): boolean =>
  valueAt(text, item, ['contents'])?.kind === 'array' && messageIn(text, item) !== undefined;

const DEEPEST = 8;
const MOST_LISTS = 20;

/** Conversations in a state; pickled ones stay closed. @throws InspectorError unreadable */
export function messagesOf(stateText: string): readonly Channel[] {
  const channels: Channel[] = [];
  const look = (node: JsonNode, path: Path): void => {
    if (channels.length >= MOST_LISTS || path.length > DEEPEST) return;
    if (node.kind === 'object') {
      for (const { key, value } of node.members) look(value, [...path, key]);
      return;
    }
    if (node.kind !== 'array') return;
    const isChat = node.items.length > 0 && node.items.every((item) => isContents(stateText, item));
    if (isChat) channels.push({ channel: path.join('.'), messages: messagesIn(stateText, node) });
    else for (const [at, item] of node.items.entries()) look(item, [...path, at]);
  };
  look(parseJson(stateText), []);
  return channels;
}

/** Executors with messages in flight, and in the interface's documents how far each executor is. */
export function stepsOf(stateText: string): readonly Step[] {
  const fields = fieldsOf(stateText);
  const waiting = Object.keys(recordOf(fields['messages'])).map((name): Step => ({ name, status: 'pending' }));
  const states = Object.entries(recordOf(fields['executorStates'])).map(([name, value]): Step => {
    const { error, completed } = recordOf(value);
    if (error !== undefined) return { name, status: 'failed' };
    return { name, status: completed === true ? 'done' : 'pending' };
  });
  return [...states, ...waiting];
}

/** The first executor's error. Python stores none. @throws InspectorError unreadable */
export function errorOf(stateText: string): string | undefined {
  for (const state of Object.values(recordOf(fieldsOf(stateText)['executorStates']))) {
    const { message } = recordOf(recordOf(state)['error']);
    if (typeof message === 'string') return message;
  }
  return undefined;
}
