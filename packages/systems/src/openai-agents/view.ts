/** What a person wants to see of a run state. Pure functions over its JSON text; browser-safe. */
import {
  fromJsonText,
  messageIn,
  messagesIn,
  parseJson,
  sourceOf,
  stringOf,
  valueAt,
  type ChatMessage,
  type JsonNode,
  type Path,
  type PendingRequest,
} from '@checkpoint-inspector/core';
import type { Channel } from '../folder/view.ts';

interface Question {
  readonly id: string;
  readonly executor: string;
  readonly value: unknown;
}

interface Step {
  readonly name: string;
  readonly status: 'done' | 'pending';
  readonly isCurrent: boolean;
}

/** What the run was asked, what was said and called in it, or the items of a session. @throws InspectorError unreadable */
export function messagesOf(stateText: string): readonly Channel[] {
  const root = parseJson(stateText);
  const messages = root.kind === 'array' ? messagesIn(stateText, root) : runMessages(stateText, root);
  return messages.length > 0 ? [{ channel: root.kind === 'array' ? 'session' : 'run', messages }] : [];
}

function runMessages(text: string, root: JsonNode): readonly ChatMessage[] {
  const input = valueAt(text, root, ['originalInput']);
  const said = itemsAt(text, root, ['generatedItems'])
    .filter((item) => textAt(text, item, ['type']) !== 'tool_approval_item')
    .flatMap((item) => valueAt(text, item, ['rawItem']) ?? [])
    .flatMap((item) => messageIn(text, item) ?? []);
  return [...(input?.kind === 'string' ? [asked(text, input)] : messagesIn(text, input)), ...said];
}

const asked = (text: string, input: JsonNode): ChatMessage => ({
  role: 'human',
  kind: 'user',
  text: textAt(text, input, []) ?? '',
  toolCalls: [],
  stored: sourceOf(text, input),
});

/** Each call of a tool in this run, in order, and whether it has been answered. @throws InspectorError unreadable */
export function stepsOf(stateText: string): readonly Step[] {
  const root = parseJson(stateText);
  const items = itemsAt(stateText, root, ['generatedItems']);
  const callId = (item: JsonNode): string | undefined => textAt(stateText, item, ['rawItem', 'callId']);
  const ofType = (type: string): JsonNode[] => items.filter((item) => textAt(stateText, item, ['type']) === type);
  const answered = new Set(ofType('tool_call_output_item').map(callId));
  const waiting = new Set(interruptionsIn(stateText, root).map(callId));
  return ofType('tool_call_item').map((item) => ({
    name: textAt(stateText, item, ['rawItem', 'name']) ?? 'a tool',
    status: answered.has(callId(item)) ? 'done' : 'pending',
    isCurrent: waiting.has(callId(item)),
  }));
}

/** Calls that wait for approval. @throws InspectorError unreadable */
export function pendingOf(stateText: string): readonly Question[] {
  return interruptionsIn(stateText, parseJson(stateText)).map((item) => {
    const { id, tool, given } = callIn(stateText, item);
    return { id, executor: tool, value: valueOf(given) };
  });
}

/** The same, each as the call that would be run. @throws InspectorError unreadable */
export function requestsOf(stateText: string): readonly PendingRequest[] {
  return interruptionsIn(stateText, parseJson(stateText)).map((item) => {
    const { id, tool, given } = callIn(stateText, item);
    const agent = textAt(stateText, item, ['agent', 'name']);
    return { id, ...(agent === undefined ? {} : { from: agent }), text: `${tool}(${given})` };
  });
}

/** The one error that a state tells of: the run may take no further turn. @throws InspectorError unreadable */
export const errorOf = (stateText: string): string | undefined => turnsError(stateText, parseJson(stateText));

/** In the words of the SDK. */
export function turnsError(text: string, root: JsonNode): string | undefined {
  if (textAt(text, root, ['currentStep', 'type']) !== 'next_step_run_again') return undefined;
  const [turn, most] = [valueAt(text, root, ['currentTurn']), valueAt(text, root, ['maxTurns'])];
  if (turn?.kind !== 'number' || most?.kind !== 'number') return undefined;
  const limit = sourceOf(text, most);
  return Number(sourceOf(text, turn)) >= Number(limit) ? `Max turns (${limit}) exceeded` : undefined;
}

const interruptionsIn = (text: string, root: JsonNode): readonly JsonNode[] =>
  itemsAt(text, root, ['currentStep', 'data', 'interruptions']);

function callIn(
  text: string,
  approval: JsonNode,
): { readonly id: string; readonly tool: string; readonly given: string } {
  return {
    id: textAt(text, approval, ['rawItem', 'callId']) ?? textAt(text, approval, ['rawItem', 'id']) ?? '',
    tool: textAt(text, approval, ['toolName']) ?? textAt(text, approval, ['rawItem', 'name']) ?? 'a tool',
    given: textAt(text, approval, ['rawItem', 'arguments']) ?? '',
  };
}

/** Arguments are JSON in a string; others are shown as they are. */
function valueOf(given: string): unknown {
  try {
    return fromJsonText(given);
  } catch {
    return given;
  }
}

function itemsAt(text: string, node: JsonNode, path: Path): readonly JsonNode[] {
  const found = valueAt(text, node, path);
  return found?.kind === 'array' ? found.items : [];
}

function textAt(text: string, node: JsonNode, path: Path): string | undefined {
  const found = path.length === 0 ? node : valueAt(text, node, path);
  return found?.kind === 'string' ? stringOf(text, found) : undefined;
}
