/**
 * Messages and steps in a state of our own store, which has no form of its own: the common spellings are looked for.
 * Everything is cut from the text, so numbers keep their digits.
 */
import {
  memberOf,
  messagesIn,
  parseJson,
  sourceOf,
  stringOf,
  valueAt,
  type ChatMessage,
  type JsonNode,
  type Path,
} from '@checkpoint-inspector/core';

export interface NativeStep {
  readonly name: string;
  /** As stored; `pending` and `completed` where only the list says so. */
  readonly status: string;
  readonly errors: readonly string[];
  readonly durationMs?: number;
  readonly output?: string;
}

const CHANNELS: readonly Path[] = [['conversation_history'], ['context', 'messages'], ['messages']];

/** One message makes a conversation; what else is in the list is shown as it is. @throws InspectorError unreadable */
export function messagesOf(
  text: string,
): readonly { readonly channel: string; readonly messages: readonly ChatMessage[] }[] {
  const root = parseJson(text);
  return CHANNELS.flatMap((path) => {
    const messages = messagesIn(text, valueAt(text, root, path));
    return messages.length === 0 ? [] : [{ channel: path.join('.'), messages }];
  });
}

/** `$.plan`, else the completed and pending steps of a CheckpointState. @throws InspectorError unreadable */
export function stepsOf(text: string): readonly NativeStep[] {
  const root = parseJson(text);
  const plan = itemsOf(child(root, 'plan'));
  if (plan.length > 0 && plan.every((item) => nameOf(text, item) !== undefined)) {
    return plan.map((item) => toStep(text, item, stringIn(text, item, 'status') ?? 'unknown'));
  }
  return [
    ...itemsOf(child(root, 'completedSteps')).map((item) => toStep(text, item, 'completed')),
    ...itemsOf(child(root, 'pendingSteps')).map((item) => toStep(text, item, 'pending')),
  ];
}

/** The last error of the state, which may be there also after the step went well. @throws InspectorError unreadable */
export function errorOf(text: string): string | undefined {
  return errorIn(text, parseJson(text), 'lastError');
}

function toStep(text: string, item: JsonNode, status: string): NativeStep {
  const duration = child(item, 'durationMs') ?? child(item, 'duration_ms');
  const output = child(item, 'result') ?? child(item, 'output');
  const error = errorIn(text, item, 'error');
  return {
    name: nameOf(text, item) ?? sourceOf(text, item),
    status,
    errors: error === undefined ? [] : [error],
    ...(duration?.kind === 'number' ? { durationMs: Number(sourceOf(text, duration)) } : {}),
    ...(output === undefined || output.kind === 'null' ? {} : { output: sourceOf(text, output) }),
  };
}

function nameOf(text: string, item: JsonNode): string | undefined {
  if (item.kind === 'string') return stringOf(text, item);
  const keys = ['name', 'description', 'title', 'step', 'action', 'stepId', 'id'];
  return keys.map((key) => stringIn(text, item, key)).find((name) => name !== undefined);
}

/** A message, bare or under `message`. */
function errorIn(text: string, node: JsonNode, key: string): string | undefined {
  const error = child(node, key);
  if (error === undefined || error.kind === 'null') return undefined;
  return stringIn(text, error, 'message') ?? plain(text, error);
}

const child = (node: JsonNode, key: string): JsonNode | undefined =>
  node.kind === 'object' ? memberOf(node, key)?.value : undefined;

const itemsOf = (node: JsonNode | undefined): readonly JsonNode[] => (node?.kind === 'array' ? node.items : []);

function stringIn(text: string, node: JsonNode, key: string): string | undefined {
  const value = child(node, key);
  return value?.kind === 'string' ? stringOf(text, value) : undefined;
}

/** A string without its quotes, anything else as written in the text. */
const plain = (text: string, node: JsonNode): string =>
  node.kind === 'string' ? stringOf(text, node) : sourceOf(text, node);
