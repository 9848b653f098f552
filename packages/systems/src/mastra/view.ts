/** What a person wants to see of a run's snapshot. Pure functions over JSON text; browser-safe. */
import {
  fromJsonText,
  memberOf,
  messagesIn,
  parseJson,
  quoteJson,
  sourceOf,
  valueAt,
  type JsonNode,
  type JsonObject,
  type Path,
  type PendingRequest,
} from '@checkpoint-inspector/core';
import { fieldsOf, isRecord, jsonOf, recordOf, records, textOf, type Channel, type Fields } from '../folder/view.ts';

export interface Step {
  readonly id: string;
  readonly name: string;
  /** As stored; `pending` where it hasn't begun. */
  readonly status: string;
  readonly isCurrent: boolean;
  readonly errors: readonly string[];
  readonly durationMs?: number;
  /** JSON of the output, where the step has one. */
  readonly output?: string;
}

/** The workflow's steps in their order, those that haven't begun included. @throws InspectorError unreadable */
export function stepsOf(stateText: string): readonly Step[] {
  const state = fieldsOf(stateText);
  const context = recordOf(state['context']);
  const ids = records(state['serializedStepGraph']).flatMap(idsIn);
  return [...new Set(ids)].map((id) => stepOf(id, Object.hasOwn(context, id) ? recordOf(context[id]) : {}));
}

function idsIn(entry: Fields): readonly string[] {
  if (Array.isArray(entry['steps'])) return records(entry['steps']).flatMap(idsIn);
  if (isRecord(entry['step'])) return idsIn(entry['step']);
  return typeof entry['id'] === 'string' ? [entry['id']] : [];
}

const OPEN: ReadonlySet<unknown> = new Set(['running', 'suspended', 'waiting', 'paused']);

function stepOf(id: string, step: Fields): Step {
  const { status, startedAt, endedAt } = step;
  const iterations = recordOf(step['metadata'])['iterationCount'];
  const error = messageOf(step['error']);
  const isTimed = typeof startedAt === 'number' && typeof endedAt === 'number' && endedAt >= startedAt;
  return {
    id,
    name: typeof iterations === 'number' ? `${id} (${iterations} iterations, the last one is kept)` : id,
    status: typeof status === 'string' ? status : 'pending',
    isCurrent: OPEN.has(status),
    errors: error === undefined ? [] : [error],
    ...(isTimed ? { durationMs: endedAt - startedAt } : {}),
    ...('output' in step ? { output: jsonOf(step['output']) } : {}),
  };
}

const messageOf = (error: unknown): string | undefined => {
  if (typeof error === 'string') return error;
  const { message } = recordOf(error);
  return typeof message === 'string' ? message : undefined;
};

/** The error that ended the run. @throws InspectorError unreadable */
export function errorOf(stateText: string): string | undefined {
  const state = fieldsOf(stateText);
  if (state['status'] !== 'failed') return undefined;
  const steps = Object.values(recordOf(state['context'])).filter((step) => recordOf(step)['status'] === 'failed');
  return (
    messageOf(state['error']) ??
    steps.map((step) => messageOf(recordOf(step)['error'])).find((one) => one !== undefined)
  );
}

/** The questions of the steps that wait, each under the name that `resume` takes. @throws InspectorError unreadable */
export function requestsOf(stateText: string): readonly PendingRequest[] {
  const root = parseJson(stateText);
  const approvals = approvalsIn(stateText, root);
  const context = valueAt(stateText, root, ['context']);
  if (approvals.length > 0) return approvals;
  return (context?.kind === 'object' ? context.members : []).flatMap(({ key, value, duplicate }) => {
    const waits = duplicate ? undefined : waitingIn(stateText, value);
    if (waits === undefined) return [];
    const payload = memberOf(waits, 'suspendPayload')?.value;
    const path = payload && valueAt(stateText, payload, ['__workflow_meta', 'path']);
    const inner: unknown = path?.kind === 'array' ? fromJsonText(sourceOf(stateText, path)) : [];
    const id = [key, ...(Array.isArray(inner) ? inner.map(textOf) : [])].join('.');
    return [{ id, ...(id === key ? {} : { from: key }), ...questionOf(stateText, payload) }];
  });
}

/** Calls of tools that an agent's last message asks a person for. */
function approvalsIn(text: string, root: JsonNode): readonly PendingRequest[] {
  const pending = membersAt(text, lastMessage(text, root), ['content', 'metadata', 'pendingToolApprovals']);
  return pending.map(({ key: id, value }) => {
    const [name, args] = ['toolName', 'args'].map((member) => valueAt(text, value, [member]));
    const from = name ? textOf(fromJsonText(sourceOf(text, name))) : undefined;
    return { id, ...(from === undefined ? {} : { from }), text: args ? sourceOf(text, args) : sourceOf(text, value) };
  });
}

/**
 * The call that agrees to what an agent asks, in its thread or its run: the run belongs to the agent, so no workflow can
 * resume it. Nothing for the questions of a workflow. @throws InspectorError unreadable
 */
export function answerOf(stateText: string): string | undefined {
  const root = parseJson(stateText);
  const calls = [...pendingIn(stateText, root), ...heldIn(stateText, root)].flatMap(({ run, call }) =>
    run?.kind === 'string'
      ? [`await agent.approveToolCall({ runId: ${sourceOf(stateText, run)}, toolCallId: ${call} })`]
      : [],
  );
  return calls.length === 0 ? undefined : calls.join('; ');
}

interface AskedCall {
  readonly run: JsonNode | undefined;
  /** Its id as JSON. */
  readonly call: string;
}

function pendingIn(text: string, root: JsonNode): readonly AskedCall[] {
  return membersAt(text, lastMessage(text, root), ['content', 'metadata', 'pendingToolApprovals']).map(
    ({ key, value }) => ({ run: valueAt(text, value, ['runId']), call: quoteJson(key) }),
  );
}

/** Calls that a step of an agent's run holds back. */
function heldIn(text: string, root: JsonNode): readonly AskedCall[] {
  const run = valueAt(text, root, ['runId']);
  return membersAt(text, root, ['context']).flatMap(({ value, duplicate }) => {
    const waits = duplicate ? undefined : waitingIn(text, value);
    const call = waits && valueAt(text, waits, ['suspendPayload', 'requireToolApproval', 'toolCallId']);
    return call?.kind === 'string' ? [{ run, call: sourceOf(text, call) }] : [];
  });
}

function lastMessage(text: string, root: JsonNode): JsonNode | undefined {
  const messages = valueAt(text, root, ['messages']);
  return messages?.kind === 'array' ? messages.items.at(-1) : undefined;
}

function membersAt(text: string, node: JsonNode | undefined, path: Path): JsonObject['members'] {
  const found = node && valueAt(text, node, path);
  return found?.kind === 'object' ? found.members : [];
}

/** The conversation of a thread. @throws InspectorError unreadable */
export function messagesOf(stateText: string): readonly Channel[] {
  const list = valueAt(stateText, parseJson(stateText), ['messages']);
  const messages = list?.kind === 'array' ? messagesIn(stateText, list) : [];
  return messages.length > 0 ? [{ channel: 'messages', messages }] : [];
}

function waitingIn(text: string, step: JsonNode): JsonObject | undefined {
  const node = step.kind === 'array' ? step.items.findLast((item) => waitingIn(text, item)) : step;
  if (node?.kind !== 'object') return undefined;
  const status = memberOf(node, 'status')?.value;
  return status && sourceOf(text, status) === '"suspended"' ? node : undefined;
}

/** Members that begin with `__` are Mastra's own. */
function questionOf(text: string, payload: JsonNode | undefined): Pick<PendingRequest, 'text' | 'unread'> {
  if (payload === undefined) return { text: 'Mastra keeps no question once it was answered.', unread: true };
  if (payload.kind === 'string') return { text: textOf(fromJsonText(sourceOf(text, payload))) };
  if (payload.kind !== 'object') return { text: sourceOf(text, payload) };
  const approval = memberOf(payload, 'requireToolApproval')?.value;
  if (approval) return { text: sourceOf(text, approval) };
  const own = payload.members.filter(({ key, duplicate }) => !key.startsWith('__') && !duplicate);
  if (own.length === payload.members.length) return { text: sourceOf(text, payload) };
  return { text: `{${own.map(({ key, value }) => `${quoteJson(key)}:${sourceOf(text, value)}`).join(',')}}` };
}

/** The same questions for the list of steps. @throws InspectorError unreadable */
export function pendingOf(stateText: string): readonly { readonly id: string; readonly value: unknown }[] {
  return requestsOf(stateText).map(({ id = '', text, unread }) => ({ id, value: unread ? text : valueOf(text) }));
}

function valueOf(text: string): unknown {
  try {
    return fromJsonText(text);
  } catch {
    return text;
  }
}
